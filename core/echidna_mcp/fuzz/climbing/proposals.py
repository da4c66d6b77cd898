"""Proposals: what is tried for a target, step by step, place by place."""

from __future__ import annotations

from echidna_mcp.evm.backend import ComparisonKind
from echidna_mcp.fuzz.climbing.comparisons import SIGN, distance, missing
from echidna_mcp.fuzz.climbing.fields import (
    FIELD_POWERS,
    field_power,
    is_packed,
    with_field,
)
from echidna_mcp.fuzz.climbing.fitting import fitting_answer
from echidna_mcp.fuzz.climbing.limits import limit_aim
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
    SENDER,
    ordered,
    read_place,
)
from echidna_mcp.fuzz.climbing.state import (
    ANSWER,
    BISECT,
    DESCEND,
    FEEL,
    FLIP,
    SOLVE,
    Climb,
)
from echidna_mcp.fuzz.climbing.steps import (
    WIDTHS,
    can_solve,
    free_bits,
    secant,
    solve,
    width_of,
)
from echidna_mcp.fuzz.integers import least
from echidna_mcp.fuzz.ladders.chunks import bit_length
from echidna_mcp.fuzz.leaf import MASK160
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.kernel.language.memory import load256, u64, u256, wrap64, wrap256

ANSWERS = 6
"""Numbers that may answer a comparison at a place: three next to either operand."""
FEEL_DOWN = 1
"""Step of feeling in which a number becomes less."""
POWERS = 5
"""Steps of feeling far off that add a power of two."""
FAR_STEPS = POWERS + 4
"""Those that make the number a smaller power of two included; known words follow."""
MOST_STRIDES = 96
MOST_SENDERS = 8
SOLUTIONS = 2 * WIDTHS
SECANTS = 3
MOST_IDLE = 40


def next_place(c: Climb) -> None:
    """Go on to the next place."""
    c.place = c.place + 1
    c.step = 0
    if c.phase != ANSWER:
        c.phase = FEEL


def count_variant(c: Climb) -> u64:
    """Count a variant that is to run, as an answer or another one; return 1."""
    c.spent = c.spent + c.deep
    c.answered = c.answered + 1 - c.deep
    return 1


def is_spent(c: Climb) -> u64:
    """Return 1 if no more variants are left to feel with, else 0."""
    if c.deep != 0 and c.spent >= c.most:
        return 1
    return 0


def propose(tables: FuzzTables, c: Climb) -> u64:
    """Make the variant of the present step if there is one, else go on to another."""
    if c.phase == ANSWER:
        return propose_answer(tables, c)
    if c.phase == FEEL:
        return propose_feeling(tables, c)
    if c.phase == SOLVE:
        return propose_solution(tables, c)
    if c.phase == BISECT:
        return propose_middle(tables, c)
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
    is_left = wrap64(1)
    if step >= 3:
        found = c.right
        answer = c.left
        is_left = wrap64(0)
    if variation == 0 and c.fit != 0:
        answer = fitting_answer(c, answer, is_left)
    elif variation == 1:
        answer = wrap256(answer + 1)
    elif variation == 2:
        answer = wrap256(answer - 1)
    if c.kind == ComparisonKind.EQUAL and variation != 0:
        return 0
    return put_answer(tables, c, found, answer)


def put_answer(tables: FuzzTables, c: Climb, found: u256, answer: u256) -> u64:
    """Put `answer` at the present place if `found` stands there; return 1 if it did."""
    number = present(c)
    sort = c.places[c.row + PLACE_SORT]
    if number == found:
        if sort == SENDER and is_sender(tables, answer) == 0:
            return 0
        return make_variant(tables, c, answer)
    shift = c.places[c.row + PLACE_SHIFT]
    if sort == FIXED and number << shift == found:
        return make_variant(tables, c, answer >> shift)
    if is_packed(c) != 0:
        # A number without the field is no variant.
        return make_variant(tables, c, with_field(number, found, answer))
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
    """Change the number by 2^8, 2^24, 2^56, 2^120, 2^248, or by known words.

    Before these it becomes 2^8, 2^24, 2^56 or 2^120 if that is less: what depends on it
    may be the same for all that are greater, as a quotient by it is. Where something
    else depends on the number its fields are changed (`fields`); known words follow.
    """
    if sort == BYTE or sort == LENGTH:
        next_place(c)
        return 0
    if c.step == 0:
        c.strayed = 0
    c.stride = far_stride(tables, c, c.places[c.row + PLACE_BITS])
    if c.stride == 0:
        return 0
    if make_variant(tables, c, wrap256(present(c) + c.stride)) != 0:
        return 1
    c.step = c.step + 1
    return 0


def far_stride(tables: FuzzTables, c: Climb, bits: u64) -> u256:
    """Return by what a number of so many bits changes; 0 if another step is next."""
    if c.step < POWERS and far_power(c.step) >= bits:
        c.step = wrap64(POWERS)
    if c.step < POWERS:
        return wrap256(1) << far_power(c.step)
    if c.step < FAR_STEPS:
        number = present(c)
        smaller = wrap256(1) << far_power(c.step - POWERS)
        if smaller >= number:
            end_of_powers(c)
            return wrap256(0)
        return wrap256(smaller - number)
    if c.step < FAR_STEPS + FIELD_POWERS and is_packed(c) != 0:
        power = field_power(c.step - FAR_STEPS)
        if power < bits:
            return wrap256(1) << power
        c.step = wrap64(FAR_STEPS + FIELD_POWERS)
    return known_stride(tables, c, bits)


def known_stride(tables: FuzzTables, c: Climb, bits: u64) -> u256:
    """Return the same of known words."""
    index = c.step - FAR_STEPS
    if is_packed(c) != 0:
        index = index - FIELD_POWERS
    if index >= least(tables.dictionary_count, MOST_STRIDES):
        next_place(c)
        return wrap256(0)
    stride = load256(tables.dictionary, index * 32)
    if stride < 2 or bit_length(stride) >= bits:
        c.step = c.step + 1
        return wrap256(0)
    return stride


def end_of_powers(c: Climb) -> None:
    """Go on when a number was changed by powers of two: its fields may be.

    Nothing is to be spared in a number on which nothing else depends.
    """
    if c.strayed != 0 and is_packed(c) != 0:
        c.step = wrap64(FAR_STEPS)
    else:
        next_place(c)


def far_power(step: u64) -> u64:
    """Return by which power of two, or to which, a number is changed by far."""
    return (wrap64(16) << step) - 8


def propose_solution(tables: FuzzTables, c: Climb) -> u64:
    """Go as far as the slope says."""
    step = c.step
    c.step = step + 1
    aim = missing(c.kind, c.wanted)
    if c.limit != 0:
        aim = limit_aim(c)
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
    end_of_solutions(c)
    return 0


def end_of_solutions(c: Climb) -> None:
    """Go on when no slope has brought the target nearer."""
    sort = c.places[c.row + PLACE_SORT]
    if sort == BYTE or sort == LENGTH:
        next_place(c)
    elif c.here != c.there:
        c.phase = BISECT
    else:
        begin_descent(c)


def propose_middle(tables: FuzzTables, c: Climb) -> u64:
    """Halve the way from a number with one sign of the difference to the other."""
    middle = (c.here & c.there) + ((c.here ^ c.there) >> 1)
    number = ordered(c.places, c.row, middle)
    if middle != c.here and middle != c.there and make_variant(tables, c, number) != 0:
        return 1
    begin_descent(c)
    return 0


def begin_descent(c: Climb) -> None:
    """Begin to descend at the present place; to a limit there is another way."""
    if c.limit != 0:
        next_place(c)
        return
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
