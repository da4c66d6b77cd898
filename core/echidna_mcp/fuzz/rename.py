"""Senders renamed throughout a sequence: where they call, and where they are named.

A call often names its own sender, or that of another call, in an argument of type
`address`. Such a sequence shows the same only if both change together.
"""

from __future__ import annotations

from echidna_mcp.abi.type_program import (
    KIND_ADDRESS,
    KIND_ARRAY,
    KIND_TUPLE,
    NODE_ARG,
    NODE_KIND,
    NODE_NEXT,
    NODE_WORDS,
)
from echidna_mcp.fuzz.layout import CALL_HEADER, FUNCTION_NODE, FUNCTION_WORDS
from echidna_mcp.fuzz.records import (
    call_function,
    call_length,
    call_sender,
    override_length,
    plain_length,
    set_call_sender,
)
from echidna_mcp.fuzz.shrink_value import sender_rank
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.fuzz.tape import length_at, skip
from echidna_mcp.kernel.language.memory import (
    Bytes,
    Words,
    load256,
    store256,
    u64,
    u256,
)


def rename_slots(tables: FuzzTables, src: Bytes, at: u64) -> u64:
    """Return how many simpler names there are for the sender of the record at `at`.

    None if a record before it, from byte 0 on, has the same sender. None for 0 either:
    as an argument nothing is simpler than that.
    """
    sender = call_sender(src, at)
    if sender == 0:
        return 0
    before = 0
    while before < at:
        if call_sender(src, before) == sender:
            return 0
        before = before + call_length(src, before)
    return sender_rank(tables, sender)


def rename_sender(
    tables: FuzzTables, sequence: Bytes, end: u64, old: u256, new: u256
) -> None:
    """Make `new` of a sender in the sequence from byte 0 to `end`."""
    at = 0
    while at < end:
        if call_sender(sequence, at) == old:
            set_call_sender(sequence, at, new)
        node = argument_node(tables, sequence, at)
        rename_address(tables.types, node, sequence, at + CALL_HEADER, old, new)
        if override_length(sequence, at) != 0:
            place = at + plain_length(sequence, at)
            node = argument_node(tables, sequence, place)
            rename_address(tables.types, node, sequence, place + CALL_HEADER, old, new)
        at = at + call_length(sequence, at)


def argument_node(tables: FuzzTables, src: Bytes, at: u64) -> u64:
    """Return the type node of the arguments of the record at `at`."""
    entry = call_function(src, at) * FUNCTION_WORDS
    return tables.functions[entry + FUNCTION_NODE]


def rename_address(
    types: Words, node: u64, tape: Bytes, at: u64, old: u256, new: u256
) -> u64:
    """Make `new` of an address in the value of type `node` at `at`; return its end."""
    kind = types[node + NODE_KIND]
    if kind == KIND_ADDRESS:
        if load256(tape, at) == old:
            store256(tape, at, new)
        return at + 32
    if kind < KIND_ARRAY:
        return skip(types, node, tape, at)
    count = types[node + NODE_ARG]
    end = at
    if kind == KIND_ARRAY:
        count = length_at(tape, at)
        end = at + 32
    child = node + NODE_WORDS
    for _ in range(count):
        end = rename_address(types, child, tape, end, old, new)
        if kind == KIND_TUPLE:
            child = types[child + NODE_NEXT]
    return end
