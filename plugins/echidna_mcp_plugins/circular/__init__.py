"""Certification on the Circular Protocol: a client of its NAG API, tools, a devnet.

Here lies what speaks the protocol; `tools` has the four operations that agents call,
`devnet` a chain on this machine that answers like a node (docs/circular.md).
"""
