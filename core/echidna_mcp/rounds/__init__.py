"""What decides results: rounds, as pure functions of program, config, events, tasks.

Nothing here has a clock, a store, a thread or a process; who runs rounds, and when, is
`echidna_mcp.campaign`.
"""
