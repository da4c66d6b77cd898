"""Traces: what a stored sequence does, executed once more on the reference EVM."""
