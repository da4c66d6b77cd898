"""Executors: where the tasks of a round run."""
