"""The past as objects: whoever lags or joins late gets each event once."""

from __future__ import annotations

from echidna_mcp.events.event import Event
from echidna_mcp_plugins.executors.ray.actor import Stretch
from echidna_mcp_plugins.executors.ray.past import CHAPTER_STRETCHES, Past


def event(number: int) -> Event:
    return Event(
        seq=number,
        type="CorpusExtended",
        version=1,
        round=number,
        worker=0,
        at="",
        payload={},
        digest=b"",
    )


def folded_from(references: list[Stretch], folded: int) -> list[int]:
    """Return the events that an actor folds that has folded so many."""
    found = []
    for stretch in references:
        assert stretch.begin <= folded
        new = stretch.events[folded - stretch.begin :]
        folded += len(new)
        found += [each.seq for each in new]
    return found


def test_from_any_point_on_each_event_comes_once_and_in_order():
    past = Past(lambda stretch: stretch)
    rounds, length = 3 * CHAPTER_STRETCHES + 5, 0
    for number in range(rounds):
        news = [event(length + each) for each in range(number % 3)]
        past.extend(news)
        length += len(news)
        for folded in range(0, length + 1, 7):
            expected = list(range(folded, length))
            assert folded_from(past.since(folded), folded) == expected
    assert past.length == length


def test_a_late_actor_fetches_few_objects_and_each_event_is_put_twice():
    put = []

    def keep(stretch: Stretch) -> Stretch:
        put.append(len(stretch.events))
        return stretch

    past = Past(keep)
    for number in range(10 * CHAPTER_STRETCHES):
        past.extend([event(number)])
    assert len(past.since(0)) <= 10 + CHAPTER_STRETCHES
    assert sum(put) <= 2 * past.length
