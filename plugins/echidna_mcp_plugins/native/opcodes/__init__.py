"""The opcodes: one kernel function each."""
