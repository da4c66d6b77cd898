"""Stored facts: the event envelope and the append-only store."""
