"""Echoes and keys: fresh calls with arguments of a call before.

What was queued is executed with the same arguments, what was committed is revealed with
them, and often the two meet in a hash alone: no comparison tells which they were.

Two texts that are hashed together are what others are together, too: `("ab", "c")` and
`("a", "bc")` (SWC-133). So the boundary between copied ones is *shifted* at times.

And what one call stores for a user, a market, a token another one finds only for the
same: such *keys* recur more often, without the amounts.
"""

from __future__ import annotations

from echidna_mcp.abi.type_program import (
    KIND_ADDRESS,
    KIND_BOOL,
    KIND_BYTES,
    KIND_BYTES_FIXED,
    KIND_STRING,
    KIND_UINT,
    NODE_ARG,
    NODE_KIND,
    NODE_NEXT,
    NODE_WORDS,
)
from echidna_mcp.fuzz.generate import generate_call
from echidna_mcp.fuzz.integers import least
from echidna_mcp.fuzz.layout import CALL_HEADER, MAX_CALL_BYTES
from echidna_mcp.fuzz.records import (
    call_length,
    call_sender,
    copy_call,
    copy_range,
    override_length,
    plain_length,
    seal_call,
    set_call_sender,
)
from echidna_mcp.fuzz.rename import argument_node
from echidna_mcp.fuzz.rng import below, next64, pick_later
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.fuzz.tape import length_at, padded, seal_bytes, skip
from echidna_mcp.kernel.language.memory import (
    MASK64,
    Bytes,
    Words,
    copy,
    load256,
    u64,
    wrap64,
)

ECHOES = 8
"""One fresh call in so many looks back at a call before."""
KEYED = 3
"""So many of `ECHOES` others take its keys alone."""
KEY_BITS = 32
"""Longer numbers are amounts."""
WHOLE_BITS = 256
CANDIDATES = 3
"""Calls of which one is looked back at."""
ALL = MASK64
"""Instead of the number of a parameter: each of them."""
KEYS = MASK64 - 1
"""Each of those that are keys."""
WIDE_KEYS = MASK64 - 2
"""Those, and numbers of other widths that are keys in one of both calls."""
WIDENED = 4
"""One time in so many keys are wide: what is a key to one call may be an amount to the
other, and few amounts should be as small as that."""
SHIFTS = 4
"""One echo of all arguments in so many has a shifted boundary."""
MOST_SHIFTED = 4
"""By so many bytes at most."""


def generate_next(
    tables: FuzzTables, rng: Words, function: u64, known: u64, out: Bytes, pos: u64
) -> u64:
    """Write a fresh call at `pos`, behind the `known` ones; return its end.

    Args:
        tables: their first `starts` are those of the calls before.
        rng: the stream.
        function: which one is called.
        known: how many calls there are before.
        out: the sequence.
        pos: where it ends.
    """
    end = generate_call(tables, rng, function, out, pos)
    if tables.echoes == 0 or known == 0:
        return end
    chosen = wrap64(ALL)
    if below(rng, ECHOES) != 0:
        if tables.keys == 0 or below(rng, ECHOES) >= KEYED:
            return end
        chosen = wrap64(KEYS)
        if tables.widths != 0 and below(rng, WIDENED) == 0:
            chosen = wrap64(WIDE_KEYS)
    earlier = likeliest(tables, rng, known, out, pos)
    if earlier == pos:
        return end
    if chosen == ALL:
        return echo(tables, rng, earlier, out, pos)
    return echo_keys(tables, earlier, chosen, out, pos)


def likeliest(tables: FuzzTables, rng: Words, known: u64, out: Bytes, pos: u64) -> u64:
    """Return where a call before the one at `pos` begins which that may be about.

    Of `CANDIDATES` it has the most parameters that match; the nearer a call is, the
    likelier it is one of them. If none has any it is `pos`. Args as above.
    """
    mine = argument_node(tables, out, pos)
    chosen = pos
    most = 0
    for _ in range(CANDIDATES):
        other = tables.starts[pick_later(rng, known)]
        matches = count_matches(tables, mine, argument_node(tables, out, other))
        if matches > most:
            chosen = other
            most = matches
    return chosen


def echo(tables: FuzzTables, rng: Words, earlier: u64, out: Bytes, pos: u64) -> u64:
    """Copy arguments of the call at `earlier` to the one at `pos`; return its end.

    Parameters match (`find_match`) that come in the same order. Half of the time
    all of these are copied, else one; and half of the time the sender is, too. What
    would be too long stays as it is.

    Args:
        tables: the tables.
        rng: the stream.
        earlier: where a call of the sequence begins, before `pos`, that has parameters
            which match.
        out: the sequence.
        pos: where its last call begins.
    """
    mine = argument_node(tables, out, pos)
    theirs = argument_node(tables, out, earlier)
    count = count_matches(tables, mine, theirs)
    chosen = ALL
    if next64(rng) & 1 != 0:
        chosen = below(rng, count)
    if next64(rng) & 1 != 0:
        set_call_sender(out, pos, call_sender(out, earlier))
    end = copy_matches(tables, mine, theirs, earlier, chosen, out, pos)
    if tables.shifts != 0 and chosen == ALL:
        return shift(tables, rng, mine, out, pos, end)
    return end


def shift(
    tables: FuzzTables, rng: Words, mine: u64, out: Bytes, pos: u64, end: u64
) -> u64:
    """Shift a boundary in the call at `pos`, at times; return its end.

    Args:
        tables: the tables.
        rng: the stream; nothing is drawn where there is no boundary.
        mine: the node of its parameters.
        out: the sequence.
        pos: where its last call begins.
        end: where that ends.
    """
    types = tables.types
    boundaries = count_boundaries(types, mine)
    if boundaries == 0 or below(rng, SHIFTS) != 0:
        return end
    left = below(rng, boundaries)
    moved = below(rng, MOST_SHIFTED) + 1
    forward = next64(rng) & 1
    node = mine + NODE_WORDS
    at = pos + CALL_HEADER
    while left != 0 or is_boundary(types, node) == 0:
        left = left - is_boundary(types, node)
        at = skip(types, node, out, at)
        node = types[node + NODE_NEXT]
    first = length_at(out, at)
    second = length_at(out, at + 32 + padded(first))
    if forward != 0 and moved <= second:
        return divide(tables, out, pos, at, first + moved)
    if forward == 0 and moved <= first:
        return divide(tables, out, pos, at, first - moved)
    return end


def divide(tables: FuzzTables, out: Bytes, pos: u64, at: u64, first: u64) -> u64:
    """Divide two texts anew, the first of which is at `at`; return the call's end.

    What would be too long stays as it is.

    Args:
        tables: the tables.
        out: the sequence.
        pos: where its last call begins.
        at: where the first text does.
        first: the size that it gets; the second one has the rest.
    """
    fresh = tables.scratch
    copy_call(out, pos, fresh, 0)
    place = at - pos
    was = length_at(fresh, place)
    other = place + 32 + padded(was)
    size = was + length_at(fresh, other)
    behind = other + 32 + padded(size - was)
    length = plain_length(fresh, 0)
    wanted = place + 64 + padded(first) + padded(size - first) + length - behind
    if wanted + override_length(fresh, 0) > MAX_CALL_BYTES:
        return pos + call_length(fresh, 0)
    kept = least(first, was)
    taken = first - kept
    end = copy_range(fresh, place + 32, place + 32 + kept, out, at + 32)
    copy(out, end, fresh, other + 32, taken)
    start = seal_bytes(out, at, first) + 32
    end = copy_range(fresh, place + 32 + kept, place + 32 + was, out, start)
    copy(out, end, fresh, other + 32 + taken, size - was - taken)
    end = seal_bytes(out, start - 32, size - first)
    end = copy_range(fresh, behind, length, out, end)
    return seal_call(fresh, 0, out, pos, end)


def count_boundaries(types: Words, mine: u64) -> u64:
    """Return how many parameters of `mine` are texts that have a like one behind."""
    count = 0
    node = mine + NODE_WORDS
    for _ in range(types[mine + NODE_ARG]):
        if types[node + NODE_NEXT] < types[mine + NODE_NEXT]:
            count = count + is_boundary(types, node)
        node = types[node + NODE_NEXT]
    return count


def is_boundary(types: Words, node: u64) -> u64:
    """Return 1 if the type at a node and the next one are both `bytes`, or `string`."""
    kind = types[node + NODE_KIND]
    if kind != KIND_BYTES and kind != KIND_STRING:
        return 0
    if types[types[node + NODE_NEXT] + NODE_KIND] == kind:
        return 1
    return 0


def echo_keys(
    tables: FuzzTables, earlier: u64, chosen: u64, out: Bytes, pos: u64
) -> u64:
    """Copy keys of the call at `earlier` to the one at `pos`; return its end.

    Parameters match as they do in `echo`; `chosen` is `KEYS` or `WIDE_KEYS`.
    """
    mine = argument_node(tables, out, pos)
    theirs = argument_node(tables, out, earlier)
    return copy_matches(tables, mine, theirs, earlier, chosen, out, pos)


def is_key(types: Words, node: u64) -> u64:
    """Return 1 if arguments for the type at a node tell things apart, else 0."""
    kind = types[node + NODE_KIND]
    if kind == KIND_UINT:
        if types[node + NODE_ARG] <= KEY_BITS:
            return 1
        return 0
    if kind == KIND_ADDRESS or kind == KIND_BOOL or kind == KIND_BYTES_FIXED:
        return 1
    return 0


def is_chosen(types: Words, node: u64, match: u64, chosen: u64, number: u64) -> u64:
    """Return 1 if match `number`, of the types at both nodes, is to be copied."""
    if chosen == ALL or chosen == number:
        return 1
    if chosen == WIDE_KEYS and is_key(types, node) + is_key(types, match) != 0:
        return 1
    if chosen == KEYS and same_type(types, node, match) != 0:
        return is_key(types, node)
    return 0


def can_hold(types: Words, node: u64, match: u64, out: Bytes, at: u64) -> u64:
    """Return 1 if the value of the type at `match` is one of that at `node`, too."""
    bits = types[node + NODE_ARG]
    if types[node + NODE_KIND] != KIND_UINT or types[match + NODE_ARG] <= bits:
        return 1
    if load256(out, at) >> bits == 0:
        return 1
    return 0


def same_type(types: Words, one: u64, other: u64) -> u64:
    """Return 1 if the types at both nodes are equal, else 0."""
    size = types[one + NODE_NEXT] - one
    if types[other + NODE_NEXT] - other != size:
        return 0
    at = wrap64(0)
    while at < size:
        if types[one + at + NODE_KIND] != types[other + at + NODE_KIND]:
            return 0
        if types[one + at + NODE_ARG] != types[other + at + NODE_ARG]:
            return 0
        at = at + NODE_WORDS
    return 1


def find_match(tables: FuzzTables, node: u64, first: u64, stop: u64) -> u64:
    """Return the first of the parameters from `first` on with the type of `node`.

    If there is none, and numbers of other widths match, it is the first `uint256` for a
    `uintN`, and the first `uintN` for a `uint256`.

    Returns:
        Its node; `stop`, where the parameters end, if there is none.
    """
    types = tables.types
    kind = types[node + NODE_KIND]
    wider = stop
    at = first
    while at < stop:
        # Most are not even of the same kind.
        if kind == types[at + NODE_KIND]:
            if same_type(types, node, at) != 0:
                return at
            if wider == stop and is_other_width(tables, node, at) != 0:
                wider = at
        at = types[at + NODE_NEXT]
    return wider


def is_other_width(tables: FuzzTables, one: u64, other: u64) -> u64:
    """Return 1 if two types of a kind are `uint256` and another width, and match."""
    types = tables.types
    if tables.widths == 0 or types[one + NODE_KIND] != KIND_UINT:
        return 0
    # Of two that are narrower each has a reason for its width.
    if types[one + NODE_ARG] == WHOLE_BITS or types[other + NODE_ARG] == WHOLE_BITS:
        return 1
    return 0


def count_matches(tables: FuzzTables, mine: u64, theirs: u64) -> u64:
    """Return how many of the parameters of `mine` find one of `theirs`, in order."""
    types = tables.types
    count = 0
    node = mine + NODE_WORDS
    first = theirs + NODE_WORDS
    stop = types[theirs + NODE_NEXT]
    for _ in range(types[mine + NODE_ARG]):
        match = find_match(tables, node, first, stop)
        if match != stop:
            count = count + 1
            first = types[match + NODE_NEXT]
        node = types[node + NODE_NEXT]
    return count


def copy_matches(
    tables: FuzzTables,
    mine: u64,
    theirs: u64,
    earlier: u64,
    chosen: u64,
    out: Bytes,
    pos: u64,
) -> u64:
    """Copy matching arguments of the call at `earlier` to the one at `pos`.

    Args:
        tables: the tables.
        mine: the node of its parameters.
        theirs: the node of the parameters of the call at `earlier`.
        earlier: where that begins.
        chosen: which of the matching parameters is copied, or `ALL`, or `KEYS`, or
            `WIDE_KEYS`.
        out: the sequence.
        pos: where the call begins.

    Returns:
        Its end.
    """
    types = tables.types
    fresh = tables.scratch
    copy_call(out, pos, fresh, 0)
    limit = pos + MAX_CALL_BYTES - override_length(fresh, 0)
    stop = types[theirs + NODE_NEXT]
    first = theirs + NODE_WORDS
    start = earlier + CALL_HEADER
    node = mine + NODE_WORDS
    at = CALL_HEADER
    end = pos + CALL_HEADER
    number = 0
    for _ in range(types[mine + NODE_ARG]):
        after = skip(types, node, fresh, at)
        copied = 0
        match = find_match(tables, node, first, stop)
        if match != stop:
            while first != match:
                start = skip(types, first, out, start)
                first = types[first + NODE_NEXT]
            behind = skip(types, match, out, start)
            # What follows has to fit as well.
            room = limit - end - (plain_length(fresh, 0) - after)
            wanted = is_chosen(types, node, match, chosen, number)
            fits = can_hold(types, node, match, out, start)
            if wanted != 0 and fits != 0 and behind - start <= room:
                end = copy_range(out, start, behind, out, end)
                copied = 1
            number = number + 1
            start = behind
            first = types[match + NODE_NEXT]
        if copied == 0:
            end = copy_range(fresh, at, after, out, end)
        at = after
        node = types[node + NODE_NEXT]
    return seal_call(fresh, 0, out, pos, end)
