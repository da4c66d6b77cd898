"""The four operations that agents call, and the session that they share."""
