"""The smallest part of a corpus that covers and falsifies all that the whole does.

To find it is set cover, which nobody does exactly for a thousand sequences. It is done
greedily, as everywhere in the field: the sequence that adds most is next, the shorter
and then the earlier of equals. What those chosen later make superfluous is dropped at
the end. The result depends on nothing but the sequences and their order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from echidna_mcp.corpora.playing import Played
from echidna_mcp.views.coverage import counters

Feature: TypeAlias = "tuple[str | int, ...]"
"""Something that a sequence shows: code reached at a depth, an ending, an edge, a
state, a test that it falsifies, or whose greatest value it reaches."""


def points_of(played: Played) -> set[tuple[str, int]]:
    """Return the (code, program counter) that a sequence covers, at any depth."""
    return {
        (key, counter)
        for key, _, bits in played.coverage.visited
        for counter in counters(bits)
    }


def features_of(played: Sequence[Played]) -> list[frozenset[Feature]]:
    """Return all that each sequence shows; of values only the greatest of a test."""
    best: dict[str, int] = {}
    for each in played:
        for test, value in each.values.items():
            best[test] = max(value, best.get(test, value))
    return [_features(each, best) for each in played]


def _features(played: Played, best: Mapping[str, int]) -> frozenset[Feature]:
    found: set[Feature] = {
        ("visited", key, depth, counter)
        for key, depth, bits in played.coverage.visited
        for counter in counters(bits)
    }
    found |= {("ending", *each) for each in played.coverage.endings}
    found |= {("edge", *each) for each in played.coverage.edges}
    found |= {("state", *each) for each in played.coverage.states}
    found |= {("falsified", name) for name in played.falsified}
    values = played.values.items()
    found |= {("value", name) for name, value in values if value == best[name]}
    return frozenset(found)


def smallest_cover(
    features: Sequence[frozenset[Feature]], lengths: Sequence[int]
) -> list[int]:
    """Return the numbers of sequences that show all features, ascending.

    Args:
        features: what each sequence shows.
        lengths: how many calls each has.
    """
    missing: set[Feature] = set().union(*features)
    chosen: list[int] = []
    left = dict(enumerate(features))
    while missing:
        best = min(left, key=lambda n: (-len(left[n] & missing), lengths[n], n))
        missing -= left.pop(best)
        chosen.append(best)
    return _without_superfluous(chosen, features, lengths)


def _without_superfluous(
    chosen: Sequence[int],
    features: Sequence[frozenset[Feature]],
    lengths: Sequence[int],
) -> list[int]:
    """Drop what the others show as well, the longest sequences first."""
    times: dict[Feature, int] = {}
    for number in chosen:
        for feature in features[number]:
            times[feature] = times.get(feature, 0) + 1
    kept = set(chosen)
    for number in sorted(chosen, key=lambda n: (-lengths[n], -n)):
        if all(times[feature] > 1 for feature in features[number]):
            kept.remove(number)
            for feature in features[number]:
                times[feature] -= 1
    return sorted(kept)
