"""Dialects of contract documents; one module each."""
