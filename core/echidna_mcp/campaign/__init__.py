"""The campaign: a pure function of program, config, seed and commands."""
