"""Contracts that a sequence has created, and which of them a call means.

A factory's children are called like any other contract, for the rest of the sequence.
No address is known when a sequence is built, so a call says which *kind* of contract it
is for, by its function, and a number, its instance: of n that there are it means the
one of number instance mod n, in order of creation. While there is none the call is left
out.

What was created is told by its code. A *template* is the runtime code of a contract of
the program; what constructors and linkers write, and its metadata, may be any bytes.
Both engines use these functions, so they agree.
"""

from __future__ import annotations

from echidna_mcp.fuzz.tape import FAIL
from echidna_mcp.kernel.language.marks import cold
from echidna_mcp.kernel.language.memory import (
    Bytes,
    Words,
    load256,
    store256,
    u64,
    u256,
)
from echidna_mcp.kernel.language.record import record

MOST_CREATED = 256
"""Contracts of a sequence that are called; those that follow are not."""

TEMPLATE_KIND = 0
TEMPLATE_START = 1
"""Where in `Created.bodies` and `Created.masks` it begins."""
TEMPLATE_SIZE = 2
TEMPLATE_WORDS = 3


@record
class Created:
    """What a sequence has created.

    Attributes:
        templates, template_count: `TEMPLATE_WORDS` words a template; the first one that
            fits decides.
        bodies: the codes of all templates, one after the other.
        masks: for each byte of them 255 if it must be equal, else 0.
        kinds, addresses, count: kind, and address as a 32-byte word, of each contract,
            in order of creation.
    """

    templates: Words
    template_count: u64
    bodies: Bytes
    masks: Bytes
    kinds: Words
    addresses: Bytes
    count: u64


def add_created(c: Created, address: u256, code: Bytes, start: u64, size: u64) -> None:
    """Take note of a contract whose `size` bytes of code begin at `start` of `code`."""
    if c.count == MOST_CREATED:
        return
    kind = kind_of(c, code, start, size)
    if kind != FAIL:
        c.kinds[c.count] = kind
        store256(c.addresses, c.count * 32, address)
        c.count = c.count + 1


@cold
def kind_of(c: Created, code: Bytes, start: u64, size: u64) -> u64:
    """Return the kind of a contract with this code, or `FAIL`."""
    for number in range(c.template_count):
        row = number * TEMPLATE_WORDS
        if c.templates[row + TEMPLATE_SIZE] == size:
            body = c.templates[row + TEMPLATE_START]
            at = 0
            while at < size and (
                (code[start + at] ^ c.bodies[body + at]) & c.masks[body + at] == 0
            ):
                at = at + 1
            if at == size:
                return c.templates[row + TEMPLATE_KIND]
    return FAIL


def number_of(c: Created, kind: u64, instance: u64) -> u64:
    """Return which of the contracts of a kind an instance means, from 0, or `FAIL`."""
    living = 0
    for index in range(c.count):
        if c.kinds[index] == kind:
            living = living + 1
    if living == 0:
        return FAIL
    return instance % living


def address_of_number(c: Created, kind: u64, number: u64) -> u256:
    """Return the address of the contract of a kind that has this number."""
    left = number
    for index in range(c.count):
        if c.kinds[index] == kind:
            if left == 0:
                return load256(c.addresses, index * 32)
            left = left - 1
    return load256(c.addresses, 0)
