"""Where and why a call failed."""
