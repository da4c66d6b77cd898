"""Compiled programs: what a compiler plugin produces and a campaign fuzzes."""
