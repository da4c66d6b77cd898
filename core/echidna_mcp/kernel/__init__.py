"""The kernel language: a typed part of Python that is compiled to machine code.

Three rooms, from what an author writes to what a process calls: `language` (integers,
memory, records: plain Python, and its own reference), `compiler` (from functions to
LLVM IR) and `library` (machine code: built, kept, loaded, called). See docs/kernel.md.
"""
