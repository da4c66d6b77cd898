"""Tables, streams and sequences for tests of `echidna_mcp.fuzz`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from abi_strategies import parameters
from hypothesis import strategies as st

from echidna_mcp.abi.type_program import (
    KIND_ADDRESS,
    KIND_ARRAY,
    KIND_ARRAY_FIXED,
    KIND_BYTES,
    KIND_INT,
    KIND_STRING,
    KIND_TUPLE,
    KIND_UINT,
    NODE_ARG,
    NODE_KIND,
    NODE_NEXT,
    NODE_WORDS,
)
from echidna_mcp.abi.types import Tuple, compile_types, parse_parameters
from echidna_mcp.fuzz.kernels.loading import load_kernels
from echidna_mcp.fuzz.layout import CALL_HEADER, FUNCTION_NODE, FUNCTION_WORDS
from echidna_mcp.fuzz.records import (
    call_block_delay,
    call_function,
    call_length,
    call_sender,
    call_time_delay,
    call_value,
)
from echidna_mcp.fuzz.rng import PURPOSE_FUZZ, RNG_WORDS, derive
from echidna_mcp.fuzz.shrink_value import NO_MORE, UNCHANGED, sender_rank
from echidna_mcp.fuzz.tables import FuzzTables, make_tables
from echidna_mcp.fuzz.tape import length_at, skip
from echidna_mcp.kernel.language.memory import Bytes, Words, load256, words

SENDERS = (0x10000, 0x20000, 0x30000)
TARGET = 0x00A329C0648769A73AFAC7F9381E08FB43DBEA72
DICTIONARY = (
    0,
    1,
    7,
    255,
    1000,
    12345,
    10**18,
    (1 << 256) - 3,
    0xA9059CBB << 224,
    0x68656C6C6F << 216,
    TARGET,
)


def inputs_of(*names: str) -> Tuple:
    """Return elementary or array types as the parameters of a function."""
    return parse_parameters([{"type": name} for name in names])


def tables_of(
    *inputs: Tuple, flags: Sequence[int] | None = None, **settings: Any
) -> FuzzTables:
    """Return tables with one function for each parameter list."""
    program, nodes = compile_types(inputs)
    rows = [
        word
        for index, node in enumerate(nodes)
        for word in (node, flags[index] if flags else 0, 0xA0000000 + index)
    ]
    defaults: dict[str, Any] = {
        "senders": SENDERS,
        "dictionary": DICTIONARY,
        "addresses": (0, TARGET, *SENDERS),
    }
    return make_tables(types=program, functions=words(rows), **{**defaults, **settings})


def stream(seed: int, worker: int = 0) -> Words:
    """Return a fresh random stream."""
    rng = words([0] * RNG_WORDS)
    derive(rng, seed, 0, worker, PURPOSE_FUZZ)
    return rng


def node_of(tables: FuzzTables, function: int = 0) -> int:
    """Return the type node of the parameters of a function."""
    return tables.functions[function * FUNCTION_WORDS + FUNCTION_NODE]


def calls_in(sequence: Bytes, end: int) -> Iterator[int]:
    """Yield where each record of a sequence begins."""
    at = 0
    while at < end:
        yield at
        at += call_length(sequence, at)
    assert at == end


def interfaces() -> st.SearchStrategy[list[Tuple]]:
    """Parameter lists of one to three functions."""
    return st.lists(parameters(), min_size=1, max_size=3)


def leaf_measure(tables: FuzzTables, node: int, word: int) -> int:
    """Return how far a word is from the simplest one of its type."""
    match tables.types[node + NODE_KIND]:
        case k if k == KIND_UINT:
            return word
        case k if k == KIND_INT:
            return 2 * ((1 << 256) - word) + 1 if word >> 255 else 2 * word
        case k if k == KIND_ADDRESS:
            return 0 if word == 0 else 1 + sender_rank(tables, word)
        case _:
            return sum(byte != 0 for byte in word.to_bytes(32, "big"))


def value_measure(
    tables: FuzzTables, node: int, tape: Bytes, at: int
) -> tuple[int, int]:
    """Return (lengths of all bytes, distance of all leaves) of a value."""
    types = tables.types
    kind = types[node + NODE_KIND]
    if kind < KIND_BYTES:
        return 0, leaf_measure(tables, node, load256(tape, at))
    if kind in (KIND_BYTES, KIND_STRING):
        size = length_at(tape, at)
        data = tape[at + 32 : at + 32 + size]
        return size, sum(byte != 0 for byte in data)
    count = types[node + NODE_ARG]
    if kind == KIND_ARRAY:
        count, at = length_at(tape, at), at + 32
    child, lengths, leaves = node + NODE_WORDS, 0, 0
    for _ in range(count):
        more = value_measure(tables, child, tape, at)
        lengths, leaves = lengths + more[0], leaves + more[1]
        at = skip(types, child, tape, at)
        if kind == KIND_TUPLE:
            child = types[child + NODE_NEXT]
    assert kind in (KIND_ARRAY, KIND_ARRAY_FIXED, KIND_TUPLE)
    return lengths, leaves


def sequence_measure(
    tables: FuzzTables, sequence: Bytes, end: int
) -> tuple[int, int, int, int]:
    """Return the order in which shrinking descends, as documented there."""
    count = lengths = leaves = 0
    for at in calls_in(sequence, end):
        node = node_of(tables, call_function(sequence, at))
        more = value_measure(tables, node, sequence, at + CALL_HEADER)
        count, lengths, leaves = count + 1, lengths + more[0], leaves + more[1]
        leaves += call_time_delay(sequence, at) + call_block_delay(sequence, at)
        leaves += call_value(sequence, at)
        leaves += sender_rank(tables, call_sender(sequence, at))
    return count, end, lengths, leaves


def shrink(
    tables: FuzzTables, sequence: bytes, fails: Callable[[Bytes, int], bool]
) -> tuple[Bytes, int]:
    """Shrink as a campaign does; return the result and the attempts it took."""
    # Thousands of candidates are numbered, and plain Python would count them all.
    shrink_candidate = load_kernels().shrink_candidate
    best, out = bytearray(sequence), bytearray(2 * len(sequence) + 64)
    cursor = attempts = 0
    improved = False
    while True:
        end = shrink_candidate(tables, best, len(best), cursor, out)
        if end == NO_MORE:
            if not improved:
                return best, attempts
            cursor, improved = 0, False
        elif end == UNCHANGED:
            cursor += 1
        else:
            attempts += 1
            if fails(out, end):
                best, improved = out[:end], True
            else:
                cursor += 1
