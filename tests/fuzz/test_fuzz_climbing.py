"""Climbing: what variants solve, and that they are calls, in every mode."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from math import isqrt

import pytest
from abi_strategies import parameters
from climbers import (
    CEILING,
    Climber,
    Machine,
    arguments_of,
    begin_task,
    call_of,
    guards,
    learnt,
)
from fuzz_support import calls_in, inputs_of, node_of, stream, tables_of
from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.evm.backend import Comparison, ComparisonKind
from echidna_mcp.fuzz.climbing.choosing import CLIMBING_SEQUENCES, FITTED_SEQUENCES
from echidna_mcp.fuzz.climbing.comparisons import (
    COMPARISON_ROW,
    PART_BITS,
    closeness,
    holds,
    missing,
    nearness,
    part,
)
from echidna_mcp.fuzz.climbing.contexts import EVERYWHERE
from echidna_mcp.fuzz.climbing.goals import find_goal
from echidna_mcp.fuzz.climbing.sites import FOUND_AFTER, SITE_WORDS, come_nearer
from echidna_mcp.fuzz.climbing.starting import (
    NONE_LOOKED,
    configure,
    goal_at,
    make_climb,
    make_log,
    mark_of,
    write_log,
)
from echidna_mcp.fuzz.climbing.state import MOST_SPENT, WINDOW, Climb
from echidna_mcp.fuzz.climbing.steps import can_solve, secant, solve
from echidna_mcp.fuzz.climbing.waypoints import find_waypoint
from echidna_mcp.fuzz.kernels.loading import PLAIN_KERNELS, Kernels, load_kernels
from echidna_mcp.fuzz.layout import CALL_HEADER, FLAG_PAYABLE
from echidna_mcp.fuzz.records import (
    call_block_delay,
    call_function,
    call_sender,
    call_time_delay,
    call_value,
)
from echidna_mcp.fuzz.tables import sequence_capacity
from echidna_mcp.fuzz.tape import is_canonical
from echidna_mcp.kernel.language.memory import words
from echidna_mcp.views.comparisons import tried_by

EQUAL, LESS = ComparisonKind.EQUAL, ComparisonKind.LESS
GREATER = ComparisonKind.GREATER


def climbed(types: Sequence[str], machine: Machine, *arguments: int) -> list[int]:
    """Return the arguments that are kept of a call of one function."""
    climber = Climber(tables_of(inputs_of(*types)))
    (kept,) = climber.run(machine, call_of(*arguments))
    return arguments_of(kept)


def reversed_bytes(x: int) -> int:
    return int.from_bytes(x.to_bytes(8, "little"), "big")


def of_words(function: Callable[..., list[Comparison]]) -> Machine:
    return lambda calls: function(*arguments_of(calls[-1]))


@pytest.fixture(scope="module", params=["compiled", "checked"])
def kernels(request) -> Kernels:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ECHIDNA_MCP_KERNELS", request.param)
        return load_kernels()


# ----------------------------------------------------------------- classes of problems


@pytest.mark.parametrize(
    ("kind", "place"),
    [
        ("uint256", lambda x: (EQUAL, x, 1 << 200, True)),
        ("uint256", lambda x: (EQUAL, 7 * x + 12_345, 10**60, True)),
        ("uint256", lambda x: (EQUAL, 3 * x, 10**18 + 1, True)),
        ("uint256", lambda x: (EQUAL, x ^ (1 << 177) ^ 12_345, 99, True)),
        ("uint256", lambda x: (EQUAL, x << 13, 0xABCDEF << 13, True)),
        ("uint256", lambda x: (EQUAL, x >> 57, 0xABCDEF, True)),
        ("uint64", lambda x: (EQUAL, reversed_bytes(x), 0x1122_3344_5566_7788, True)),
        ("uint256", lambda x: (EQUAL, x & 0xFFFF_0000_FFFF, 0x1234_0000_5678, True)),
        ("uint256", lambda x: (EQUAL, x // 10**9, 271_828_182_845, True)),
        ("uint256", lambda x: (EQUAL, 10**40 // (x or 1), 314_159_265, True)),
        ("uint256", lambda x: (EQUAL, isqrt(x), 10**15 + 7, True)),
        ("uint256", lambda x: (LESS, x * 997 // 1000, 10**21, False)),
        ("uint64", lambda x: (EQUAL, 912_821 * x % 2**64, 777, True)),
        ("uint64", lambda x: (EQUAL, (x + 2**63) % 2**64, 5, True)),
        ("int64", lambda x: (EQUAL, x, -77, True)),
        ("int64", lambda x: (ComparisonKind.SIGNED_LESS, x, -273_000, True)),
        ("bytes4", lambda x: (EQUAL, x >> 224, 0xC0DE1A7E, True)),
        ("bytes4", lambda x: (EQUAL, x, 0xC0DE1A7E << 224, True)),
        ("bool", lambda x: (EQUAL, x, 1, True)),
    ],
)
def test_one_condition_on_one_number_is_met(kind, place):
    def machine(x: int) -> list[Comparison]:
        return guards(place(x))

    (word,) = climbed([kind], of_words(machine), 0)
    asked, left, right, wanted = place(word)
    assert bool(holds(asked, left % CEILING, right % CEILING)) == wanted


PLATEAUS: dict[str, tuple[str, int, Callable[[int], tuple[int, int]]]] = {
    "a quotient that is 0": (
        "uint256",
        1 << 200,
        lambda x: (10**30 // (x or 1), 271_828_182),
    ),
    "a great one": ("uint256", CEILING - 1, lambda x: (10**60 // (x or 1), 10**22 + 3)),
    "a root from 0 on": ("uint256", 0, lambda x: (isqrt(x), 10**15 + 7)),
    "a root from far above": ("uint256", 1 << 250, lambda x: (isqrt(x), 10**15 + 7)),
    "a price that is rounded": (
        "uint128",
        0,
        lambda x: (x * 10**9 // 10**30 * 997 // 1000, 3_141_592),
    ),
    "a share that is rounded": (
        "uint256",
        1 << 180,
        lambda x: (10**24 * 10**18 // (x + 10**3) * 3 // 7, 1_234_567_890),
    ),
    "nothing below, nothing above": (
        "uint256",
        1 << 150,
        lambda x: (min(max(x, 10**18) - 10**18, 10**20) // 7**9, 1_000_003),
    ),
    "the same, from above": (
        "uint256",
        CEILING - 1,
        lambda x: (10**20 - min(max(x, 10**18), 10**20), 987_654_321_012),
    ),
    "less than 0": ("int256", -(1 << 190), lambda x: (max(x, -(10**20)), -(10**15))),
    "a byte string": ("bytes12", 1 << 250, lambda x: ((x >> 160) ** 2 >> 70, 10**9)),
}
"""By name: a type, a number from which to start, and what is compared."""


@pytest.mark.parametrize("name", PLATEAUS)
def test_what_changes_far_off_alone_is_found_by_halving(kernels, name):
    kind, start, operands = PLATEAUS[name]

    def machine(calls: Sequence[bytes]) -> list[Comparison]:
        (word,) = arguments_of(calls[-1])
        signed = word - CEILING if kind == "int256" and word >> 255 else word
        return guards((EQUAL, *operands(signed), True))

    call = call_of(start)
    climbers = [
        Climber(tables_of(inputs_of(kind), dictionary=()), each)
        for each in (PLAIN_KERNELS, kernels)
    ]
    kept = [each.run(machine, call) for each in climbers]
    assert kept[0] == kept[1]
    assert climbers[0].variants == climbers[1].variants
    (last,) = machine(kept[0])
    assert last.left == last.right
    assert len(climbers[0].variants) < 1_000


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1 << 130, CEILING - 1),
    st.integers(1 << 9, 1 << 119),
    st.integers(1, 1 << 100),
    st.booleans(),
)
def test_whatever_is_monotone_is_met_from_a_plateau_on(
    start: int, aim: int, size: int, falling: bool
):
    def dependent(x: int) -> int:
        low = min(x, 1 << 120)
        return ((1 << 130) - low if falling else low) // size

    def machine(x: int) -> list[Comparison]:
        return guards((EQUAL, dependent(x), dependent(aim), True))

    (word,) = climbed(["uint256"], of_words(machine), start)
    assert dependent(word) == dependent(aim)


def test_conditions_that_hold_are_kept_while_the_last_one_is_sought():
    def machine(a: int, b: int, c: int) -> list[Comparison]:
        return guards(
            (EQUAL, a // 1_009, 4_321, True),
            (EQUAL, (b - a) % CEILING, 31_337, True),
            (GREATER, c, b * 3, True),
            (EQUAL, c % 64, 33, True),
        )

    a, b, c = climbed(["uint256"] * 3, of_words(machine), 5, 6, 7)
    assert a // 1_009 == 4_321
    assert b - a == 31_337
    assert c > b * 3
    assert c % 64 == 33


def test_a_number_under_a_congruence_moves_by_multiples_of_known_words():
    def machine(a: int, c: int) -> list[Comparison]:
        return guards(
            (EQUAL, a % 1_000, 77, True),
            (EQUAL, a // 1_000, c, True),
        )

    # The other number can't be what it would have to be.
    a, c = climbed(["uint256", "bool"], of_words(machine), 77_077, 1)
    assert (a % 1_000, a // 1_000) == (77, c)


def test_bytes_of_strings_and_their_length_are_found():
    def machine(offset: int, length: int, *data: int) -> list[Comparison]:
        text = b"".join(word.to_bytes(32, "big") for word in data)[:length]
        own = [
            (EQUAL, text[at] << 248, byte << 248, True)
            for at, byte in enumerate(b"via:"[:length])
        ]
        return guards((LESS, length, 4, False), (GREATER, length, 9, False), *own)

    tables = tables_of(inputs_of("string"))
    climber = Climber(tables)
    (kept,) = climber.run(
        lambda calls: machine(0, *arguments_of(calls[-1])), call_of(0)
    )
    length, *data = arguments_of(kept)
    assert 4 <= length <= 9
    assert data[0].to_bytes(32, "big").startswith(b"via:")


@pytest.mark.parametrize("offset", [0, 4, 12, 20, 25, 32])
def test_an_address_at_any_offset_of_bytes_is_found(offset: int):
    wanted = bytes(range(0xA1, 0xA1 + 20))

    def machine(calls: Sequence[bytes]) -> list[Comparison]:
        length, *data = arguments_of(calls[-1])
        text = b"".join(word.to_bytes(32, "big") for word in data)[:length]
        part = text[offset : offset + 20]
        return guards(
            (LESS, length, offset + 20, False),
            (EQUAL, int.from_bytes(part, "big"), int.from_bytes(wanted, "big"), True),
        )

    tables = tables_of(inputs_of("bytes"), payloads=True)
    (kept,) = Climber(tables).run(machine, call_of(0))
    length, *data = arguments_of(kept)
    text = b"".join(word.to_bytes(32, "big") for word in data)[:length]
    assert text[offset : offset + 20] == wanted


def test_a_number_of_a_call_before_is_changed_if_that_is_what_counts():
    def machine(calls: Sequence[bytes]) -> list[Comparison]:
        stored = arguments_of(calls[0])[0]
        return guards((EQUAL, stored * 5 + 1, 10**30 + 1, True))

    tables = tables_of(inputs_of("uint256"), inputs_of("uint8"))
    calls = [call_of(3), call_of(4, function=1), call_of(5, function=1)]
    kept = Climber(tables).run(machine, *calls)
    assert arguments_of(kept[0]) == [10**30 // 5]
    assert kept[1:] == calls[1:]


def test_value_delays_and_senders_are_found():
    def machine(calls: Sequence[bytes]) -> list[Comparison]:
        record = bytearray(calls[-1])
        now = 1_524_785_992 + call_time_delay(record, 0)
        return guards(
            (LESS, call_value(record, 0), 10**18, False),
            (LESS, now, 1_524_785_992 + 172_800, False),
            (LESS, 100 + call_block_delay(record, 0), 7_300, False),
            (EQUAL, call_sender(record, 0), 0x30000, True),
        )

    tables = tables_of(inputs_of("uint8"), flags=[FLAG_PAYABLE])
    (kept,) = Climber(tables).run(machine, call_of(3))
    record = bytearray(kept)
    assert call_value(record, 0) >= 10**18
    assert call_time_delay(record, 0) >= 172_800
    assert call_block_delay(record, 0) >= 7_200
    assert call_sender(record, 0) == 0x30000


def test_what_would_lose_later_conditions_is_not_kept():
    def machine(a: int, b: int) -> list[Comparison]:
        return guards((EQUAL, a, 0, False), (EQUAL, b * b, 10**12 + 1, True))

    a, _ = climbed(["uint256", "uint8"], of_words(machine), 5, 6)
    assert a != 0


def test_what_only_comes_nearer_loses_no_later_conditions():
    def machine(a: int, b: int) -> list[Comparison]:
        return guards(
            (EQUAL, a * a % CEILING, 10**30 + 1, False),
            (LESS, a, 10**6, True),
            (EQUAL, b * b, 10**12 + 1, True),
        )

    call = climbed(["uint256", "uint8"], of_words(machine), 5, 6)
    assert len(machine(*call)) == 3


def test_a_test_comes_nearer_even_if_it_compares_less():
    def machine(a: int) -> list[Comparison]:
        """A sum over a list which is shorter the greater `a` is must be a million."""
        turns = max(1, 9 - a // 1_000)
        steps = [Comparison(LESS, turn, turns, 1) for turn in range(turns + 1)]
        return [Comparison(EQUAL, a * a % CEILING, 10**12, 0), *steps]

    tables = tables_of(inputs_of("uint256"))
    (kept,) = Climber(tables, asks_test=True).run(of_words(machine), call_of(3))
    assert arguments_of(kept) == [10**6]


def test_what_is_sought_in_vain_is_tried_ever_more_seldom_and_told():
    def machine(a: int) -> list[Comparison]:
        return guards((EQUAL, int(str(a) * 3, 36) * 7**60 % 2**200, 5, True))

    climber = Climber(tables_of(inputs_of("uint256")))
    spent = []
    for _ in range(12):
        climber.run(of_words(machine), call_of(6))
        spent.append(climber.climb.spent > 0)
    assert spent == [True, False, True, False, False, False, True, *[False] * 5]
    ((_, tries),) = learnt(climber.climb, {})
    assert tries == 3


def test_what_was_tried_by_others_waits_as_long():
    climb = make_climb()
    known = {0x1235: 3, 0x77777: 1, 0xABCDE01: 14}
    begin_task(climb, known, {}, turn=5, calls=1000, limits=False)
    assert learnt(climb, known) == ()
    assert learnt(climb, {**known, 0x77777: 2}) == ((0x77777, 1),)


LUCKY = 77_777


def hashed(a: int) -> list[Comparison]:
    """Compare a number with what no arithmetic leads to but `LUCKY`."""
    left = 5 if a == LUCKY else int(str(a) * 3, 36) * 7**60 % 2**200
    return guards((EQUAL, left, 5, True))


def attempts(climber: Climber, runs: int) -> list[bool]:
    """Return of climbs of what is not lucky whether anything was felt for."""
    spent = []
    for _ in range(runs):
        climber.run(of_words(hashed), call_of(6))
        spent.append(climber.climb.spent > 0)
    return spent


@pytest.mark.parametrize("lasting", [False, True])
def test_what_is_found_by_luck_is_sought_as_seldom_as_before_in_the_next_task(lasting):
    climber = Climber(tables_of(inputs_of("uint256")))
    task = {"turn": 2, "calls": 1000, "seldom_targets": lasting}
    begin_task(climber.climb, {}, {}, **task)
    assert sum(attempts(climber, 7)) == 3
    climber.run(of_words(hashed), call_of(LUCKY))
    told = dict(learnt(climber.climb, {}))
    assert [*told.values()] == [FOUND_AFTER + 3] * lasting
    # Both outcomes were seen: this task does not seek it any more.
    assert not any(attempts(climber, 20))
    begin_task(climber.climb, told, {}, **task)
    assert learnt(climber.climb, told) == ()
    sought = attempts(climber, 8)
    assert sum(sought) == (1 if lasting else 3)
    ((_, tries),) = learnt(climber.climb, told)
    assert tries == (FOUND_AFTER + 4 if lasting else 3)


@pytest.mark.parametrize("seldom", [False, True])
def test_what_no_number_of_the_calls_moves_counts_as_two_tries(seldom):
    def flag(a: int) -> list[Comparison]:
        return guards((LESS, a, 2**255, True), (EQUAL, 7, 5, True))

    climber = Climber(tables_of(inputs_of("uint8")))
    begin_task(climber.climb, {}, {}, turn=2, calls=1000, seldom_targets=seldom)
    climber.run(of_words(flag), call_of(6))
    tries = dict(learnt(climber.climb, {}))
    moved, unmoved = (mark_of(each) for each in flag(6))
    assert (tries[moved], tries[unmoved]) == (1, 1 + seldom)


def test_half_of_the_tries_are_forgiven_if_to_seek_it_has_found_it():
    def linear(a: int) -> list[Comparison]:
        return guards((EQUAL, 3 * a + 1, 3 * LUCKY + 1, True))

    climber = Climber(tables_of(inputs_of("uint256")))
    (comparison,) = linear(6)
    known = {mark_of(comparison): 4}
    begin_task(climber.climb, known, {}, turn=2, calls=1000, seldom_targets=True)
    kept = [climber.run(of_words(linear), call_of(6)) for _ in range(16)]
    assert kept.count([call_of(LUCKY)]) == 1
    assert [*dict(learnt(climber.climb, known)).values()] == [FOUND_AFTER + 2]


def test_what_was_found_before_has_no_waypoints():
    climb, log = make_climb(), make_log()
    comparison = Comparison(EQUAL, 40, 5, 9)
    write_log(log, [comparison], 1)
    for tries, wanted in ((3, 1), (FOUND_AFTER + 3, 0)):
        known = {mark_of(comparison): tries}
        begin_task(climb, known, {mark_of(comparison): 900}, turn=2, calls=1000)
        climb.waypoints = 1
        assert find_waypoint(climb, EVERYWHERE, log, 1) == wanted


@given(st.lists(st.integers(0, 14).map(lambda n: n and n + FOUND_AFTER * (n % 2))))
def test_what_one_worker_has_found_all_can_find(tries):
    told = tried_by([((7, each),) for each in tries])
    assert told["marks"] == [f"0x{7:016x}"] * bool(tries)
    if not tries:
        return
    (together,) = told["tries"]
    found = [each for each in tries if each >= FOUND_AFTER]
    if 0 in tries:
        assert together == 0
    else:
        assert together == (min(found) if found else max(tries))


# ------------------------------------------------------------------------------ modes


def random_machine(seed: int) -> Machine:
    """A machine whose comparisons depend on the calls in ways that a seed decides."""

    def machine(calls: Sequence[bytes]) -> list[Comparison]:
        inputs = [word for call in calls for word in arguments_of(call)] or [0]
        found = []
        for site in range(seed % 90):
            turn = seed >> site % 40
            left = inputs[turn % len(inputs)] * (turn % 5 + 1) >> 32 * (turn % 8)
            right = inputs[turn // 7 % len(inputs)] if turn % 3 else turn
            kind = ComparisonKind(turn % 5)
            found.append(Comparison(kind, left % CEILING, right % CEILING, site % 9))
            if turn % 11 == 0 and left > right:
                break
        return found

    return machine


@settings(max_examples=6, deadline=None)
@given(parameters(), st.integers(0, 2**64 - 1))
def test_variants_are_the_same_in_all_modes_and_are_calls(kernels, inputs, seed):
    tables = tables_of(inputs, flags=[FLAG_PAYABLE], seq_len=3)
    out = bytearray(sequence_capacity(3))
    end = PLAIN_KERNELS.build_sequence(
        tables, stream(seed), bytearray(), words([]), 0, out
    )
    starts = [*calls_in(out, end), end]
    calls = [bytes(out[begin:stop]) for begin, stop in pairwise(starts)]
    climbers = [Climber(tables), Climber(tables, kernels)]
    kept = [each.run(random_machine(seed), *calls[:WINDOW]) for each in climbers]
    assert kept[0] == kept[1]
    assert climbers[0].variants == climbers[1].variants
    assert climbers[0].climb.sites == climbers[1].climb.sites
    assert climbers[0].climb.spent <= MOST_SPENT
    for call in (*climbers[0].variants, *kept[0]):
        record = bytearray(call)
        node = node_of(tables, call_function(record, 0))
        assert is_canonical(tables.types, node, record, CALL_HEADER, len(record))


def test_one_sequence_in_so_many_is_climbed_from_any_of_its_calls_on(kernels):
    tables = tables_of(inputs_of("uint8"), seq_len=5)
    rng, other = stream(3), stream(3)
    out = bytearray(sequence_capacity(5))
    end = PLAIN_KERNELS.build_sequence(tables, rng, bytearray(), words([]), 0, out)
    other[:] = rng
    climb, same = make_climb(), make_climb()
    share = 2_000 / CLIMBING_SEQUENCES
    for often in (False, True):
        configure(climb, fitted_sequences=often)
        configure(same, fitted_sequences=often)
        chosen = []
        for _ in range(2_000):
            number = kernels.choose_climb(tables, rng, climb, out, end)
            chosen.append((number, climb.fits_alone))
            plain = PLAIN_KERNELS.choose_climb(tables, other, same, out, end)
            assert (plain, same.fits_alone) == chosen[-1]
        for alone, wanted in ((0, share), (1, often * FITTED_SEQUENCES * share)):
            climbed = [number for number, fits in chosen if number and fits == alone]
            assert 0.8 * wanted <= len(climbed) <= 1.2 * wanted
            assert set(climbed) == (set(range(1, 6)) if wanted else set())


# ------------------------------------------------------------------------- arithmetic


WORD = st.integers(0, CEILING - 1)


@given(WORD, WORD, st.sampled_from([8, 64, 256]))
def test_linear_congruences_are_solved_if_they_can_be(slope, times, bits):
    gap = slope * times % CEILING
    if slope % 2**bits == 0:
        assert can_solve(slope, gap, bits) == 0
        return
    assert can_solve(slope, gap, bits) == 1
    found = solve(slope, gap, bits)
    assert (found * slope - gap) % 2**bits == 0


@given(st.integers(-(10**40), 10**40), st.integers(-(10**20), 10**20).filter(bool))
def test_a_secant_goes_as_far_as_needed_and_not_a_whole_slope_further(gap, slope):
    found = secant(slope % CEILING, gap % CEILING)
    times = found - CEILING if found >> 255 else found
    assert abs(times * slope) >= abs(gap)
    assert abs(times * slope) < abs(gap) + abs(slope)


@given(st.sampled_from(ComparisonKind), st.booleans(), st.integers(10, 10**50))
def test_the_nearest_difference_with_an_outcome_has_it(kind, wanted, right):
    left = (right + missing(kind, int(wanted))) % CEILING
    assert holds(kind, left, right) == wanted


# -------------------------------------------------------------------------------- goals


@given(st.integers(0, CEILING - 1), st.integers(0, CEILING - 1), st.integers(0, 300))
def test_what_is_nearer_to_an_outcome_has_no_farther_class(left, right, step):
    for kind in (EQUAL, LESS, GREATER):
        for wanted in (0, 1):
            far = nearness(kind, wanted, left, right)
            # A step towards the other operand, if there is room for one.
            near = left + step if left + step <= right else max(left - step, right)
            assert (far == 1) == (bool(holds(kind, left, right)) == bool(wanted))
            if bool(holds(kind, near, right)) == bool(holds(kind, left, right)):
                assert nearness(kind, wanted, near, right) <= far


@given(st.integers(0, CEILING - 1), st.integers(0, CEILING - 1))
def test_a_part_is_what_the_distance_is_of_the_greater_operand(left, right):
    whole = max(left, right)
    exact = abs(left - right) * 2**PART_BITS // whole if whole else 2**PART_BITS
    for kind in (EQUAL, LESS, GREATER):
        found = part(kind, left, right)
        # Of great numbers the last bits do not count.
        assert abs(found - exact) <= (0 if whole < 2**192 else 1)
        assert 1 <= closeness(kind, 1, left, right) <= 50


@given(st.integers(-(2**255), 2**255 - 1), st.integers(-(2**255), 2**255 - 1))
def test_signed_operands_are_as_far_apart_as_the_numbers_that_they_are(left, right):
    whole = max(abs(left), abs(right))
    exact = abs(left - right) * 2**PART_BITS // whole if whole else 2**PART_BITS
    found = part(ComparisonKind.SIGNED_LESS, left % CEILING, right % CEILING)
    assert abs(found - exact) <= (0 if whole < 2**191 else 4)


def found_goal(climb: Climb, *comparisons: Comparison, selector: int = 0x1234) -> int:
    log = make_log()
    write_log(log, comparisons, len(comparisons))
    found = find_goal(climb, log, len(comparisons), selector)
    if found:
        mark, _, near = goal_at(climb, log, found)
        come_nearer(climb.sites, mark, near)
    return found


def test_a_goal_is_found_each_time_it_is_nearer_or_closer_than_ever_and_only_then():
    climb = make_climb()
    begin_task(climb, {}, {}, turn=1, calls=1000, limits=False)
    dispatch = Comparison(EQUAL, 0x1234, 0x9999, 1)
    nearer = 2 * COMPARISON_ROW + 1
    for debt, limit, expected in (
        *((10, 1000, [nearer, nearer + 1]), (10, 1000, []), (9, 1000, [])),
        *((500, 1000, [nearer, nearer + 1]), (400, 1000, [])),
        # Less of a distance, but more of a part; then the other way round.
        *((0, 8, [nearer]), (9000, 10_000, [nearer + 1]), (0, 0, [nearer])),
        (1001, 1000, [nearer, nearer + 1]),
    ):
        comparison = Comparison(GREATER, debt, limit, 2)
        again = partial(found_goal, climb, dispatch, comparison)
        assert list(iter(again, 0)) == expected
    # It had both outcomes: there is nothing to come near to any more.
    for debt in (900, 1002):
        climbed_ = found_goal(climb, dispatch, Comparison(GREATER, debt, 1000, 2))
        assert climbed_ == 0


SMALL = st.integers(0, 9) | st.sampled_from((0x1234, 2**200, 2**200 + 5))
COMPARED = st.builds(
    Comparison, st.sampled_from((EQUAL, LESS, GREATER)), SMALL, SMALL, st.integers(0, 2)
)


@given(st.lists(st.lists(COMPARED, max_size=6), max_size=12))
@settings(max_examples=60, deadline=None)
def test_what_is_remembered_of_goals_changes_no_answer(asked):
    remembering, forgetful = make_climb(), make_climb()
    for climb in (remembering, forgetful):
        begin_task(climb, {}, {}, turn=1, calls=1000, masks=True)
    for comparisons in asked:
        found = 1
        while found:
            forgetful.looked = bytearray(NONE_LOOKED)
            found = found_goal(forgetful, *comparisons)
            assert found_goal(remembering, *comparisons) == found
    assert remembering.sites == forgetful.sites


def test_what_others_have_come_near_to_is_no_news():
    comparison = Comparison(GREATER, 500, 1000, 2)
    first, second = make_climb(), make_climb()
    begin_task(first, {}, {}, turn=1, calls=1000, limits=False)
    assert found_goal(first, comparison) == 1
    mark = mark_of(comparison)
    known = {
        mark: nearness(GREATER, 1, 500, 1000),
        mark - 1: closeness(GREATER, 1, 500, 1000),
    }
    begin_task(second, {}, known, turn=2, calls=1000, limits=False)
    assert found_goal(second, comparison) == 0
    assert found_goal(second, Comparison(GREATER, 700, 1000, 2)) == 1


# ------------------------------------------------------------------------------- limits


def driven(machine: Machine, *arguments: int, past: Sequence[int]) -> list[list[int]]:
    """Return what is kept of a call, each turn anew, when both outcomes were seen.

    Args:
        machine: what is called.
        arguments: with which it succeeds.
        past: others with which it goes past its limits.
    """
    kept = []
    for turn in range(12):
        climber = Climber(tables_of(inputs_of(*["uint256"] * len(arguments))))
        begin_task(
            climber.climb, {}, {}, turn=turn, calls=1000, limits=True, waypoints=False
        )
        for call in (call_of(*past), call_of(*arguments)):
            log, found = make_log(), machine([call])
            write_log(log, found, len(found))
            PLAIN_KERNELS.look(climber.climb, EVERYWHERE, log, len(found))
        (call,) = climber.run(machine, call_of(*arguments))
        kept.append(arguments_of(call))
    return kept


@pytest.mark.parametrize("kind", [LESS, GREATER])
@pytest.mark.parametrize("held", [False, True])
def test_a_call_is_driven_to_the_limit_of_a_guard_or_one_less(kind, held):
    limit = 10**21
    # With 5 the guard has the outcome that lets the call go on.
    left, right = (kind == LESS) == held, limit
    machine = of_words(
        lambda n: guards((kind, n, right, held) if left else (kind, right, n, held))
    )
    expected = {limit - 1, limit - 2} if held else {limit, limit - 1}
    kept = {n for (n,) in driven(machine, 5, past=[limit + 7])}
    assert kept == {5, *expected}


def test_limits_of_what_is_not_linear_are_found():
    def grows(n: int, other: int) -> list[Comparison]:
        square = min(n * n, CEILING - 1)
        return guards((EQUAL, other, 9, True), (GREATER, square, 10**30, False))

    kept = {tuple(each) for each in driven(of_words(grows), 3, 9, past=[10**20, 9])}
    assert (10**15, 9) in kept
    assert all(n * n <= 10**30 and other == 9 for n, other in kept)


@given(st.integers(1, 10**6), st.integers(0, 10**9), st.integers(10**10, 10**40))
@settings(max_examples=10, deadline=None)
def test_no_call_goes_past_a_limit_and_some_go_as_far_as_they_can(factor, more, limit):

    def grows(n: int) -> list[Comparison]:
        return guards((GREATER, min(factor * n + more, CEILING - 1), limit, False))

    machine = of_words(grows)
    past = limit // factor + 1
    kept = {n for (n,) in driven(machine, 1, past=[past])}
    assert all(factor * n + more <= limit for n in kept)
    assert (limit - more) // factor in kept


def drives(
    machine: Machine,
    start: int,
    past: int,
    climber: Climber | None = None,
    **options: bool,
) -> list[bool]:
    """Return of 60 climbs of a call whether it was driven to a limit."""
    climber = climber or Climber(tables_of(inputs_of("uint256")))
    begin_task(climber.climb, {}, {}, turn=1, calls=1000, limits=True, **options)
    for number in (past, start):
        log, found = make_log(), machine([call_of(number)])
        write_log(log, found, len(found))
        PLAIN_KERNELS.look(climber.climb, EVERYWHERE, log, len(found))
    driven = []
    for _ in range(60):
        before = len(climber.variants)
        climber.run(machine, call_of(start))
        driven.append(len(climber.variants) > before)
    return driven


def test_a_limit_that_nothing_moves_is_tried_ever_more_seldom():
    def flag(n: int) -> list[Comparison]:
        return guards((LESS, 500 if n == 77 else 20, 400, True))

    always = drives(of_words(flag), 5, past=77)
    seldom = drives(of_words(flag), 5, past=77, seldom_limits=True)
    assert sum(always) > 30
    # One climb has up to two limits: it comes up about sixty times, and is tried the
    # 1st, 3rd, 7th, 15th, 31st and perhaps the 63rd time.
    assert sum(seldom[:30]) in (4, 5)
    assert sum(seldom) in (5, 6)
    assert seldom.index(True) == always.index(True)


@pytest.mark.parametrize("seldom", [False, True])
def test_limits_have_rows_of_their_own_only_if_they_are_passed_over(seldom):
    def flag(n: int) -> list[Comparison]:
        return guards((LESS, 500 if n == 77 else 20, 400, True))

    climber = Climber(tables_of(inputs_of("uint256")))
    drives(of_words(flag), 5, past=77, climber=climber, seldom_limits=seldom)
    assert sum(map(bool, climber.climb.sites[::SITE_WORDS])) == 1 + seldom


def test_a_limit_that_is_reached_is_tried_as_often_as_ever():
    def grows(n: int) -> list[Comparison]:
        return guards((LESS, n, 10**21, True))

    always = drives(of_words(grows), 5, past=10**22)
    assert sum(always) > 30
    assert drives(of_words(grows), 5, past=10**22, seldom_limits=True) == always


def test_a_call_that_has_failed_is_not_driven_on():
    climber = Climber(tables_of(inputs_of("uint256")))
    begin_task(climber.climb, {}, {}, turn=2, calls=1000, limits=True)
    comparison = Comparison(GREATER, 5, 1000, 0)
    log = make_log()
    for each in (comparison, Comparison(GREATER, 1001, 1000, 0)):
        write_log(log, (each,), 1)
        PLAIN_KERNELS.look(climber.climb, EVERYWHERE, log, 1)
    window = bytearray(call_of(5))
    write_log(log, (comparison,), 1)
    climber.climb.limiting = 1
    for succeeded in (0, 1):
        climber.climb.limits = 0
        while not climber.climb.limits:
            begun = PLAIN_KERNELS.begin_climb(
                climber.climb, window, 0, 0, len(window), log, 1, succeeded
            )
        assert begun == succeeded
        more = PLAIN_KERNELS.next_variant(climber._tables, climber.climb)
        assert more == succeeded
