"""What Python makes for climbing: its record, and logs of comparisons."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from struct import Struct
from typing import NamedTuple, TypeAlias

from echidna_mcp.evm.backend import MOST_COMPARISONS, Comparison, ComparisonKind
from echidna_mcp.fuzz.climbing.comparisons import (
    CLOSER,
    COMPARISON_ROW,
    KIND_SHIFT,
    LEFT,
    LIKER,
    RIGHT,
    closeness,
    kind_at,
    left_at,
    likeness,
    mark_at,
    mark_of_site,
    mask_mark,
    nearness,
    right_at,
)
from echidna_mcp.fuzz.climbing.contexts import EVERYWHERE
from echidna_mcp.fuzz.climbing.fallen import (
    FALLEN_ROW,
    MARKS,
    MOST_TOLD,
    know_fallen,
)
from echidna_mcp.fuzz.climbing.goals import LOOKED, wanted_at
from echidna_mcp.fuzz.climbing.places import MOST_PLACES, PLACE_WORDS
from echidna_mcp.fuzz.climbing.profiles import (
    GREATEST,
    MOST_PROFILES,
    SEEN,
    is_of_small,
    profile_mark,
)
from echidna_mcp.fuzz.climbing.repairs import MOST_REPAIRS, REPAIR_WORDS
from echidna_mcp.fuzz.climbing.seeing import WHERE_WORDS
from echidna_mcp.fuzz.climbing.sites import (
    SITE_WORDS,
    SITES,
    know_nearest,
    know_tries,
    list_learnt,
    row_in,
    set_waits,
)
from echidna_mcp.fuzz.climbing.state import MOST_SPENT, WINDOW, Climb
from echidna_mcp.fuzz.layout import MAX_CALL_BYTES
from echidna_mcp.kernel.language.memory import Bytes, Words, words
from echidna_mcp.kernel.language.record import blank

Measure: TypeAlias = Callable[[int, int, int, int], int]
"""Kind, wanted outcome and both operands of a comparison; how near it is, 0 if it is
none that is told apart."""
MOST_KNOWN = 4 * SITES
"""Sites of which Python remembers the marks."""
SHARE = 8
"""One sequence has at most one part in so many of the calls of a task as variants."""
FEWEST = 64
"""So many it always has."""
OPERANDS = {LEFT: left_at, RIGHT: right_at}
NONE_LOOKED = b"\xff" * (LOOKED * COMPARISON_ROW)
"""What is remembered of comparisons when none was looked at: no kind is so great."""
_KINDS = tuple(sorted(ComparisonKind))
_ROW = Struct("<QQ32s32s")
"""Kind, site and operands of a comparison, `COMPARISON_ROW` bytes."""
_FALLEN = Struct("<QQ32s")
"""Key, outcome and word of what has fallen, `FALLEN_ROW` bytes."""
_NO_SITES = words([0] * (SITES * SITE_WORDS))
_NONE_LEARNT = words([0] * (SITES * 2))
_NO_MARKS = words([0] * MARKS)


def make_climb(most: int = MOST_SPENT) -> Climb:
    """Return the record that a replica climbs with.

    Args:
        most: variants that a sequence may have until a task says otherwise.
    """
    climb: Climb = blank(Climb)
    climb.sites = _NO_SITES[:]
    climb.base = bytearray(WINDOW * MAX_CALL_BYTES)
    climb.variant = bytearray(WINDOW * MAX_CALL_BYTES)
    climb.base_starts = words([0] * (WINDOW + 1))
    climb.variant_starts = words([0] * (WINDOW + 1))
    climb.rows = make_log()
    climb.heard = make_log()
    climb.where = words([0] * WHERE_WORDS)
    climb.heard_where = words([0] * WHERE_WORDS)
    climb.places = words([0] * (MOST_PLACES * PLACE_WORDS))
    climb.repairs = words([0] * (MOST_REPAIRS * REPAIR_WORDS))
    climb.looked = bytearray(NONE_LOOKED)
    climb.fallen = bytearray(MOST_TOLD * FALLEN_ROW)
    climb.fallen_marks = _NO_MARKS[:]
    climb.most = most
    return climb


def configure(
    climb: Climb,
    *,
    limits: bool = False,
    seldom_limits: bool = False,
    seldom_targets: bool = False,
    fitting: bool = False,
    fitted_sequences: bool = False,
    waypoints: bool = False,
    profiles: bool = False,
    masks: bool = False,
    fields: bool = False,
    repairs: bool = False,
    contexts: bool = False,
    ties: bool = False,
) -> None:
    """Choose how all tasks climb.

    Args:
        climb: the record.
        limits: whether calls are driven to limits.
        seldom_limits: whether what they were driven to in vain is passed over at times.
        seldom_targets: whether what was found after some tries is sought as seldom in
            other tasks, and what nothing moves more seldom.
        fitting: whether calls that fail at a guard are made to hold it.
        fitted_sequences: whether more sequences are climbed for that alone.
        waypoints: whether it is news how near climbed calls come to outcomes.
        profiles: whether small numbers that they compare are.
        masks: whether bits count by which words differ that shall be equal.
        fields: whether numbers may be several that are packed into one.
        repairs: whether what a change breaks may be mended by a second one.
        contexts: whether comparisons are told apart by the functions called.
        ties: whether numbers may be tied to those of other calls.
    """
    climb.limiting, climb.seldom_limits = int(limits), int(seldom_limits)
    climb.seldom_targets = int(seldom_targets)
    climb.fitting, climb.fits_often = int(fitting), int(fitted_sequences)
    climb.waypoints, climb.profiling = int(waypoints), int(profiles)
    climb.masks = int(masks)
    climb.fields = int(fields)
    climb.repairing = int(repairs)
    climb.by_function = int(contexts)
    climb.tying = int(ties)


class KnownSites:
    """What the campaign knows of comparisons, as all tasks of a round begin with it.

    Attributes:
        sites: the table; what is sought in vain waits for nothing in it.
        has_room: whether more small operands may become known.
        fallen: the table of what has fallen.
    """

    def __init__(
        self,
        tries: Mapping[int, int],
        nearest: Mapping[int, int],
        know_tries: Callable[[Words, Words, int], None] = know_tries,
        know_nearest: Callable[[Words, Words, int], None] = know_nearest,
        *,
        fallen: Collection[int] = (),
        know_fallen: Callable[[Words, Words, int], None] = know_fallen,
    ) -> None:
        """Fill the table.

        Args:
            tries: by mark, how often the other outcome was sought in vain.
            nearest: by mark, how near a sequence has come to the other outcome.
            fallen: marks of what has fallen.
            know_tries, know_nearest, know_fallen: the functions of these names,
                compiled or plain.
        """
        self.sites = _NO_SITES[:]
        self.has_room = profile_room(nearest) > 0
        know_tries(self.sites, _in_order(tries), len(tries))
        know_nearest(self.sites, _in_order(nearest), len(nearest))
        self.fallen = _NO_MARKS[:]
        know_fallen(self.fallen, words(sorted(fallen)), len(fallen))


def _in_order(values: Mapping[int, int]) -> Words:
    """Return marks, ascending, each followed by its value."""
    return words([word for mark in sorted(values) for word in (mark, values[mark])])


def begin_task(
    climb: Climb,
    known: KnownSites,
    turn: int,
    calls: int,
    set_waits: Callable[[Words, int], None] = set_waits,
) -> None:
    """Forget what other tasks have seen; know what the campaign has tried.

    Args:
        climb: the record.
        known: what that is.
        turn: tells the task from others, which seek other ones of these.
        calls: about how many the task can make; few sequences may have all of them.
        set_waits: the function of that name, compiled or plain.
    """
    climb.most = min(max(calls // SHARE, FEWEST), MOST_SPENT)
    climb.sites[:] = known.sites
    climb.fallen_marks[:] = known.fallen
    climb.fallen_count = 0
    set_waits(climb.sites, turn)
    climb.turn = climb.limit_turn = climb.fit_turn = climb.tie_turn = turn
    climb.looked[:] = NONE_LOOKED
    climb.profiles = int(climb.profiling != 0 and known.has_room)


def goal_at(
    climb: Climb, log: Bytes, found: int, context: int = EVERYWHERE
) -> tuple[int, int, int]:
    """Return mark, wanted outcome and nearness of what was found in a log.

    `find_goal`, `find_waypoint` and `find_profile` tell where.

    An even mark is that of how close a comparison is, whose own mark comes next.
    """
    number, measure = divmod(found - 1, 2 * COMPARISON_ROW)
    at = number * COMPARISON_ROW
    if measure in OPERANDS:
        operand = OPERANDS[measure](log, at)
        return profile_mark(mark_at(log, at), measure, operand), 0, SEEN
    row = row_in(climb.sites, context, log, at)
    mark = climb.sites[row]
    wanted = wanted_at(climb.sites, row, log, at)
    operands = kind_at(log, at), wanted, left_at(log, at), right_at(log, at)
    if measure == LIKER:
        return mask_mark(mark), wanted, likeness(*operands)
    if measure == CLOSER:
        return mark - 1, wanted, closeness(*operands)
    return mark, wanted, nearness(*operands)


def profile_room(nearest: Mapping[int, int]) -> int:
    """Return how many more small operands may become known where these are."""
    return MOST_PROFILES - sum(near == SEEN for near in nearest.values())


def profile_marks(comparison: Comparison) -> Iterator[int]:
    """Yield the marks of the small operands of a comparison."""
    kind, left, right, _ = comparison
    if not is_of_small(kind, left, right):
        return
    mark = mark_of(comparison)
    for side, operand in ((LEFT, left), (RIGHT, right)):
        if operand <= GREATEST:
            yield profile_mark(mark, side, operand)


def mark_of(comparison: Comparison) -> int:
    """Return what tells a comparison from those of other places."""
    return _mark_of_site(comparison.site, int(comparison.kind))


@lru_cache(maxsize=MOST_KNOWN)
def _mark_of_site(site: int, kind: int) -> int:
    return mark_of_site(site, kind)


@lru_cache(maxsize=MOST_KNOWN)
def measured_marks(
    site: int, kind: int, context: int
) -> tuple[tuple[int, Measure], ...]:
    """Return the marks under which it can be known how near a comparison came, and how.

    Args:
        site: where it was made.
        kind: its kind.
        context: in which it was made.
    """
    own = mark_of_site(site, kind)
    return (
        (own, nearness),
        (own ^ context, nearness),
        (own - 1, closeness),
        (mask_mark(own), likeness),
        (mask_mark(own ^ context), likeness),
    )


def learnt(
    climb: Climb,
    known: KnownSites,
    list_learnt: Callable[[Words, Words, Words], int] = list_learnt,
) -> tuple[tuple[int, int], ...]:
    """Return marks, ascending, and how often each was tried, as far as that is new.

    That is `FOUND_AFTER` more if it was found after all, and is sought as seldom.

    Args:
        climb: the record.
        known: what the task began with.
        list_learnt: the function of that name, compiled or plain.
    """
    found = _NONE_LEARNT[:]
    count = list_learnt(climb.sites, known.sites, found)
    pairs = iter(found[: 2 * count])
    return tuple(sorted(zip(pairs, pairs, strict=True)))


class Fallen(NamedTuple):
    """A comparison that has fallen (`fallen`).

    Attributes:
        site: where it is made, as of a `Comparison`.
        kind: its `ComparisonKind`.
        holds: the outcome that was reached.
        word: what stands at the place that was changed.
    """

    site: int
    kind: int
    holds: int
    word: int

    @property
    def mark(self) -> int:
        """What tells the comparison from those of other places."""
        return mark_of_site(self.site, self.kind)


def fallen_of(climb: Climb) -> tuple[Fallen, ...]:
    """Return what has fallen in the present task, in that order."""
    rows = _FALLEN.iter_unpack(climb.fallen[: climb.fallen_count * FALLEN_ROW])
    return tuple(
        Fallen(
            site=key & ((1 << KIND_SHIFT) - 1),
            kind=key >> KIND_SHIFT,
            holds=outcome,
            word=int.from_bytes(word, "little"),
        )
        for key, outcome, word in rows
    )


def make_log(rows: int = MOST_COMPARISONS) -> Bytes:
    """Return a comparison log."""
    return bytearray(rows * COMPARISON_ROW)


def write_log(log: Bytes, comparisons: Sequence[Comparison], count: int) -> None:
    """Write the last of `count` comparisons as compiled code reads them."""
    for number, (kind, left, right, site) in enumerate(
        comparisons, count - len(comparisons)
    ):
        _ROW.pack_into(
            log,
            number % MOST_COMPARISONS * COMPARISON_ROW,
            kind,
            site,
            left.to_bytes(32, "little"),
            right.to_bytes(32, "little"),
        )


def read_log(log: Bytes, count: int) -> Iterator[Comparison]:
    """Yield the last of `count` comparisons of a log, oldest first."""
    rows = [*_ROW.iter_unpack(log[: min(count, MOST_COMPARISONS) * COMPARISON_ROW])]
    oldest = count % MOST_COMPARISONS if count > MOST_COMPARISONS else 0
    for kind, site, left, right in rows[oldest:] + rows[:oldest]:
        yield Comparison(
            _KINDS[kind],
            int.from_bytes(left, "little"),
            int.from_bytes(right, "little"),
            site,
        )
