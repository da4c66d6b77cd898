"""The recorder: what calls of a task show that is new, and what is logged of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from echidna_mcp.abi.revert import AbiError, revert_reason
from echidna_mcp.cheatcodes.errors import SKIP
from echidna_mcp.events.payloads import State
from echidna_mcp.evm.backend import CallResult, EvmBackend, SlotValue, Status
from echidna_mcp.evm.states import class_in
from echidna_mcp.program.identity import CodeIndex
from echidna_mcp.rounds.call_codec import outcome
from echidna_mcp.rounds.foundry.discarded import is_discarded, is_skipped
from echidna_mcp.rounds.tasks import Outcome, Sample
from echidna_mcp.views.campaign import CampaignViews
from echidna_mcp.views.coverage import CoverageDelta, Jump, Nearest
from echidna_mcp.views.dictionary import MOST_WORDS, SMALLEST_WORD
from echidna_mcp.views.exercise import DISCARDED, SKIPPED

_LONGEST_DATA = 256
"""Bytes of return data or log data that are searched for constants."""


class Recorder:
    """Compares what calls executed with all that is known.

    It starts from the coverage that the replica has folded and learns in its own copy.
    """

    def __init__(
        self,
        views: CampaignViews,
        codes: CodeIndex,
        backend: EvmBackend,
        keys: Mapping[bytes, str],
        *,
        enabled: bool,
    ) -> None:
        """Start a task.

        Args:
            views: the fold of the campaign.
            codes: names of codes.
            backend: what runs them.
            keys: names of the codes that the deployment has run (`keys_of`).
            enabled: whether coverage is collected.
        """
        self._known = views.coverage.map.copy()
        self._dictionary = views.dictionary
        self._codes = codes
        self._backend = backend
        self._enabled = enabled
        self._keys = dict(keys)
        self._words: dict[int, None] = {}
        self.begin()

    @property
    def words(self) -> tuple[int, ...]:
        """Constants that the dictionary lacks, in the order in which they were seen."""
        return tuple(self._words)

    def begin(self) -> None:
        """Start collecting for a new sequence."""
        self._visited: list[tuple[str, int, int]] = []
        self._endings: list[tuple[str, int, int]] = []
        self._edges: list[Jump] = []
        self._states: list[State] = []
        self._nearest: list[Nearest] = []

    def come_nearer(self, mark: int, near: int) -> bool:
        """Take note of how near a sequence has come to an outcome of a comparison.

        Args:
            mark: of the comparison.
            near: how near (`fuzz.climbing.comparisons.nearness`).

        Returns:
            Whether that is news.
        """
        if not self._known.is_nearer(mark, near):
            return False
        self._known.nearest[mark] = near
        self._nearest.append((mark, near))
        return True

    def take(self) -> CoverageDelta:
        """Return what the sequence has added so far."""
        return self._since(0, 0, 0, 0, 0)

    def record(self, result: CallResult) -> CoverageDelta:
        """Take in one result; return what it added."""
        if not self._enabled:
            return CoverageDelta()
        found = (
            *(self._visited, self._endings, self._edges),
            *(self._states, self._nearest),
        )
        before = [len(each) for each in found]
        # A backend that leaves out what is known meets the rest in another order.
        for visit in sorted(result.visits, key=lambda v: (v.code_hash, v.depth)):
            key = self._key(visit.code_hash)
            bits = int.from_bytes(visit.counters, "little")
            if new := self._known.new_in(key, visit.depth, bits):
                self._known.add(key, visit.depth, new)
                self._visited.append((key, visit.depth, new))
        if result.last is not None:
            code_hash, counter = result.last
            ending = (self._key(code_hash), counter, int(result.status))
            if ending not in self._known.endings:
                self._known.endings.add(ending)
                self._endings.append(ending)
        for edge in sorted(result.edges):
            jump = (self._key(edge.code_hash), edge.jump, edge.target)
            if jump not in self._known.edges:
                self._known.edges[jump] = None
                self._edges.append(jump)
        self._record_states(result.states)
        delta = self._since(*before)
        if delta.is_of_code:
            self.learn(result)
        return delta

    def _record_states(self, values: Iterable[SlotValue]) -> None:
        known = self._known.states
        for left in sorted(values):
            if not (kind := class_in(left.slot, left.value)):
                continue
            state = (self._key(left.code_hash), left.slot, kind)
            if state not in known and self._known.has_room(state):
                self._known.add_state(state)
                self._states.append(state)

    def shows(self, result: CallResult, wanted: CoverageDelta) -> bool:
        """Whether a call, watched with all that is known, shows all that is wanted."""
        visited: dict[tuple[str, int], int] = {}
        for visit in result.visits:
            key = self._key(visit.code_hash)
            bits = int.from_bytes(visit.counters, "little")
            visited[key, visit.depth] = visited.get((key, visit.depth), 0) | bits
        if any(
            bits & ~visited.get((key, depth), 0) for key, depth, bits in wanted.visited
        ):
            return False
        if wanted.endings:
            assert result.last is not None, "coverage is watched"
            code_hash, counter = result.last
            if (self._key(code_hash), counter, int(result.status)) != wanted.endings[0]:
                return False
        edges = {(self._key(e.code_hash), e.jump, e.target) for e in result.edges}
        if not edges.issuperset(wanted.edges):
            return False
        states = {
            (self._key(left.code_hash), left.slot, class_in(left.slot, left.value))
            for left in result.states
        }
        return states.issuperset(wanted.states)

    def _since(
        self, visits: int, endings: int, edges: int, states: int, nearest: int
    ) -> CoverageDelta:
        """Return what was found after so much of each was known."""
        return CoverageDelta(
            tuple(self._visited[visits:]),
            tuple(self._endings[endings:]),
            tuple(self._edges[edges:]),
            tuple(self._states[states:]),
            tuple(self._nearest[nearest:]),
        )

    def _key(self, code_hash: bytes) -> str:
        key = self._keys.get(code_hash)
        if key is None:
            key = _find_key(self._codes, self._backend, code_hash)
            self._keys[code_hash] = key
        return key

    def learn(self, result: CallResult) -> None:
        """Collect constants from return data and logs of a call that ran new code."""
        # What a deployment returns is code.
        returned = result.status.succeeded and result.created is None
        parts = [result.output] if returned else []
        parts += [address.to_bytes(32, "big") for address in result.creations]
        for log in result.logs:
            parts += [*log.topics[1:], log.data]
        for part in parts:
            for at in range(0, min(len(part), _LONGEST_DATA) - 31, 32):
                word = int.from_bytes(part[at : at + 32], "big")
                if (
                    word >= SMALLEST_WORD
                    and word not in self._dictionary
                    and len(self._words) < MOST_WORDS
                ):
                    self._words[word] = None


def keys_of(
    results: Iterable[CallResult], codes: CodeIndex, backend: EvmBackend
) -> dict[bytes, str]:
    """Return the names of the codes that messages have run, by hash.

    A backend knows them while it has run little else.
    """
    hashes = {visit.code_hash for each in results for visit in each.visits}
    return {each: _find_key(codes, backend, each) for each in sorted(hashes)}


def _find_key(codes: CodeIndex, backend: EvmBackend, code_hash: bytes) -> str:
    try:
        code = backend.code_of_hash(code_hash)
    except KeyError:
        # A message that runs more codes than a backend remembers; which of them are
        # forgotten depends on that message alone.
        return f"0x{code_hash.hex()}"
    return codes.key(code_hash, code)


@dataclass(slots=True)
class Executed:
    """The calls of a sequence that were executed, and up to where it is kept.

    Attributes:
        news: what calls have shown that is new, by their numbers; those are not undone.
    """

    calls: bytearray = field(default_factory=bytearray)
    outcomes: list[Outcome] = field(default_factory=list)
    interesting: int = 0
    kept: int = 0
    news: dict[int, CoverageDelta] = field(default_factory=dict)

    def keep(self) -> None:
        """Make all so far worth keeping."""
        self.interesting, self.kept = len(self.outcomes), len(self.calls)


def sample_of(
    record: bytes, result: CallResult, errors: Sequence[AbiError], *, injected: bool
) -> Sample:
    """Return what is logged of a call.

    Args:
        record: it.
        result: what it did.
        errors: custom ones that it may have reverted with.
        injected: whether an agent asked for it.
    """
    reason = None
    if is_skipped(result):
        reason = f"{SKIPPED}{result.output[len(SKIP) :].decode(errors='replace')}"
    elif is_discarded(result):
        reason = DISCARDED
    elif result.status is Status.REVERT:
        reason = revert_reason(result.output, errors)
    gas_used, status = outcome(result)
    return Sample(
        call=record,
        gas_used=gas_used,
        status=status,
        reason=reason,
        injected=injected,
    )
