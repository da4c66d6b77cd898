"""Configuration: Echidna's YAML keys, their defaults, and what they become here."""
