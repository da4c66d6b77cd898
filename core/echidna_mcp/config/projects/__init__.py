"""Kinds of projects: what each is known by, its defaults, how its file is read."""
