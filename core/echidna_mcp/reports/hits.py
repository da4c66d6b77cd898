"""How many calls of the corpus execute a line; a campaign knows only which lines are.

The search is a filter in native code, and counting each line there would make it slower
for a number that says little: it grows with the time that was spent. So the corpus is
executed once more, on the EVM of the campaign. It holds every call that brought
coverage, so a line that the campaign has reached is counted, and its number says how
many different ways into it are known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from echidna_mcp.errors import CapacityError
from echidna_mcp.evm.backend import CallResult, Watch
from echidna_mcp.evm.outside import Outside
from echidna_mcp.fuzz.records import call_length
from echidna_mcp.program.identity import CodeIndex, creation_key, runtime_key
from echidna_mcp.program.model import Span
from echidna_mcp.rounds.call_codec import CallCodec
from echidna_mcp.rounds.caller import Caller
from echidna_mcp.rounds.deployment import deployed_world

if TYPE_CHECKING:
    from echidna_mcp.evm.backend import EvmBackend
    from echidna_mcp.reports.lines import CoverageIndex
    from echidna_mcp.rounds.backend import BackendPlugin
    from echidna_mcp.views.campaign import CampaignViews

Way: TypeAlias = Literal["reached", "fell_through", "jumped"]
"""What happened at a branch: its condition was evaluated, and the two outcomes."""

MOST_CALLS: Final = 10_000
"""Calls that are executed; sequences that would lead beyond are left out. Seconds on
the native EVM, and what comes later in a corpus is only little new."""

_MOST_PATTERNS: Final = 4096
"""What is remembered of visited code; each is as long as the code at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """Counts of calls; a call counts once for each thing that it executes.

    Attributes:
        sequences, calls: of the corpus, as far as they were executed.
        left_out: sequences that were not, because there are more than `MOST_CALLS`.
        lines: by (path, line).
        functions: by (path, line on which it begins).
        branches: by (source range, what happened).
    """

    sequences: int = 0
    calls: int = 0
    left_out: int = 0
    lines: Counter[tuple[str, int]] = field(default_factory=Counter)
    functions: Counter[tuple[str, int]] = field(default_factory=Counter)
    branches: Counter[tuple[Span, Way]] = field(default_factory=Counter)


NO_HITS: Final = Hits()
"""Where nothing was counted."""


def corpus_hits(
    views: CampaignViews,
    backend: BackendPlugin,
    index: CoverageIndex,
    most: int = MOST_CALLS,
) -> Hits:
    """Execute the corpus of a campaign, and count.

    Args:
        views: the fold of the campaign, with all answers of the outside.
        backend: what it ran on.
        index: of its program.
        most: calls to make at most.

    Raises:
        DeploymentError, NotReproducibleError: the deployment fails, as it has not for
            the campaign.
    """
    counting = _Counting(index)
    sequences = calls = 0
    rerun = None
    for entry in views.corpus.entries:
        if calls + len(entry.calls) > most:
            break
        rerun = rerun or _Rerun(views, backend)
        for result in rerun.results(entry.calls):
            counting.add(result, rerun)
        sequences += 1
        calls += len(entry.calls)
    return Hits(
        sequences=sequences,
        calls=calls,
        left_out=len(views.corpus) - sequences,
        lines=counting.lines,
        functions=counting.functions,
        branches=counting.branches,
    )


class _Rerun:
    """The target of a campaign, deployed once more."""

    def __init__(self, views: CampaignViews, backend: BackendPlugin) -> None:
        backend.load()
        target = views.target
        self._evm: EvmBackend
        self._evm, _ = deployed_world(backend, target, Outside(views.outside.answers))
        self._start = self._evm.snapshot()
        self._codec = CallCodec(target)
        self._caller = Caller(target, self._codec, self._evm)
        self._codes = CodeIndex(target.program)
        self._keys: dict[bytes, str] = {}

    def results(self, calls: Collection[Mapping[str, object]]) -> Iterator[CallResult]:
        """Yield what each call of a sequence does, from the start state."""
        self._evm.restore(self._start)
        self._caller.begin()
        watch: Watch = replace(self._caller.watch, coverage=True, edges=True)
        sequence, at = bytearray(self._codec.sequence(calls)), 0
        while at < len(sequence):
            message = self._caller.aim(sequence, at)
            if message is not None:
                try:
                    result = self._evm.call(message, watch)
                except CapacityError:
                    return  # As in the campaign, the sequence ends there.
                self._caller.made(message, result)
                yield result
            at += call_length(sequence, at)

    def key(self, code_hash: bytes) -> str:
        """Return the key of a code of the last result; empty if it is forgotten."""
        key = self._keys.get(code_hash)
        if key is None:
            try:
                code = self._evm.code_of_hash(code_hash)
            except KeyError:
                return ""
            key = self._keys[code_hash] = self._codes.key(code_hash, code)
        return key


class _Counting:
    """Relates what calls visit to the source, and counts."""

    def __init__(self, index: CoverageIndex) -> None:
        self.lines: Counter[tuple[str, int]] = Counter()
        self.functions: Counter[tuple[str, int]] = Counter()
        self.branches: Counter[tuple[Span, Way]] = Counter()
        self._units: dict[str, list[tuple[_Place, _Place | None] | None]] = {}
        self._reached: dict[tuple[str, int], Span] = {}
        self._ways: dict[tuple[str, int, int], tuple[Span, Way]] = {}
        self._known: dict[tuple[str, bytes], _Pattern] = {}
        for contract in index.program.contracts:
            static = index.map(contract)
            paths = [source.path for source in index.program.sources]
            units: list[tuple[_Place, _Place | None] | None] = []
            for unit in static.units:
                path, function = paths[unit.file], None
                if unit.function >= 0:
                    function = (path, static.functions[unit.function].line)
                units.append(((path, unit.line), function))
            units.append(None)  # What a table says with -1.
            for key, table in (
                (runtime_key(contract), static.runtime),
                (creation_key(contract), static.creation),
            ):
                self._units[key] = [units[number] for number in table]
            code = runtime_key(contract)
            for branch in static.branches:
                for jump, after, target in branch.sites:
                    self._reached[code, jump] = branch.span
                    self._ways[code, jump, after] = branch.span, "fell_through"
                    self._ways[code, jump, target] = branch.span, "jumped"

    def add(self, result: CallResult, rerun: _Rerun) -> None:
        """Count what one call has done."""
        lines: set[_Place] = set()
        functions: set[_Place] = set()
        branches: set[tuple[Span, Way]] = set()
        for visit in result.visits:
            pattern = self._pattern(rerun.key(visit.code_hash), visit.counters)
            lines |= pattern.lines
            functions |= pattern.functions
            branches |= pattern.reached
        for edge in result.edges:
            way = self._ways.get((rerun.key(edge.code_hash), edge.jump, edge.target))
            if way is not None:
                branches.add(way)
        self.lines.update(lines)
        self.functions.update(functions)
        self.branches.update(branches)

    def _pattern(self, key: str, counters: bytes) -> _Pattern:
        """Return what the visited instructions of a code stand for.

        Most calls visit what some other has visited.
        """
        known = self._known.get((key, counters))
        if known is None:
            if len(self._known) >= _MOST_PATTERNS:
                self._known.clear()
            known = self._known[key, counters] = self._read(key, counters)
        return known

    def _read(self, key: str, counters: bytes) -> _Pattern:
        table = self._units.get(key, [])
        visited = [pc for pc, mark in enumerate(counters[: len(table)]) if mark]
        units = {table[pc] for pc in visited} - {None}
        return _Pattern(
            lines=frozenset(unit[0] for unit in units if unit),
            functions=frozenset(unit[1] for unit in units if unit and unit[1]),
            reached=frozenset(
                (self._reached[key, pc], "reached")
                for pc in visited
                if (key, pc) in self._reached
            ),
        )


_Place: TypeAlias = tuple[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pattern:
    lines: frozenset[_Place]
    functions: frozenset[_Place]
    reached: frozenset[tuple[Span, Way]]
