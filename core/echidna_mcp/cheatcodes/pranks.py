"""Pranks: whose name the calls of a frame bear, by Foundry's rules.

A prank belongs to the depth of the frame that asked for it, and to the contract that
did (`asker`). Calls and creations which that contract makes at that depth come from
somebody else, who pays their value and whose nonce they use. A single one (`vm.prank`)
ends with the first of them, however that ends; the others at `vm.stopPrank`. Pranks are
no part of the state: neither a revert nor the end of a message ends one.

Depths count as Foundry's: 1 is the frame of the message itself. The functions run in
compiled code and in Python alike, on the one record of an EVM.

Source: Foundry, `crates/cheatcodes/src/evm/prank.rs` and `inspector.rs`.
"""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import cold
from echidna_mcp.kernel.language.memory import (
    Bytes,
    copy,
    load64,
    peek256,
    poke256,
    store64,
    u64,
    u256,
)
from echidna_mcp.kernel.language.record import record

PRANK_DEPTH = 0
PRANK_FLAGS = 8
PRANK_ASKER = 32
"""u256, as the next three."""
PRANK_ASKED_ORIGIN = 64
"""Who sent the message when it was asked for; goes back to that after each call."""
PRANK_SENDER = 96
"""In whose name calls are made."""
PRANK_ORIGIN = 128
"""Who is to have sent the message, if `NEW_ORIGIN` is set."""
PRANK_ROW = 160

SINGLE = 1
NEW_ORIGIN = 2
DELEGATES = 4
"""Delegate calls, too, act for the account `PRANK_SENDER`, on its storage."""
USED = 8

MOST_PRANKS = 1026
"""One for each depth."""
PRANK_BYTES = MOST_PRANKS * PRANK_ROW

NO_PRANK = MOST_PRANKS

TAKEN = 0
NOT_APPLIED_YET = 1
ONGOING = 2
"""What `begin_prank` returns."""


@record
class Pranks:
    """The pranks of an EVM.

    Attributes:
        count: how many there are.
        changes: counts what has been changed; never goes back.
        dies: 1 if a prank ends with the frame that asked for it, and another one takes
            its place without more ado (Echidna, hevm).
        rows: one each, by ascending depth.
    """

    count: u64
    changes: u64
    dies: u64
    rows: Bytes


def new_pranks(*, dies: bool = False) -> Pranks:
    """Return none, with room for all that there may ever be."""
    rows = bytearray(PRANK_BYTES)
    return Pranks(count=0, changes=0, dies=int(dies), rows=rows)


def die_with_frames(dialect: str) -> bool:
    """Whether a prank ends with the frame that asked for it, in a dialect."""
    return dialect != "foundry"


def prank_at(p: Pranks, depth: u64) -> u64:
    """Return the number of the deepest prank that is no deeper, or `NO_PRANK`."""
    number = p.count
    while number != 0:
        number = number - 1
        if load64(p.rows, number * PRANK_ROW + PRANK_DEPTH) <= depth:
            return number
    return NO_PRANK


@cold
def begin_prank(
    p: Pranks,
    depth: u64,
    asker: u256,
    asked_origin: u256,
    sender: u256,
    origin: u256,
    flags: u64,
) -> u64:
    """Begin a prank, in the place of one of the same depth.

    Returns:
        `TAKEN`, or why it was not.
    """
    number = prank_at(p, depth)
    if number != NO_PRANK and p.dies == 0:
        known = load64(p.rows, number * PRANK_ROW + PRANK_FLAGS)
        if known & USED == 0:
            return NOT_APPLIED_YET
        if known & SINGLE != flags & SINGLE:
            return ONGOING
    if number == NO_PRANK or load64(p.rows, number * PRANK_ROW + PRANK_DEPTH) != depth:
        number = insert_prank(p, number)
    row = number * PRANK_ROW
    p.changes = p.changes + 1
    store64(p.rows, row + PRANK_DEPTH, depth)
    store64(p.rows, row + PRANK_FLAGS, flags)
    poke256(p.rows, row + PRANK_ASKER, asker)
    poke256(p.rows, row + PRANK_ASKED_ORIGIN, asked_origin)
    poke256(p.rows, row + PRANK_SENDER, sender)
    poke256(p.rows, row + PRANK_ORIGIN, origin)
    return TAKEN


@cold
def insert_prank(p: Pranks, before: u64) -> u64:
    """Make room for a prank behind number `before`; return its number."""
    number = before + 1
    if before == NO_PRANK:
        number = 0
    row = number * PRANK_ROW
    copy(p.rows, row + PRANK_ROW, p.rows, row, (p.count - number) * PRANK_ROW)
    p.count = p.count + 1
    return number


@cold
def end_prank(p: Pranks, depth: u64) -> None:
    """End the prank of a depth, if there is one."""
    number = prank_at(p, depth)
    if number == NO_PRANK:
        return
    row = number * PRANK_ROW
    if load64(p.rows, row + PRANK_DEPTH) != depth:
        return
    p.changes = p.changes + 1
    rest = p.count - number - 1
    copy(p.rows, row, p.rows, row + PRANK_ROW, rest * PRANK_ROW)
    p.count = p.count - 1


@cold
def sender_of(p: Pranks, depth: u64, caller: u256) -> u256:
    """Return in whose name a call or creation is made by `caller`, from this depth."""
    number = prank_at(p, depth)
    if number == NO_PRANK:
        return caller
    row = number * PRANK_ROW
    if (
        load64(p.rows, row + PRANK_DEPTH) != depth
        or peek256(p.rows, row + PRANK_ASKER) != caller
    ):
        return caller
    use_prank(p, row)
    return peek256(p.rows, row + PRANK_SENDER)


@cold
def origin_of(p: Pranks, depth: u64, caller: u256, origin: u256) -> u256:
    """Return who is to have sent the message while such a call runs."""
    number = prank_at(p, depth)
    if number == NO_PRANK:
        return origin
    row = number * PRANK_ROW
    if (
        peek256(p.rows, row + PRANK_ASKER) != caller
        or load64(p.rows, row + PRANK_FLAGS) & NEW_ORIGIN == 0
    ):
        return origin
    use_prank(p, row)
    return peek256(p.rows, row + PRANK_ORIGIN)


@cold
def delegates_as(p: Pranks, depth: u64) -> u64:
    """Return the row of the prank, plus 1, for which delegate calls act too; else 0."""
    number = prank_at(p, depth)
    if number == NO_PRANK:
        return 0
    row = number * PRANK_ROW
    if (
        load64(p.rows, row + PRANK_DEPTH) != depth
        or load64(p.rows, row + PRANK_FLAGS) & DELEGATES == 0
    ):
        return 0
    return row + 1


@cold
def prank_sender(p: Pranks, row: u64) -> u256:
    """Return in whose name calls are made by the prank of a row."""
    return peek256(p.rows, row + PRANK_SENDER)


@cold
def prank_origin(p: Pranks, row: u64, origin: u256) -> u256:
    """Return who is to have sent the message by the prank of a row."""
    if load64(p.rows, row + PRANK_FLAGS) & NEW_ORIGIN == 0:
        return origin
    return peek256(p.rows, row + PRANK_ORIGIN)


@cold
def use_prank(p: Pranks, row: u64) -> None:
    """Take note that the prank of a row was applied."""
    flags = load64(p.rows, row + PRANK_FLAGS)
    if flags & USED == 0:
        p.changes = p.changes + 1
        store64(p.rows, row + PRANK_FLAGS, flags | USED)


@cold
def forget_pranks(p: Pranks) -> None:
    """End all."""
    if p.count != 0:
        p.changes = p.changes + 1
        p.count = 0


@cold
def end_deeper(p: Pranks, depth: u64) -> None:
    """End those of frames that are deeper."""
    while (
        p.count != 0 and load64(p.rows, (p.count - 1) * PRANK_ROW + PRANK_DEPTH) > depth
    ):
        p.changes = p.changes + 1
        p.count = p.count - 1


@cold
def origin_after(p: Pranks, depth: u64, origin: u256) -> u256:
    """End what ends with a call from this depth; return who has sent the message."""
    if p.dies != 0:
        end_deeper(p, depth)
    number = prank_at(p, depth)
    if number == NO_PRANK:
        return origin
    row = number * PRANK_ROW
    if load64(p.rows, row + PRANK_DEPTH) != depth:
        return origin
    before = peek256(p.rows, row + PRANK_ASKED_ORIGIN)
    if load64(p.rows, row + PRANK_FLAGS) & SINGLE != 0:
        end_prank(p, depth)
    return before
