"""Commands about what a campaign has stored, and what they share."""
