"""Numbered ways to make numbers and runs smaller: pure functions of what is shrunk."""
