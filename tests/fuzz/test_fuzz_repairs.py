"""Repairs: what one change of a call breaks is mended by a second one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from climbers import Climber, Machine, arguments_of, begin_task, call_of, guards, learnt
from fuzz_support import inputs_of, tables_of

from echidna_mcp.evm.backend import Comparison, ComparisonKind
from echidna_mcp.fuzz.climbing.repairs import REPAIR_WORDS, WAYS, repair_mark
from echidna_mcp.fuzz.climbing.starting import mark_of
from echidna_mcp.fuzz.layout import CALL_HEADER

EQUAL, LESS = ComparisonKind.EQUAL, ComparisonKind.LESS
LEFT = 10, 20, 9_970
Guard = tuple[ComparisonKind, int, int, bool]


def asked(*guarded: Callable[..., Guard]) -> Machine:
    """Return what compares the last call's arguments, and once more if all holds."""

    def machine(calls: Sequence[bytes]) -> list[Comparison]:
        arguments = arguments_of(calls[-1])
        last = EQUAL, 1, 1, True
        return guards(*(each(*arguments) for each in guarded), last)

    return machine


def whole(*weights: int) -> Guard:
    return EQUAL, sum(weights), 10_000, True


def mixed(first: int, second: int, check: int, *_: int) -> Guard:
    return EQUAL, first ^ second, check, True


def paid(number: int, _second: int, value: int, *_: int) -> Guard:
    return EQUAL, value, number * 10**9, True


def is_1234(number: int, *_: int) -> Guard:
    return EQUAL, number, 1_234, True


def is_above_7000(number: int, *_: int) -> Guard:
    return LESS, 7_000, number, True


def climbed(
    machine: Machine, count: int, *arguments: int, repairs: bool = True
) -> tuple[list[int], Climber]:
    """Return what becomes of the arguments, where there are so many guards."""
    tables = tables_of(inputs_of(*["uint256"] * len(arguments)))
    climber = Climber(tables, guards=count)
    begin_task(climber.climb, {}, {}, turn=1, calls=100_000, repairs=repairs)
    (call,) = climber.run(machine, call_of(*arguments))
    return arguments_of(call), climber


@pytest.mark.parametrize("wanted", [is_1234, is_above_7000], ids=["equal", "above"])
@pytest.mark.parametrize(
    ("equation", "arguments"),
    [
        (whole, (5_000, 3_000, 2_000)),
        (mixed, (77, 1_000, 77 ^ 1_000)),
        (paid, (3, 9, 3 * 10**9)),
    ],
    ids=["whole", "mixed", "paid"],
)
def test_an_equation_holds_while_the_condition_behind_it_is_climbed(
    equation, arguments, wanted
):
    machine = asked(equation, wanted)
    found, _ = climbed(machine, 2, *arguments)
    assert len(machine([call_of(*found)])) == 3
    found, _ = climbed(machine, 2, *arguments, repairs=False)
    assert len(machine([call_of(*found)])) == 2


def test_what_mending_breaks_is_mended_next():
    def fee(gold: int, silver: int, copper: int, value: int) -> Guard:
        return EQUAL, value, copper * 10**9, True

    def of_three(gold: int, silver: int, copper: int, value: int) -> Guard:
        return whole(gold, silver, copper)

    def copper_first(gold: int, silver: int, copper: int, value: int) -> Guard:
        return LESS, gold + silver, 9_000, True

    machine = asked(of_three, fee, copper_first, is_1234)
    start = 5_000, 4_000, 1_000, 1_000 * 10**9
    assert len(machine([call_of(*start)])) == 3
    found, _ = climbed(machine, 4, *start)
    assert len(machine([call_of(*found)])) == 5


def test_what_mends_an_equation_is_known_for_the_rest_of_the_climb():
    _, climber = climbed(asked(whole, is_above_7000), 2, *LEFT)
    # For each of both places that are felt it is another one.
    assert climber.climb.repair_count == 2
    holds = [sum(arguments_of(each)) == 10_000 for each in climber.variants]
    # Else each change would be followed by a search among all ways.
    assert 3 * holds.count(True) > len(holds) - 2 * WAYS * len(LEFT)


def locked(number: int, *_: int) -> Guard:
    return EQUAL, number, 5, True


def is_half_of_9(number: int, *_: int) -> Guard:
    return EQUAL, number * 2, 9, True


def vain(*, repairs: bool) -> tuple[list[int], dict[int, int]]:
    """Return how many variants each task has that tries to change what is locked.

    And how often what was in vain, as they have learnt it from each other.
    """
    tries: dict[int, int] = {}
    variants = []
    for turn in range(4):
        climber = Climber(tables_of(inputs_of("uint256", "uint256")), guards=2)
        begin_task(climber.climb, tries, {}, turn=turn, calls=100_000, repairs=repairs)
        climber.run(asked(locked, is_half_of_9), call_of(5, 0))
        tries |= dict(learnt(climber.climb, tries))
        variants.append(len(climber.variants))
    return variants, tries


def test_what_nothing_mends_is_tried_ever_more_seldom():
    mark = repair_mark(mark_of(asked(locked)([call_of(5)])[0]))
    plain, without = vain(repairs=False)
    mending, tries = vain(repairs=True)
    assert mark not in without
    assert tries[mark] >= 1
    more = [one - other for one, other in zip(mending, plain, strict=True)]
    assert more[0] > 0
    assert sum(more[1:]) <= more[0]


def test_answers_that_are_mended_leave_feeling_what_it_may_spend():
    """Else a target would be given up that nobody has felt for."""

    def squares(*numbers: int) -> Guard:
        return EQUAL, sum(each * each for each in numbers), 30, True

    climber = Climber(tables_of(inputs_of(*["uint256"] * 4)), guards=2)
    begin_task(climber.climb, {}, {}, turn=1, calls=512, repairs=True)
    spent: dict[int, list[int]] = {0: [], 1: []}

    def is_far(*numbers: int) -> Guard:
        spent[climber.climb.deep].append(climber.climb.spent)
        return EQUAL, numbers[0], 10**6, True

    climber.run(asked(squares, is_far), call_of(1, 2, 3, 4))
    assert len(spent[0]) > 2 * WAYS
    assert set(spent[0]) == {0}
    assert spent[1][0] == 1


def test_what_takes_back_the_change_is_no_repair():
    """A word of `bytes` holds the byte that was changed."""

    def first_byte(calls: Sequence[bytes]) -> list[Comparison]:
        record = calls[-1]
        at = CALL_HEADER + 32
        return guards(
            (EQUAL, record[at], 5, True),
            (EQUAL, int.from_bytes(record[at : at + 32], "big") % 97, 3, True),
            (EQUAL, 1, 1, True),
        )

    tables = tables_of(inputs_of("bytes"), payloads=True)
    record = call_of(32, 5 << 248)
    climber = Climber(tables, guards=2)
    begin_task(climber.climb, {}, {}, turn=1, calls=100_000, repairs=True)
    climber.run(first_byte, record)
    assert record not in climber.variants
    mended = climber.climb.repairs[: REPAIR_WORDS * climber.climb.repair_count]
    assert mark_of(first_byte([record])[0]) not in mended
