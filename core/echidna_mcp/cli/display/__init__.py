"""Displays of a campaign: while it runs, at its end, and in a replay."""
