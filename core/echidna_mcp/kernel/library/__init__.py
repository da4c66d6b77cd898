"""Compiled kernel functions: how they are built, kept, loaded and called."""
