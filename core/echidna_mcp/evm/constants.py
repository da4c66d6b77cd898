"""Constants that bytecode compares with: the operands of its PUSH instructions."""

from __future__ import annotations

PUSH1 = 0x60
PUSH32 = 0x7F
_NEIGHBOURHOOD = (0, -1, 1)
_LIMIT = 1024


def push_constants(code: bytes) -> list[int]:
    """Return PUSH operands and their neighbours as 256-bit words, ascending.

    Short strings are pushed left-aligned, so they are found here as words as well. At
    most 1024 words are returned: operands first, in ascending order.
    """
    operands: set[int] = set()
    at = 0
    while at < len(code):
        size = code[at] - PUSH1 + 1 if PUSH1 <= code[at] <= PUSH32 else 0
        if size:
            operands.add(int.from_bytes(code[at + 1 : at + 1 + size], "big"))
        at += 1 + size
    words: dict[int, None] = {}
    for shift in _NEIGHBOURHOOD:
        for operand in sorted(operands):
            words[(operand + shift) % (1 << 256)] = None
    return list(words)[:_LIMIT]
