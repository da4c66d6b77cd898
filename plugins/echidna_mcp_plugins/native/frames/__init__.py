"""Call frames: how they begin, and what happens between them."""
