"""Random numbers of cheatcodes: from a seed and a counter, which go back."""

from __future__ import annotations

import pytest
from cheat_answers import ask, new_cheats, refusal
from hypothesis import given
from hypothesis import strategies as st

WORDS = st.integers(0, 2**256 - 1)
SIGNED = st.integers(-(2**255), 2**255 - 1)
SIGNATURES = (
    *("randomUint()", "randomInt()", "randomAddress()", "randomBool()"),
    *("randomBytes4()", "randomBytes8()"),
)


def drawn(cheats):
    return [ask(cheats, signature) for signature in SIGNATURES]


def test_a_seed_gives_the_same_again_and_another_gives_others():
    first = drawn(new_cheats(seed=1))
    assert drawn(new_cheats(seed=1)) == first
    assert drawn(new_cheats(seed=2)) != first


def test_nothing_is_drawn_twice():
    cheats = new_cheats()
    words = [ask(cheats, "randomUint()")[0] for _ in range(100)]
    assert len({*words}) == 100


def test_what_was_drawn_goes_back_with_the_sequence():
    cheats = new_cheats(seed=3)
    drawn(cheats)
    mark = cheats.mark()
    first = drawn(cheats)
    ask(cheats, "setSeed(uint256)", 9)
    drawn(cheats)
    cheats.restore(mark)
    assert drawn(cheats) == first


def test_a_seed_that_is_set_begins_anew():
    cheats = new_cheats(seed=4)
    drawn(cheats)
    ask(cheats, "setSeed(uint256)", 9)
    assert drawn(cheats) == drawn(new_cheats(seed=9))


@given(WORDS, WORDS, st.integers(0, 2**32))
def test_numbers_are_in_their_range(one, other, seed):
    least, greatest = sorted((one, other))
    arguments = (least, greatest)
    (found,) = ask(new_cheats(seed=seed), "randomUint(uint256,uint256)", *arguments)
    assert least <= found <= greatest


@given(st.integers(0, 256), st.integers(0, 2**32))
def test_numbers_have_no_more_bits_than_asked_for(bits, seed):
    cheats = new_cheats(seed=seed)
    (found,) = ask(cheats, "randomUint(uint256)", bits)
    assert 0 <= found < 1 << bits
    (found,) = ask(cheats, "randomInt(uint256)", bits)
    assert -(1 << bits >> 1) <= found < max(1 << bits >> 1, 1)


def test_both_signs_and_both_truths_are_drawn():
    cheats = new_cheats()
    ints = [ask(cheats, "randomInt()")[0] < 0 for _ in range(64)]
    bools = [ask(cheats, "randomBool()")[0] for _ in range(64)]
    assert {*ints} == {*bools} == {True, False}


@pytest.mark.parametrize(("kind", "values"), [("uint256", WORDS), ("int256", SIGNED)])
def test_a_bound_number_is_in_the_range_and_another_one(kind, values):
    @given(st.lists(values, min_size=3, max_size=3), st.integers(0, 2**32))
    def check(numbers, seed):
        least, present, greatest = sorted(numbers)
        cheats = new_cheats(seed=seed)
        arguments = (present, least, greatest)
        found = ask(cheats, f"bound({kind},{kind},{kind})", *arguments)
        if least == greatest:
            assert found is None
        else:
            assert found is not None
            assert least <= found[0] <= greatest
            assert found[0] != present

    check()


@given(st.lists(WORDS, max_size=20), st.integers(0, 2**32))
def test_shuffled_numbers_are_the_same_ones(values, seed):
    cheats = new_cheats(seed=seed)
    (found,) = ask(cheats, "shuffle(uint256[])", values)
    assert sorted(found) == sorted(values)
    assert ask(cheats, "sort(uint256[])", found) == [sorted(values)]


def test_every_order_of_three_is_drawn():
    cheats = new_cheats()
    found = {tuple(ask(cheats, "shuffle(uint256[])", [1, 2, 3])[0]) for _ in range(99)}
    assert len(found) == 6


def test_bytes_are_as_many_as_asked_for():
    cheats = new_cheats()
    first, second = (ask(cheats, "randomBytes(uint256)", 100)[0] for _ in range(2))
    assert len(first) == len(second) == 202
    assert first != second
    assert "more than" in refusal(cheats, "randomBytes(uint256)", 2**200)
