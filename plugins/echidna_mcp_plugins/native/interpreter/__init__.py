"""The interpreter: native handlers, made from the opcodes, and what runs messages."""
