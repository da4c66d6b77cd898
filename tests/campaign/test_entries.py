"""Which sequences of a corpus are gone on from."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.events.payloads import CoverageIncreased
from echidna_mcp.evm.states import pair_number
from echidna_mcp.rounds.call_codec import Call, join
from echidna_mcp.views.entries import OF_WORD, CorpusEntries, Word, steps_of

WORDS = [("code", slot) for slot in range(4)]


class Sequence(NamedTuple):
    """A sequence of one call: of what it is a step, and how often it stands."""

    function: int
    times: int
    steps: list[Word]


def sequences() -> st.SearchStrategy[list[Sequence]]:
    functions, times = st.integers(0, 3), st.sampled_from([1, 4])
    lasting = st.builds(Sequence, functions, times, st.just([]))
    steps = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)
    of_steps = st.builds(Sequence, functions, st.just(1), steps)
    return st.lists(lasting | of_steps | of_steps, max_size=80)


def stands(number: int, all_of_them: list[Sequence]) -> bool:
    """Return whether a sequence is not retired, as the documentation says it."""
    steps = all_of_them[number].steps
    for step in steps:
        later = [each for each in all_of_them[number + 1 :] if step in each.steps]
        if len(later) < OF_WORD:
            return True
    return not steps


@given(sequences(), st.data())
def test_the_newest_of_each_word_stand_and_all_that_have_shown_more(given_, data):
    left_out = frozenset(data.draw(st.sets(st.integers(0, 3))))
    asked = data.draw(st.sets(st.integers(0, 79)))
    corpus, entries, starts = bytearray(), CorpusEntries(), [0]
    for number, each in enumerate(given_):
        corpus += join([Call(function=each.function, sender=1)])
        entries.add(starts[-1], len(corpus), each.times, each.steps)
        starts.append(len(corpus))
        if number in asked:  # What was looked at before is as if it were not.
            entries.without(left_out, corpus)
    expected, without = [], []
    for number, (each, span) in enumerate(zip(given_, pairwise(starts), strict=True)):
        if stands(number, given_):
            expected += span * each.times
            without += () if each.function in left_out else span * each.times
    assert list(entries.spans) == expected
    assert list(entries.without(left_out, corpus)) == without


def test_a_step_is_what_has_shown_states_and_no_more():
    states = [("code", 1, 5), ("code", 1, 6), ("code", 2, 0)]
    news: CoverageIncreased = {
        "points": 0,
        "total": 7,
        "visited": [],
        "results": [],
        "edges": [],
        "states": states,
        "nearest": [],
    }
    assert steps_of(news) == [("code", 1), ("code", 1), ("code", 2)]
    pairs = [("code", pair_number(1, 4, value), 2) for value in (1, 32)]
    first, second = steps_of({**news, "states": pairs})
    assert first == second, "whatever is in the words"
    other = [("code", pair_number(1, 5, 1), 2)]
    assert steps_of({**news, "states": other}) != [first]
    assert steps_of({**news, "visited": [("code", 0, [1])]}) == []
    assert steps_of({**news, "results": [("code", 0, "STOP")]}) == []
    assert steps_of({**news, "edges": [("code", 1, 2)]}) == []
    assert steps_of({**news, "nearest": [("0x1", 3)]}) == []
