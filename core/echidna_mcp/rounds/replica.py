"""A replica: the deployed target on a backend, and a fold of the campaign's events.

Replicas that have folded the same events are the same, wherever they are. Every worker
process has one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from sys import intern
from typing import Any, Final, cast

from echidna_mcp.events.event import Event
from echidna_mcp.events.payloads import CoverageIncreased, EventType
from echidna_mcp.evm.outside import Outside, Source
from echidna_mcp.fuzz.climbing.starting import KnownSites, configure, make_climb
from echidna_mcp.fuzz.harvest import MOST_HARVESTED
from echidna_mcp.fuzz.kernels.loading import load_kernels
from echidna_mcp.fuzz.records import call_function
from echidna_mcp.fuzz.tables import (
    BROOD_CALLS,
    GROUP_WORDS,
    MOST_CHAINED,
    FuzzTables,
    make_tables,
    sequence_capacity,
    sequence_weights,
)
from echidna_mcp.kernel.language.memory import words
from echidna_mcp.program.identity import CodeIndex, creation_key
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.call_codec import CallCodec
from echidna_mcp.rounds.commands import MAX_INJECTED_CALLS
from echidna_mcp.rounds.deployment import deployed_world
from echidna_mcp.rounds.failures.sites import SiteFinder
from echidna_mcp.rounds.interface import known_addresses, make_pool
from echidna_mcp.rounds.judge import Judge
from echidna_mcp.rounds.recorder import keys_of
from echidna_mcp.rounds.tasks import RoundTask
from echidna_mcp.views.campaign import CampaignViews
from echidna_mcp.views.coverage import CoverageDelta
from echidna_mcp.views.entries import CorpusEntries, Word, steps_of

OVERRIDING: Final = 900
"""Thousandths of the calls that get an override, if any do (Foundry 1.7.1)."""

FAVOURED: Final = 4
"""So often stands what raised a value or showed new code, where others stand once."""

_FOLDED: Final[frozenset[EventType]] = frozenset(
    {
        "CheatcodeRefused",
        "ComparisonsSolved",
        "ComparisonsTried",
        "CorpusExtended",
        "CorpusInherited",
        "CoverageIncreased",
        "DictionaryExtended",
        "OutsideAnswered",
        "PropertyFalsified",
        "ValueRaised",
    }
)


def relevant(events: Iterable[Event]) -> list[Event]:
    """Return the events on which the results of tasks depend.

    What else decides a result is in the task itself. An executor that keeps the past,
    for replicas that join later, need keep no more than these.
    """
    return [_kept(event) for event in events if event.type in _FOLDED]


def _kept(event: Event) -> Event:
    """Return an event as it is kept.

    Of comparisons almost every round tells, and of the same ones again and again.
    """
    if event.type != "ComparisonsTried" or isinstance(event.payload["marks"], tuple):
        return event
    marks, tries = event.payload["marks"], event.payload["tries"]
    shared = {"marks": tuple(map(intern, marks)), "tries": tuple(tries)}
    return replace(event, at="", payload=shared, digest=b"")


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """What a replica needs before the first round. Picklable.

    Attributes:
        nice: how far whoever runs tasks steps back behind other programs, 0 to 19; as
            with `nice(1)`, and never part of a result.
    """

    target: FuzzTarget
    backend: BackendPlugin
    nice: int = 0


class Replica:
    """A backend with the deployed target, and a fold of the campaign's events."""

    def __init__(self, setup: WorkerSetup, source: Source | None = None) -> None:
        """Deploy the target.

        Args:
            setup: what it needs.
            source: answers what the deployment asks the outside for and the target
                does not know; None if that must be nothing.

        Raises:
            DeploymentError, NotReproducibleError: see `deployed_world`.
        """
        setup.backend.load()
        self.target = setup.target
        config = self.target.config
        # Before a backend reserves memory: machine code must lie close together.
        self.kernels = load_kernels()
        self.views = CampaignViews(self.target)
        self.outside = Outside(self.views.outside.answers, source)
        self.backend, self.deployments = deployed_world(
            setup.backend, self.target, self.outside
        )
        self.outside.close()
        self.start = self.backend.snapshot()
        self.codec = CallCodec(self.target, self.kernels)
        self.codes = CodeIndex(self.target.program)
        # Whoever looks at the deployment, and whatever ran before, they are the same.
        self.deployed_keys = keys_of(self.deployments, self.codes, self.backend)
        self.judge = Judge(self.target, self.backend)
        self.sites = SiteFinder(self.target.program, self._key)
        self.corpus = bytearray()
        self._corpus_end = 0
        """Behind it is what the present task has found."""
        self.corpus_entries = CorpusEntries()
        self.entries = self.corpus_entries.spans
        """Start and end of the sequences from which the present task may go on."""
        self._left_out: frozenset[int] = frozenset()
        """The functions that the present task does not call."""
        self._steps: list[Word] = []
        # An injected sequence may be longer than those that are generated.
        longest = max(config.seq_len, MAX_INJECTED_CALLS)
        self.out = bytearray(sequence_capacity(longest))
        self.climb = make_climb()
        configure(
            self.climb,
            limits=config.limits,
            seldom_limits=config.seldom_limits,
            seldom_targets=config.seldom_targets,
            fitting=config.fitting,
            fitted_sequences=config.has_fitted_sequences,
            waypoints=config.has_waypoints,
            profiles=config.has_profiles,
            masks=config.masks,
            fields=config.fields,
            repairs=config.repairs,
            contexts=config.contexts,
            ties=config.ties,
        )
        # The same for all tasks of a round, until more is folded.
        self._known_sites: KnownSites | None = None
        self._tables: dict[tuple[object, ...], FuzzTables] = {}
        returned = [f.outputs for f in setup.target.functions]
        self.pool = make_pool(
            harvests=config.harvests,
            pairs=config.pairs,
            returned=returned if config.typed else None,
        )
        search = setup.backend.search
        self.searcher = search(self) if search is not None else None

    def _key(self, code_hash: bytes) -> str:
        """Return the coverage key of a code that the last message has run."""
        return self.codes.key(code_hash, self.backend.code_of_hash(code_hash))

    def fold(self, events: Sequence[Event]) -> None:
        """Take in committed events; those that are not relevant are ignored."""
        news = relevant(events)
        if news:
            self._known_sites = None
            self._tables.clear()
        for event in news:
            self.views.apply(event)
            for calls in _joining(event):
                self._add(event, calls)
            # What is new about a sequence is said just before it.
            self._steps = []
            if event.type == "CoverageIncreased" and self.target.config.retiring:
                self._steps = steps_of(cast("CoverageIncreased", event.payload))

    @property
    def known_sites(self) -> KnownSites:
        """What is known of comparisons."""
        if self._known_sites is None:
            comparisons = self.views.comparisons
            nearest = self.views.coverage.map.nearest
            kernels = self.kernels
            self._known_sites = KnownSites(
                comparisons.tries,
                nearest,
                kernels.know_tries,
                kernels.know_nearest,
                fallen=comparisons.fallen,
                know_fallen=kernels.know_fallen,
            )
        return self._known_sites

    def follow(self, sequence: bytes, news: CoverageDelta) -> None:
        """Let the present task go on from a sequence that it has found.

        One that begins with a function that the task leaves out is no beginning.
        """
        start = len(self.corpus)
        self.corpus += sequence
        if call_function(self.corpus, start) in self._left_out:
            return
        span = words([start, len(self.corpus)])
        is_new = self.views.coverage.new_points(news) > 0
        self.entries = self.entries + span * self._times(is_new)

    def end_following(self) -> None:
        """Forget what a task has found: others go on from it in the next round."""
        del self.corpus[self._corpus_end :]

    def _add(self, event: Event, calls: Sequence[Mapping[str, Any]]) -> None:
        """Add a sequence of an event to the corpus."""
        start = len(self.corpus)
        self.corpus += self.codec.sequence(calls)
        end = self._corpus_end = len(self.corpus)
        steps = self._steps if event.type == "CorpusExtended" else []
        raised = event.type == "ValueRaised"
        is_new = event.type == "CorpusExtended" and event.payload["newPoints"] > 0
        times = FAVOURED if raised else self._times(is_new)
        self.corpus_entries.add(start, end, times, steps)

    def _times(self, shows_new_code: bool) -> int:
        """Return how many times a sequence stands where others stand once."""
        return FAVOURED if shows_new_code and self.target.config.favoured else 1

    def inherited(self, number: int) -> bytearray:
        """Return an inherited sequence; they come before all others, and stay."""
        start, end = self.corpus_entries.spans[2 * number : 2 * number + 2]
        return self.corpus[start:end]

    def tables(self, task: RoundTask) -> FuzzTables:
        """Return what the task generates from; `entries` is what it goes on from."""
        self._left_out = frozenset(task.left_out)
        self.entries = self.corpus_entries.without(self._left_out, self.corpus)
        chosen = task.priorities, task.left_out, task.seldom, task.plain
        tables = self._tables.get(chosen)
        if tables is None:
            tables = tables_for(self.target, self.codec, self.views, task)
            self._tables[chosen] = tables
        # Of another task.
        tables.group[:] = words([0] * GROUP_WORDS)
        tables.calling = tables.function_count
        self.pool.most = MOST_HARVESTED if tables.harvest else 0
        return tables


def tables_for(
    target: FuzzTarget, codec: CallCodec, views: CampaignViews, task: RoundTask
) -> FuzzTables:
    """Return what a task generates from.

    Args:
        target: what is called.
        codec: of the target.
        views: what was found before the task.
        task: it.
    """
    config = target.config
    overriding = config.call_override and config.checks("invariant")
    return make_tables(
        types=codec.interface.types,
        functions=codec.interface.functions,
        senders=target.senders,
        dictionary=views.dictionary.words,
        own=codec.interface.constants,
        addresses=known_addresses(target),
        max_value=config.max_value,
        max_time_delay=config.max_time_delay,
        max_block_delay=config.max_block_delay,
        dict_freq=config.dict_freq,
        weights=sequence_weights(
            config.mut_consts,
            broods=config.broods and config.seq_len > 1,
            repetition=config.repetition and config.seq_len > 1,
        ),
        priority=task.priorities,
        unborn=(*_unborn(target, views), *task.left_out),
        seldom=task.seldom,
        seq_len=config.seq_len,
        fixtures=codec.interface.fixtures,
        texts=codec.interface.texts,
        literals=codec.interface.literals,
        overriding=OVERRIDING if overriding else 0,
        callees=target.callee_of,
        barred=target.barred_senders if target.any_sender else None,
        coupled=config.coupled_shrinking,
        # Foundry counts runs, and each of its runs has all calls.
        brood_calls=config.seq_len if config.of_foundry else BROOD_CALLS,
        chained=MOST_CHAINED if task.plain else 0,
        echoes=config.echoes and not task.plain,
        keys=config.keys,
        shifts=config.shifts,
        widths=config.widths,
        harvest=config.harvests and not task.plain,
        payloads=config.payloads,
        ties=config.ties,
    )


def _unborn(target: FuzzTarget, views: CampaignViews) -> list[int]:
    """Return the functions of contracts that no sequence has created yet.

    What creation code has run is known if coverage is. Then they are not called: each
    such call would be left out.
    """
    if not target.config.coverage:
        return []
    return [
        function
        for function, number in enumerate(target.callee_of)
        for callee in [target.callees[number]]
        if callee.address is None
        and not views.coverage.has(creation_key(callee.contract))
    ]


def _joining(event: Event) -> Sequence[Sequence[Mapping[str, Any]]]:
    """Return the sequences with which new ones can begin from this event on.

    An inherited one is there before it is run, and stays as it was.
    """
    match event.type:
        case "CorpusInherited":
            found: Sequence[Sequence[Mapping[str, Any]]] = event.payload["sequences"]
            return found
        case "CorpusExtended" if "inherited" not in event.payload:
            return [event.payload["calls"]]
        case "ValueRaised" if event.payload["calls"]:
            return [event.payload["calls"]]
    return ()
