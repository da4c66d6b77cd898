"""The host's side of the EVM: its library, its machines and what these can hold."""
