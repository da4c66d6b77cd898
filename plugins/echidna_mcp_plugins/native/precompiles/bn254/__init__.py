"""The curve BN254, and the precompiles on it (EIP-196, EIP-197)."""
