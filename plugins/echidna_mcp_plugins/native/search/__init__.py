"""Searching: whole sequences, generated, executed and judged in machine code."""
