"""Whose name the calls of a run bear: the rules of `cheatcodes.pranks`, for words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from echidna_mcp.cheatcodes.pranks import (
    PRANK_ROW,
    SINGLE,
    TAKEN,
    begin_prank,
    end_prank,
    forget_pranks,
    new_pranks,
    origin_after,
    sender_of,
)
from echidna_mcp.solving.expressions import Word, value_of


class KeptPranks(NamedTuple):
    """The pranks of a moment.

    Attributes:
        rows: as in `cheatcodes.pranks`.
        senders: the words of the names in these.
    """

    rows: bytes = b""
    senders: Mapping[int, Word] = MappingProxyType({})


class Pranking:
    """The pranks of a sequence.

    Args:
        dies: whether they end with the frame that asked for them.
        kept: those that there are already.
    """

    def __init__(self, *, dies: bool, kept: KeptPranks) -> None:
        self._pranks = new_pranks(dies=dies)
        self._pranks.rows[: len(kept.rows)] = kept.rows
        self._pranks.count = len(kept.rows) // PRANK_ROW
        self._senders = dict(kept.senders)

    def kept(self) -> KeptPranks:
        """Return the present ones."""
        if not self._pranks.count:
            return KeptPranks()
        rows = bytes(self._pranks.rows[: self._pranks.count * PRANK_ROW])
        return KeptPranks(rows, self._senders.copy())

    def begin(self, depth: int, asker: int, sender: Word, *, lasting: bool) -> bool:
        """Begin a prank; return whether it is allowed.

        Args:
            depth: of the frame that asks for it.
            asker: whose calls it is for.
            sender: in whose name they are to be made.
            lasting: whether for more than the next of them.
        """
        known = value_of(sender)
        self._senders[known] = sender
        flags = 0 if lasting else SINGLE
        given = begin_prank(self._pranks, depth + 1, asker, 0, known, 0, flags)
        return given == TAKEN

    def stop(self, depth: int) -> None:
        """End that of a frame, if there is one."""
        end_prank(self._pranks, depth + 1)

    def sender(self, depth: int, caller: Word) -> Word:
        """Return in whose name a call or creation is made from a frame."""
        if not self._pranks.count:
            return caller
        known = value_of(caller)
        sender = sender_of(self._pranks, depth + 1, known)
        return caller if sender == known else self._senders[sender]

    def end_call(self, depth: int) -> None:
        """Take note that such a call has ended, however it did."""
        if self._pranks.count:
            origin_after(self._pranks, depth + 1, 0)

    def end_message(self) -> None:
        """Take note that a call of the sequence has ended."""
        if self._pranks.dies:
            forget_pranks(self._pranks)
