"""Reproducers of seeded bugs are minimal: by hand-made proof and by brute force."""

from __future__ import annotations

import pytest
from bug_lab import Lab, lab, littered, simpler
from native_backends import REFERENCE
from seeded_bugs import BUGS, Bug, Step

pytestmark = pytest.mark.solc

QUICK = 6
"""One bug in so many is looked at by the ordinary tests as well."""
EACH = [
    pytest.param(
        bug,
        id=bug.name,
        marks=() if number % QUICK == 0 else pytest.mark.witnesses,
    )
    for number, bug in enumerate(BUGS)
]


def variants(where: Lab, bug: Bug, steps: tuple[Step, ...]) -> list[bytes]:
    types = [where.inputs(bug, step) for step in steps]
    encoded = [where.encode(bug, each) for each in simpler(steps, types)]
    return list(dict.fromkeys(encoded))


def test_there_are_sixty_bugs_of_which_ten_are_in_the_ordinary_tests():
    assert len(BUGS) == 60
    assert sum(not each.marks for each in EACH) == 10
    assert len({bug.name for bug in BUGS}) == 60


@pytest.mark.parametrize("bug", EACH)
def test_a_bug_is_shrunk_to_its_witness(bug: Bug):
    native = lab("compiled")
    start = native.encode(bug, littered(bug))
    assert native.fails(bug, start)
    found, attempts = native.shrunk(bug, start)
    witness = native.encode(bug, bug.witness)
    assert native.measure(found) == native.measure(witness), native.decode(bug, found)
    assert attempts < native.replica.target.config.shrink_limit


@pytest.mark.parametrize("bug", EACH)
def test_nothing_simpler_than_witness_or_reproducer_fails_on_the_reference(bug: Bug):
    native, reference = lab("compiled"), lab(REFERENCE)
    found, _ = native.shrunk(bug, native.encode(bug, littered(bug)))
    witness = reference.encode(bug, bug.witness)
    least = reference.measure(witness)
    for minimal in {found: None, witness: None}:
        assert reference.fails(bug, minimal)
        for steps in variants(reference, bug, reference.decode(bug, minimal)):
            if reference.measure(steps) < least:
                assert not reference.fails(bug, steps), reference.decode(bug, steps)


def test_the_checker_finds_what_is_left_in_what_is_not_minimal():
    reference = lab(REFERENCE)
    left = 0
    for bug in BUGS[::QUICK]:
        found = tuple(bug.found)
        least = reference.measure(reference.encode(bug, found))
        left += any(
            reference.measure(steps) < least and reference.fails(bug, steps)
            for steps in variants(reference, bug, found)
        )
    assert left >= 8
