"""How control flows at opcodes, for the decoder and all that is made from opcodes."""

from __future__ import annotations

from enum import IntEnum


class Flow(IntEnum):
    """Where execution goes on after an opcode."""

    NEXT = 0
    """With the next instruction of the block."""
    SPLIT = 1
    """With the next instruction, which begins a new block: gas left matters here."""
    CALL = 2
    """Like `SPLIT`, perhaps after another frame. The function returns `ENTERED`, or the
    word to push."""
    JUMP = 3
    END = 4
    """The frame ends: normally, or with what the function has put into `m.fault`."""
