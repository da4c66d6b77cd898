"""Rounds: everything that decides results, as pure functions.

Nothing here has a clock, a store, a thread or a process; who runs rounds, and when, is
`echidna_mcp.campaign`.
"""
