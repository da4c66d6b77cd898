"""Which comparisons fall, to what word, and how many a task tells."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from climbers import Climber, arguments_of, begin_task, call_of, guards
from fuzz_support import inputs_of, tables_of

from echidna_mcp.evm.backend import Comparison, ComparisonKind
from echidna_mcp.fuzz.climbing.fallen import MARKS, MOST_TOLD, NEAR
from echidna_mcp.fuzz.climbing.sites import FOUND_AFTER
from echidna_mcp.fuzz.climbing.starting import (
    Fallen,
    KnownSites,
    fallen_of,
    make_log,
    mark_of,
    write_log,
)
from echidna_mcp.fuzz.kernels.loading import PLAIN_KERNELS, Kernels, load_kernels

EQUAL, LESS = ComparisonKind.EQUAL, ComparisonKind.LESS
SITE = (777 << 32) | 41
WORD = 411_520


def linear(a: int) -> Comparison:
    return Comparison(EQUAL, 3 * a + 7, 3 * WORD + 7, SITE)


def climber_of(*types: str, kernels: Kernels = PLAIN_KERNELS, **known) -> Climber:
    """Return who climbs calls of one function in a task that knows something."""
    climber = Climber(tables_of(inputs_of(*types)), kernels)
    tries = known.pop("tries", {})
    begin_task(climber.climb, tries, {}, turn=2, calls=100_000, **known)
    return climber


def climb(climber: Climber, comparison=linear, *arguments: int) -> tuple[Fallen, ...]:
    """Climb a call that makes one comparison of its first argument."""
    climber.run(
        lambda calls: [comparison(arguments_of(calls[-1])[0])],
        call_of(*(arguments or (6,))),
    )
    return fallen_of(climber.climb)


def test_what_falls_is_told_once_with_place_outcome_and_word():
    climber = climber_of("uint256")
    told = (Fallen(SITE, EQUAL, 1, WORD),)
    assert climb(climber) == told
    assert told[0].mark == mark_of(linear(6))
    for _ in range(3):
        assert climb(climber) == told


@pytest.mark.parametrize(
    ("kind", "wanted", "word"),
    [
        # As calldata has it, whatever the comparison is of.
        ("bytes4", 0xC0DE1A7E << 224, 0xC0DE1A7E << 224),
        ("int64", (1 << 256) - 77, (1 << 256) - 77),
        ("uint64", 77_777, 77_777),
    ],
)
def test_the_word_is_what_calldata_has(kind, wanted, word):
    def place(x: int) -> Comparison:
        return Comparison(EQUAL, x, wanted, SITE)

    assert climb(climber_of(kind), place, 0) == (Fallen(SITE, EQUAL, 1, word),)


def test_an_outcome_that_does_not_hold_may_be_what_was_missing():
    def below(a: int) -> Comparison:
        return Comparison(LESS, a, 1000, SITE)

    ((site, kind, holds, word),) = climb(climber_of("uint256"), below)
    assert (site, kind, holds) == (SITE, LESS, 0)
    assert word >= 1000


def test_what_has_fallen_before_or_was_found_by_luck_does_not_fall():
    mark = mark_of(linear(6))
    assert climb(climber_of("uint256", fallen=[mark])) == ()
    assert climb(climber_of("uint256", tries={mark: FOUND_AFTER + 1})) == ()
    # Something else, and what was sought in vain until now.
    assert climb(climber_of("uint256", fallen=[mark ^ 2])) != ()
    seldom = climber_of("uint256", tries={mark: 1})
    assert [climb(seldom) for _ in range(3)][-1] != ()


def test_what_a_task_has_told_the_next_one_does_not_know_by_itself():
    climber = climber_of("uint256")
    told = climb(climber)
    begin_task(climber.climb, {}, {}, turn=3, calls=100_000)
    assert fallen_of(climber.climb) == ()
    assert climb(climber) == told


def test_what_was_seen_both_ways_falls_in_no_context():
    climber = climber_of("uint256", contexts=True)
    told = climb(climber)
    # It is another comparison in calls of this function now, and sought there.
    assert climb(climber, linear, 9) == told


@pytest.mark.parametrize("mode", ["compiled", "checked"])
def test_a_task_tells_so_many_and_what_it_leaves_out_falls_in_another(
    mode, monkeypatch
):
    monkeypatch.setenv("ECHIDNA_MCP_KERNELS", mode)
    known: set[int] = set()
    expected = iter(range(MOST_TOLD + 8))
    for count in (MOST_TOLD, 8, 0):
        told = [
            fall_of_each(kernels, range(MOST_TOLD + 8), known)
            for kernels in (PLAIN_KERNELS, load_kernels())
        ]
        assert told[0] == told[1]
        assert [each.site for each in told[0]] == [next(expected) for _ in range(count)]
        known |= {each.mark for each in told[0]}


def fall_of_each(
    kernels: Kernels, sites: Iterable[int], known: set[int]
) -> tuple[Fallen, ...]:
    """Climb a call for each of some places in one task; return what has fallen."""
    climber = climber_of("uint256", kernels=kernels, fallen=known)
    for site in sites:
        climb(climber, lambda a, at=site: linear(a)._replace(site=at))
    return fallen_of(climber.climb)


@pytest.mark.parametrize("shown", [WORD, 9])
def test_a_variant_that_shows_something_may_have_solved_its_target(shown):
    """Nobody judges it any more, and its target may never be one again."""
    climber = climber_of("uint256")
    log = make_log()
    write_log(log, [linear(6)], 1)
    call = bytearray(call_of(6))
    size = len(call)
    PLAIN_KERNELS.begin_climb(climber.climb, call, 0, 0, size, log, 1, 1)
    tables = tables_of(inputs_of("uint256"))
    assert PLAIN_KERNELS.next_variant(tables, climber.climb)
    write_log(log, [linear(shown)], 1)
    PLAIN_KERNELS.note_shown(climber.climb, log, 1)
    told = [each[:3] for each in fallen_of(climber.climb)]
    assert told == [(SITE, EQUAL, 1)] * (shown == WORD)


def test_a_guard_that_is_held_again_does_not_fall():
    """It was seen to hold and to fail: by the limit, or by what it is held against."""

    def paid(a: int, b: int) -> list[Comparison]:
        return guards((EQUAL, a, b, True), (LESS, 5, 3, False))

    climber = climber_of("uint256", "uint256", fitting=True, limits=True)
    for arguments in ((7, 7), (7, 8), (9, 8), (12, 13)):
        climber.run(lambda calls: paid(*arguments_of(calls[-1])), call_of(*arguments))
    assert {each.site for each in fallen_of(climber.climb)} <= {0}


def test_the_table_has_room_for_all_that_a_campaign_tells():
    marks = [mark_of(Comparison(EQUAL, 0, 0, (9000 << 32) | at)) for at in range(1024)]
    known = KnownSites({}, {}, fallen=marks)
    assert sorted(filter(None, known.fallen)) == sorted(marks)
    assert len(known.fallen) == MARKS
    crowded = [(row << 8 << 12) | 1 for row in range(NEAR + 1)]
    assert len([*filter(None, KnownSites({}, {}, fallen=crowded).fallen)]) == NEAR
