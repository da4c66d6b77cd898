"""What a game editor knows of its projects, read without the editor."""
