"""What a campaign has stored, in the forms of others ([exports.md](exports.md))."""
