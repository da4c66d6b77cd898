"""Climbing: which variant of a call runs next, and whether it is kept.

The *target* is a comparison, the last one first, whose other outcome the task has not
seen. What might give it that outcome is tried, place by place:

* *Answers*: an operand stands in the call as it is, so the other one takes its place
  (input-to-state correspondence, Redqueen, 2019).
* *Feeling*: a number becomes a little greater or less; the operands tell what depends
  on it, and how much (the slope; grey-box concolic testing, Eclipser, 2019).
* *Solving*: how far it must go, if what depends on it is linear modulo a power of two,
  or as good as linear.
* *Descending*: powers of two are added or taken away, the greatest first, while the
  operands come nearer to each other: what is monotone ends at the nearest number.
* *Flipping*: bits change while more bits of the operands are equal: masks, rotations.

A variant must make the target at all: the conditions that lead to it hold then. What
comes nearer takes the place of the base. When nothing helps the next target is tried.
"""

from __future__ import annotations

from echidna_mcp.evm.backend import ComparisonKind
from echidna_mcp.fuzz.climbing.comparisons import (
    COMPARISON_ROW,
    copy_log,
    distance,
    find,
    holds,
    kind_at,
    left_at,
    mark_at,
    missing,
    ones,
    outcome_at,
    right_at,
)
from echidna_mcp.fuzz.climbing.making import make_variant
from echidna_mcp.fuzz.climbing.places import (
    ADDRESS,
    BYTE,
    FIXED,
    LENGTH,
    PLACE_BITS,
    PLACE_CALL,
    PLACE_SHIFT,
    PLACE_SORT,
    PLACE_WORDS,
    SENDER,
    list_places,
    read_place,
)
from echidna_mcp.fuzz.climbing.sites import (
    give_up,
    is_open,
    is_promising,
    is_sought,
    see_all,
)
from echidna_mcp.fuzz.climbing.state import CREDIT, MOST_SPENT, WINDOW, Climb
from echidna_mcp.fuzz.climbing.steps import (
    SIGN,
    WIDTHS,
    can_solve,
    free_bits,
    secant,
    solve,
    width_of,
)
from echidna_mcp.fuzz.integers import least
from echidna_mcp.fuzz.ladders.chunks import bit_length
from echidna_mcp.fuzz.layout import FUNCTION_SELECTOR, FUNCTION_WORDS
from echidna_mcp.fuzz.leaf import MASK160
from echidna_mcp.fuzz.records import (
    call_function,
    call_length,
    copy_range,
    count_calls,
)
from echidna_mcp.fuzz.rng import below
from echidna_mcp.fuzz.sequence import GROUP_CALLS, GROUP_ENTRY
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.kernel.language.memory import (
    Bytes,
    Words,
    copy,
    load256,
    u64,
    u256,
    wrap64,
    wrap256,
)

CLIMBING_SEQUENCES = 8
"""One sequence in so many is climbed."""
CHOOSE = 0
ANSWER = 1
FEEL = 2
SOLVE = 3
DESCEND = 4
FLIP = 5

ANSWERS = 6
"""Numbers that may answer a comparison at a place: three next to either operand."""
FEEL_DOWN = 1
"""Step of feeling in which a number becomes less."""
FAR_STEPS = 5
"""Steps of feeling far off that are powers of two; known words follow."""
MOST_STRIDES = 96
MOST_SENDERS = 8
SOLUTIONS = 2 * WIDTHS
SECANTS = 3
MOST_IDLE = 40
MOST_PASSES = 3


def choose_climb(tables: FuzzTables, rng: Words, sequence: Bytes, end: u64) -> u64:
    """Choose from which call on a sequence is climbed that was just built.

    Behind calls of the corpus it begins at one of the last of these half of the time,
    as that is the call which was new when it was found, or leads to it; a quarter of
    the time right behind them; else anywhere.

    Returns:
        The number of its record, counted from 1; 0 for a sequence that just runs.
    """
    # What replaces calls is told by who made them (`evm.backend.Override`).
    if tables.overriding != 0 or below(rng, CLIMBING_SEQUENCES) != 0:
        return 0
    calls = count_calls(sequence, 0, end)
    known = tables.group[GROUP_CALLS]
    choice = below(rng, 4)
    if tables.group[GROUP_ENTRY] != 0 and known < calls and choice != 0:
        if choice == 1:
            return 1 + known
        return known - below(rng, least(known, WINDOW))
    return 1 + below(rng, calls)


def begin_sequence_of_climbs(c: Climb) -> None:
    """Begin to climb the calls of a sequence."""
    c.spent = 0
    c.failed = 0


def look(c: Climb, log: Bytes, count: u64) -> None:
    """Take note of the outcomes of what a call has compared that is not climbed."""
    see_all(c.sites, c.heard, copy_log(log, count, c.heard))


def begin_climb(
    c: Climb,
    window: Bytes,
    start: u64,
    end: u64,
    log: Bytes,
    count: u64,
) -> None:
    """Begin to climb the last call of a window, which has run.

    Args:
        c: the record.
        window: holds the calls of the window, from `start` to `end`.
        start: a byte offset.
        end: its end.
        log: the comparison log of the last call.
        count: how many comparisons it made.
    """
    copy_range(window, start, end, c.base, 0)
    calls = wrap64(0)
    at = wrap64(0)
    while at < end - start:
        c.base_starts[calls] = at
        at = at + call_length(c.base, at)
        calls = calls + 1
    c.base_starts[calls] = at
    c.calls = calls
    c.first = calls
    c.row_count = copy_log(log, count, c.rows)
    c.compared = count
    see_all(c.sites, c.rows, c.row_count)
    begin_targets(c)
    # They are listed when there is a target: most calls have none.
    c.place_count = 0


def begin_targets(c: Climb) -> None:
    """Begin with the last comparison of the base."""
    c.next = c.row_count
    c.deep = 0
    c.phase = CHOOSE


def next_variant(tables: FuzzTables, c: Climb) -> u64:
    """Make the next variant, which begins with the call `c.first` of the window.

    Returns:
        1; or 0 if there is none: then the base is what is kept.
    """
    while c.spent < MOST_SPENT:
        if c.phase == CHOOSE:
            if choose_target(tables, c) == 0:
                return 0
        elif c.place == c.place_count:
            end_of_places(c)
        else:
            c.row = c.place * PLACE_WORDS
            if propose(tables, c) != 0:
                c.spent = c.spent + 1
                return 1
    return 0


def choose_target(tables: FuzzTables, c: Climb) -> u64:
    """Make the last comparison that is sought the target; return 0 if there is none.

    First all are answered, which costs little; then places are felt for each.
    """
    while c.next != 0 or c.deep == 0:
        if c.next == 0:
            c.deep = 1
            c.next = c.row_count
        else:
            c.next = c.next - 1
            if is_target(tables, c) != 0:
                take_target(tables, c)
                return 1
    return 0


def is_target(tables: FuzzTables, c: Climb) -> u64:
    """Return 1 if the other outcome of comparison `c.next` shall be sought."""
    row = c.next * COMPARISON_ROW
    last = c.base_starts[c.calls - 1]
    entry = call_function(c.base, last) * FUNCTION_WORDS
    selector = wrap256(tables.functions[entry + FUNCTION_SELECTOR])
    # Nothing in a call decides which function it is for.
    if left_at(c.rows, row) == selector or right_at(c.rows, row) == selector:
        return 0
    if c.deep == 0:
        return is_open(c.sites, mark_at(c.rows, row))
    if c.failed >= CREDIT:
        return 0
    return is_sought(c.sites, mark_at(c.rows, row))


def take_target(tables: FuzzTables, c: Climb) -> None:
    """Make comparison `c.next` the target."""
    row = c.next * COMPARISON_ROW
    c.mark = mark_at(c.rows, row)
    c.kind = kind_at(c.rows, row)
    c.left = left_at(c.rows, row)
    c.right = right_at(c.rows, row)
    c.wanted = 1 - outcome_at(c.rows, row)
    c.number = 0
    for before in range(c.next):
        if mark_at(c.rows, before * COMPARISON_ROW) == c.mark:
            c.number = c.number + 1
    if c.place_count == 0:
        list_all(tables, c)
    c.phase = ANSWER
    if c.deep != 0:
        c.phase = FEEL
    c.place = 0
    c.step = 0
    c.gained = 0
    c.passes = 0
    c.far = 0


def list_all(tables: FuzzTables, c: Climb) -> None:
    """List the places of the base: those of the last call first."""
    count = wrap64(0)
    for back in range(c.calls):
        call = c.calls - 1 - back
        at = c.base_starts[call]
        count = list_places(tables, c.base, at, call, c.places, count)
    c.place_count = count


def end_of_places(c: Climb) -> None:
    """Go on when all places were gone through: once more, or to another target."""
    c.place = 0
    c.step = 0
    if c.phase == ANSWER:
        c.phase = CHOOSE
    elif c.gained != 0 and c.passes < MOST_PASSES:
        c.gained = 0
        c.passes = c.passes + 1
        c.far = 0
    elif c.far == 0:
        c.far = 1
    else:
        give_up(c.sites, c.mark)
        c.failed = c.failed + 1
        c.phase = CHOOSE


def next_place(c: Climb) -> None:
    """Go on to the next place."""
    c.place = c.place + 1
    c.step = 0
    if c.phase != ANSWER:
        c.phase = FEEL


def propose(tables: FuzzTables, c: Climb) -> u64:
    """Make the variant of the present step if there is one, else go on to another."""
    if c.phase == ANSWER:
        return propose_answer(tables, c)
    if c.phase == FEEL:
        return propose_feeling(tables, c)
    if c.phase == SOLVE:
        return propose_solution(tables, c)
    if c.phase == DESCEND:
        return propose_descent(tables, c)
    return propose_flip(tables, c)


def present(c: Climb) -> u256:
    """Return the number at the present place of the base."""
    at = c.base_starts[c.places[c.row + PLACE_CALL]]
    return read_place(c.places, c.row, c.base, at)


def propose_answer(tables: FuzzTables, c: Climb) -> u64:
    """Put what is next to an operand where the other one stands."""
    if c.step == ANSWERS:
        next_place(c)
        return 0
    step = c.step
    c.step = step + 1
    variation = step % 3
    found = c.left
    answer = c.right
    if step >= 3:
        found = c.right
        answer = c.left
    if variation == 1:
        answer = wrap256(answer + 1)
    elif variation == 2:
        answer = wrap256(answer - 1)
    if c.kind == ComparisonKind.EQUAL and variation != 0:
        return 0
    number = present(c)
    sort = c.places[c.row + PLACE_SORT]
    if number == found:
        if sort == SENDER and is_sender(tables, answer) == 0:
            return 0
        return make_variant(tables, c, answer)
    shift = c.places[c.row + PLACE_SHIFT]
    if sort == FIXED and number << shift == found:
        return make_variant(tables, c, answer >> shift)
    return 0


def is_sender(tables: FuzzTables, address: u256) -> u64:
    """Return 1 if a known sender has this address, else 0."""
    for index in range(tables.sender_count):
        if load256(tables.senders, index * 32) == address:
            return 1
    return 0


def propose_feeling(tables: FuzzTables, c: Climb) -> u64:
    """Change the number at the present place, a little or, later, by far."""
    sort = c.places[c.row + PLACE_SORT]
    if sort == ADDRESS or sort == SENDER:
        return propose_sender(tables, c)
    if c.far != 0:
        return propose_far(tables, c, sort)
    c.stride = 1
    if c.step != 0:
        c.stride = wrap256(0 - wrap256(1))
    if make_variant(tables, c, wrap256(present(c) + c.stride)) != 0:
        return 1
    c.step = c.step + 1
    if c.step > FEEL_DOWN:
        next_place(c)
    return 0


def propose_sender(tables: FuzzTables, c: Climb) -> u64:
    """Put another sender at the present place."""
    if c.far != 0 or c.step >= least(tables.sender_count, MOST_SENDERS):
        next_place(c)
        return 0
    if make_variant(tables, c, load256(tables.senders, c.step * 32) & MASK160) != 0:
        return 1
    c.step = c.step + 1
    return 0


def propose_far(tables: FuzzTables, c: Climb, sort: u64) -> u64:
    """Change the number by 2^8, 2^24, 2^56, 2^120, 2^248, or by known words."""
    bits = c.places[c.row + PLACE_BITS]
    if sort == BYTE or sort == LENGTH:
        next_place(c)
        return 0
    if c.step < FAR_STEPS:
        power = (wrap64(16) << c.step) - 8
        if power >= bits:
            next_place(c)
            return 0
        c.stride = wrap256(1) << power
    else:
        index = c.step - FAR_STEPS
        if index >= least(tables.dictionary_count, MOST_STRIDES):
            next_place(c)
            return 0
        c.stride = load256(tables.dictionary, index * 32)
        if c.stride < 2 or bit_length(c.stride) >= bits:
            c.step = c.step + 1
            return 0
    if make_variant(tables, c, wrap256(present(c) + c.stride)) != 0:
        return 1
    c.step = c.step + 1
    return 0


def propose_solution(tables: FuzzTables, c: Climb) -> u64:
    """Go as far as the slope says."""
    step = c.step
    c.step = step + 1
    aim = missing(c.kind, c.wanted)
    far = wrap256(aim - wrap256(c.left - c.right))
    if step < SOLUTIONS:
        width = width_of(step >> 1)
        if bit_length(c.left | c.right) > width:
            return 0
        if can_solve(c.slope, far, width) == 0:
            return 0
        times = solve(c.slope, far, width)
        if step & 1 != 0:
            free = free_bits(c.slope, width)
            if free == 256:
                return 0
            times = wrap256(times - (wrap256(1) << free))
        return make_variant(tables, c, wrap256(present(c) + wrap256(times * c.stride)))
    if step < SOLUTIONS + SECANTS:
        times = secant(c.slope, far)
        if step == SOLUTIONS + 1:
            times = wrap256(times + 1)
        elif step == SOLUTIONS + 2:
            times = wrap256(times - 1)
        return make_variant(tables, c, wrap256(present(c) + wrap256(times * c.stride)))
    sort = c.places[c.row + PLACE_SORT]
    if sort == BYTE or sort == LENGTH:
        next_place(c)
        return 0
    begin_descent(c)
    return 0


def begin_descent(c: Climb) -> None:
    """Begin to descend at the present place."""
    c.phase = DESCEND
    c.step = 0
    c.idle = 0
    c.rising = 1


def top_of_descent(c: Climb) -> u64:
    """Return the greatest power of two by which the number is changed."""
    slope = c.slope
    if slope >= SIGN:
        slope = wrap256(0 - slope)
    stride = c.stride
    if stride >= SIGN:
        stride = wrap256(0 - stride)
    top = bit_length(stride)
    rise = bit_length(distance(c.kind, c.left, c.right)) + 1
    fall = bit_length(slope)
    if rise > fall:
        top = top + rise - fall
    return least(top, c.places[c.row + PLACE_BITS] - 1)


def propose_descent(tables: FuzzTables, c: Climb) -> u64:
    """Add a power of two, or take it away."""
    if c.step == 0:
        # Two steps a power; the first is counted from 1.
        c.step = 1 + 2 * (c.places[c.row + PLACE_BITS] - 1 - top_of_descent(c))
    power = (c.step - 1) >> 1
    bits = c.places[c.row + PLACE_BITS]
    if power >= bits or c.idle >= MOST_IDLE:
        c.phase = FLIP
        c.step = 0
        return 0
    change = wrap256(1) << (bits - 1 - power)
    if c.step & 1 == 0:
        change = wrap256(0 - change)
    if make_variant(tables, c, wrap256(present(c) + change)) != 0:
        return 1
    c.step = c.step + 1
    return 0


def propose_flip(tables: FuzzTables, c: Climb) -> u64:
    """Change one bit."""
    if c.kind != ComparisonKind.EQUAL or c.wanted == 0:
        next_place(c)
        return 0
    if c.step >= c.places[c.row + PLACE_BITS]:
        next_place(c)
        return 0
    number = present(c) ^ (wrap256(1) << c.step)
    if make_variant(tables, c, number) != 0:
        return 1
    c.step = c.step + 1
    return 0


def judge_variant(tables: FuzzTables, c: Climb, log: Bytes, count: u64) -> u64:
    """Look at what the variant has compared, which has run; return 1 if it is kept.

    Args:
        tables: the tables.
        c: the record.
        log: the comparison log of its last call.
        count: how many comparisons that made; 0 if it was not made.
    """
    heard = copy_log(log, count, c.heard)
    see_all(c.sites, c.heard, heard)
    row = find(c.heard, heard, c.mark, c.number)
    reached = wrap64(0)
    left = wrap256(0)
    right = wrap256(0)
    if row != heard * COMPARISON_ROW:
        reached = 1
        left = left_at(c.heard, row)
        right = right_at(c.heard, row)
        if holds(c.kind, left, right) == c.wanted:
            return settle(tables, c, heard, count)
    if c.phase == ANSWER:
        return 0
    if c.phase == FEEL:
        feel(c, reached, left, right)
        return 0
    nearer = wrap64(0)
    if reached != 0:
        nearer = comes_nearer(c, left, right)
    if nearer == 0:
        if c.phase != SOLVE:  # That has gone on by itself.
            c.step = c.step + 1
            c.rising = 0
        c.idle = c.idle + 1
        return 0
    c.gained = 1
    c.idle = 0
    c.left = left
    c.right = right
    resized = wrap64(0)
    if c.places[c.row + PLACE_SORT] == LENGTH:
        resized = 1
    keep(tables, c, heard)
    c.compared = count
    if c.phase == FLIP:
        c.step = c.step + 1
    elif c.phase == DESCEND and c.rising != 0 and c.step > 2:
        c.step = c.step - 2
    elif c.phase == SOLVE and resized == 0 and c.places[c.row + PLACE_SORT] != BYTE:
        begin_descent(c)
    elif c.phase == SOLVE:
        c.phase = FEEL
        c.place = 0
        c.step = 0
    return 1


def settle(tables: FuzzTables, c: Climb, heard: u64, count: u64) -> u64:
    """Decide whether a variant with the wanted outcome is kept; return 1 if so.

    The other way at a comparison often ends the call: what stands behind it would be
    lost. But that it was there is known now.
    """
    c.phase = CHOOSE
    if count < c.compared and is_last(c) == 0:
        return 0
    keep(tables, c, heard)
    c.compared = count
    begin_targets(c)
    return 1


def is_last(c: Climb) -> u64:
    """Return 1 if no comparison behind the target is one worth seeking, else 0."""
    for number in range(c.next + 1, c.row_count):
        if is_promising(c.sites, mark_at(c.rows, number * COMPARISON_ROW)) != 0:
            return 0
    return 1


def comes_nearer(c: Climb, left: u256, right: u256) -> u64:
    """Return 1 if the target's operands are nearer to what is wanted, else 0."""
    if c.phase == FLIP:
        if ones(left ^ right) < ones(c.left ^ c.right):
            return 1
        return 0
    if distance(c.kind, left, right) < distance(c.kind, c.left, c.right):
        return 1
    return 0


def feel(c: Climb, reached: u64, left: u256, right: u256) -> None:
    """Go on after a change by the stride, which did not solve the target."""
    sort = c.places[c.row + PLACE_SORT]
    step = c.step
    c.step = step + 1
    if sort == ADDRESS or sort == SENDER:
        return
    if reached != 0:
        c.slope = wrap256(wrap256(left - right) - wrap256(c.left - c.right))
        if c.slope != 0:
            c.phase = SOLVE
            c.step = 0
            c.idle = 0
        elif c.far == 0 or step == FAR_STEPS - 1:
            next_place(c)
    elif c.far == 0 and step == FEEL_DOWN:
        next_place(c)
    elif c.far != 0 and step < FAR_STEPS:
        # Other conditions depend on it, too: perhaps they hold again some strides on.
        c.step = FAR_STEPS


def keep(tables: FuzzTables, c: Climb, heard: u64) -> None:
    """Make the variant the base."""
    start = c.base_starts[c.first]
    begin = c.variant_starts[c.first]
    end = c.variant_starts[c.calls]
    copy_range(c.variant, begin, end, c.base, start)
    for call in range(c.first, c.calls + 1):
        c.base_starts[call] = c.variant_starts[call] - begin + start
    c.first = c.calls
    copy(c.rows, 0, c.heard, 0, heard * COMPARISON_ROW)
    c.row_count = heard
    if c.places[c.row + PLACE_SORT] == LENGTH:
        # What follows has other places now.
        list_all(tables, c)
