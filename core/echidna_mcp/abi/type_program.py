"""Types as flat programs, which fuzzing code walks.

A type program is a `Words` array of nodes in depth-first order. A node has
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
