"""Changed call records."""

from __future__ import annotations

from echidna_mcp.abi.type_program import NODE_ARG, NODE_NEXT, NODE_WORDS
from echidna_mcp.fuzz.generate import (
    append_override,
    generate_delays,
    generate_value,
    generate_wei,
)
from echidna_mcp.fuzz.layout import (
    CALL_HEADER,
    FLAG_PAYABLE,
    FUNCTION_FLAGS,
    FUNCTION_NODE,
    FUNCTION_WORDS,
    MAX_CALL_BYTES,
)
from echidna_mcp.fuzz.leaf import draw_sender
from echidna_mcp.fuzz.mutate import mutate_members
from echidna_mcp.fuzz.records import (
    call_function,
    copy_call,
    copy_range,
    override_length,
    plain_length,
    seal_call,
    set_call_length,
    set_call_sender,
    set_call_value,
)
from echidna_mcp.fuzz.rng import below
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.fuzz.tape import skip
from echidna_mcp.kernel.language.memory import Bytes, Words, u64, u256


def mutate_call(
    tables: FuzzTables, rng: Words, src: Bytes, at: u64, out: Bytes, pos: u64
) -> u64:
    """Copy the record at `at` to `pos` with one thing changed; return its end.

    In 16: 1 the sender, 1 the delays, 1 the value of a payable call, otherwise one
    argument, chosen uniformly. Calls without arguments change one of the former. If
    calls have overrides, that is what changes one time in four.
    """
    if tables.overriding != 0 and below(rng, 4) == 0:
        return mutate_override(tables, rng, src, at, out, pos)
    entry = call_function(src, at) * FUNCTION_WORDS
    node = tables.functions[entry + FUNCTION_NODE]
    payable = tables.functions[entry + FUNCTION_FLAGS] & FLAG_PAYABLE
    choice = below(rng, 16)
    if tables.types[node + NODE_ARG] == 0:
        choice = choice % 3
    if choice > 2 or (choice == 2 and payable == 0):
        start = at + CALL_HEADER
        end = copy_range(src, at, start, out, pos)
        limit = pos + MAX_CALL_BYTES - override_length(src, at)
        end = mutate_members(tables, rng, node, src, start, out, end, limit, 0)
        return seal_call(src, at, out, pos, end)
    end = copy_call(src, at, out, pos)
    if choice == 0:
        set_call_sender(out, pos, draw_sender(tables, rng))
    elif choice == 1:
        generate_delays(tables, rng, out, pos)
    else:
        set_call_value(out, pos, generate_wei(tables, rng))
    return end


def mutate_override(
    tables: FuzzTables, rng: Words, src: Bytes, at: u64, out: Bytes, pos: u64
) -> u64:
    """Copy the record at `at` to `pos` with another override; return its end.

    Half of the time, if it has one, an argument of that is changed.
    """
    place = at + plain_length(src, at)
    end = copy_range(src, at, place, out, pos)
    set_call_length(out, pos, end - pos, 0)
    if override_length(src, at) == 0 or below(rng, 2) == 0:
        return append_override(tables, rng, out, pos, end)
    entry = call_function(src, place) * FUNCTION_WORDS
    node = tables.functions[entry + FUNCTION_NODE]
    start = place + CALL_HEADER
    stop = copy_range(src, place, start, out, end)
    limit = pos + MAX_CALL_BYTES
    stop = mutate_members(tables, rng, node, src, start, out, stop, limit, 0)
    set_call_length(out, end, stop - end, 0)
    set_call_length(out, pos, stop - pos, stop - end)
    return stop


def fill_arguments(
    tables: FuzzTables,
    rng: Words,
    holes: u256,
    src: Bytes,
    at: u64,
    out: Bytes,
    pos: u64,
) -> u64:
    """Copy the record at `at` to `pos`, choosing open arguments; return its end.

    Args:
        holes: bit i is set if argument i was left open (`?`). What stands in its place
            on the tape must be canonical, best the smallest, and is not kept.
    """
    types = tables.types
    entry = call_function(src, at) * FUNCTION_WORDS
    node = tables.functions[entry + FUNCTION_NODE]
    start = at + CALL_HEADER
    end = copy_range(src, at, start, out, pos)
    rest = skip(types, node, src, start) - start
    child = node + NODE_WORDS
    for index in range(types[node + NODE_ARG]):
        after = skip(types, child, src, start)
        rest = rest - (after - start)
        if (holes >> index) & 1 != 0:
            limit = pos + MAX_CALL_BYTES - rest
            end = generate_value(tables, rng, child, out, end, limit, 0)
        else:
            end = copy_range(src, start, after, out, end)
        start = after
        child = types[child + NODE_NEXT]
    set_call_length(out, pos, end - pos, 0)
    return end
