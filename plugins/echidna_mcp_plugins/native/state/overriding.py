"""The override of a message, as a machine has it."""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import cold
from echidna_mcp.kernel.language.memory import Bytes, load256, u64, u256
from echidna_mcp.kernel.language.record import record

ADDRESS_WORD = 32


@record
class Overriding:
    """What replaces a call of a message; see `opcodes.overriding`.

    Attributes:
        targets, target_count: by and to whom calls may be replaced: u256 each.
        spared: the contract whose calls are not.
        to: who is called instead.
        start, size: where in `Machine.memory` the calldata is.
        after: how many more calls are passed over.
        done: set to 1 when a call has been replaced.
    """

    targets: Bytes
    target_count: u64
    spared: u256
    to: u256
    start: u64
    size: u64
    after: u64
    done: u64


@cold
def set_override(o: Overriding, to: u256, start: u64, size: u64, after: u64) -> None:
    """Make a call of `to` the one that replaces another; see `Overriding`."""
    o.to = to
    o.start = start
    o.size = size
    o.after = after
    o.done = 0


@cold
def is_override_target(o: Overriding, address: u256) -> u64:
    """Return 1 if calls by and to a contract may be replaced, else 0."""
    for index in range(o.target_count):
        if load256(o.targets, index * ADDRESS_WORD) == address:
            return 1
    return 0


@cold
def passes_over(o: Overriding) -> u64:
    """Return 1 if a call that could be replaced is passed over, else 0; count it."""
    if o.after == 0:
        return 0
    o.after = o.after - 1
    return 1


@cold
def note_replaced(o: Overriding) -> None:
    """Take note that a call is replaced."""
    o.done = 1
