"""Printing for people: streams that may break, text that is safe for a terminal."""
