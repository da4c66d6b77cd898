"""The campaign that a command line asks for, and the directory where it lies."""
