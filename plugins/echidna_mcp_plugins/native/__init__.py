"""The native EVM, written in the kernel language.

The order in which to read it: `machine` (the state), `journal`, `accounts`, `storage`
(how it changes and goes back), `opcode` (what an opcode is), `words`, `environment`,
`memory`, ... (the opcodes), `frames`, `calls`, `creation` (what happens between
frames), `decode` (code to stream), `interpreter` (stream to native handlers), and
`backend` (the seam).
"""
