"""Texts and bytes that cheatcodes read and write: values, JSON, TOML, RLP, EIP-712."""
