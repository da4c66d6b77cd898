"""The state of one EVM, and every change of it, which can be undone."""
