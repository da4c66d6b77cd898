"""Vyper: from a target on disk to a program."""
