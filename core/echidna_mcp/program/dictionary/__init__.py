"""What the first dictionary of a campaign has of a program: numbers and texts."""
