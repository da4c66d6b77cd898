"""Solidity: from a target on disk to a program, with a solc."""
