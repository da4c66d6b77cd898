"""Fuzzing: making, changing and shrinking values and call sequences.

Random numbers, generation, mutation, sequence building and shrink candidates as plain
functions over integers, byte buffers and a flat type program. No EVM and no campaign
here: see `echidna_mcp.evm` and `echidna_mcp.campaign`.
"""
