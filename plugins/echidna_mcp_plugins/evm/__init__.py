"""EVM backends."""
