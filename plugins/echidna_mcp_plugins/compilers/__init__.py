"""Compilers, one plugin a module, and what the flavours of solc share."""
