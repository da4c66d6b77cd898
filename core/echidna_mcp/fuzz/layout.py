"""Memory layouts shared by all fuzzing code.

**Type program.** A `Words` array of nodes in depth-first order. A node has
`NODE_WORDS` words, its children follow it directly:

====================  ==============================================================
word                  meaning
====================  ==============================================================
`node + NODE_KIND`    one of the `KIND_*` constants
`node + NODE_ARG`     bits of an integer, size of `bytesN`, length of `T[k]`, number
                      of members of a tuple; else 0
`node + NODE_NEXT`    index of the first word after this subtree
`node + NODE_HEAD`    size in bytes of the ABI encoding if the type is static; 0 if
                      it is dynamic
====================  ==============================================================

The parameters of a function are one tuple node.

**Tape.** A value as a linear stream of 32-byte words in program order, without offsets.
Static leaves are their ABI word. `bytes` and `string` are a length word and the data,
padded with zeros to whole words. `T[]` is a length word and its elements; `T[k]` and
tuples are their elements. Because a tape has no offsets, mutation is cutting and
pasting. A tape is canonical: integers are in range, padding is zero.

**Call record.** `CALL_HEADER` bytes, then the tape of the arguments. A call sequence is
the concatenation of its call records.

**Function table.** `FUNCTION_WORDS` words a function.
"""

from __future__ import annotations

NODE_KIND = 0
NODE_ARG = 1
NODE_NEXT = 2
NODE_HEAD = 3
NODE_WORDS = 4

KIND_UINT = 0
KIND_INT = 1
KIND_ADDRESS = 2
KIND_BOOL = 3
KIND_BYTES_FIXED = 4
KIND_FUNCTION = 5
KIND_BYTES = 6
KIND_STRING = 7
KIND_ARRAY = 8
KIND_ARRAY_FIXED = 9
KIND_TUPLE = 10

CALL_LENGTH = 0
"""u64: length of the record in bytes, header included; a multiple of 32."""
CALL_FUNCTION = 8
"""u64: index into the function table."""
CALL_TIME_DELAY = 16
"""u64: seconds that pass before the call."""
CALL_BLOCK_DELAY = 24
"""u64: blocks that pass before the call."""
CALL_VALUE = 32
"""u256: wei sent along."""
CALL_SENDER = 64
"""u256: address of the sender as an integer."""
CALL_HEADER = 96

FUNCTION_NODE = 0
"""Index of the tuple node of the parameters in the type program."""
FUNCTION_FLAGS = 1
FUNCTION_SELECTOR = 2
"""The four selector bytes as a big-endian integer."""
FUNCTION_WORDS = 3

FLAG_PAYABLE = 1
FLAG_RAW = 2
"""Calldata is the single `bytes` argument itself, without selector (`fallback`)."""
FLAG_EMPTY = 4
"""Calldata is empty (`receive`)."""

MAX_CALL_BYTES = 16384
"""Largest call record that generation and mutation build; arrays stop growing there."""
MAX_ARRAY_LENGTH = 32
"""Longest `T[]`, `bytes` and `string` that generation builds (Echidna's bound)."""
