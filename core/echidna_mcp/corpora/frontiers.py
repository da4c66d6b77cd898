"""The frontiers of a corpus: comparisons of which its sequences show one outcome only.

Each sequence is run once on the reference EVM, which tells what its frames compare. A
comparison is an instruction of a code, wherever that is deployed. If it had both
outcomes in any sequence, it is no frontier. Of all calls that made it, the one whose
operands were nearest represents it, the one with the fewest calls before it and then
the oldest of equals: from there the other outcome is the shortest way. So each test has
the best of its own sequences.

The most promising frontiers come first: those that keep the code from a block that was
never entered, and that is not only the end of the frame, and of these the nearest.
Constructors are left out, as their code is nowhere. So is what chooses the function of
a call, which no argument changes, and what an instruction right beside it says as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

from eth_hash.auto import keccak

from echidna_mcp.corpora.frontier_files import Frontier
from echidna_mcp.corpora.model import EntryError, StoredCall
from echidna_mcp.corpora.stored import home_signature, stored_calls
from echidna_mcp.errors import CapacityError
from echidna_mcp.evm.backend import CallResult, Watch
from echidna_mcp.evm.frames import FrameResult
from echidna_mcp.evm.outside import Answers, Outside
from echidna_mcp.evm.sites import COMPARING, DIFFERENCES, ISZERO, SiteComparison
from echidna_mcp.evm.states import SELECTOR
from echidna_mcp.fuzz.records import call_length
from echidna_mcp.program.identity import CodeIndex
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.call_codec import CallCodec
from echidna_mcp.rounds.caller import Caller
from echidna_mcp.rounds.deployment import deployed_world
from echidna_mcp.solving.code import Code

_JUMPI: Final = 0x57
_DUP1: Final = 0x80
_STRAIGHT: Final = frozenset(
    {*range(0x01, 0x56), *range(0x58, 0x5B), *range(0x5C, 0xA5)}
)
"""Opcodes behind which the next one runs, apart from calls and JUMPDEST."""
_NOWHERE: Final = 3
"""The rank of a comparison that no block depends on; those of `Side` are less."""

_Site: TypeAlias = tuple[str, int]
"""The key of a code, and the program counter of an instruction."""


@dataclass(frozen=True, slots=True)
class _Jump:
    """A JUMPI, and the counters of the blocks that it may go to, as far as known."""

    counter: int
    targets: tuple[int, ...]


class _Listing:
    """The instructions of a code.

    Attributes:
        code: it, with its key.
        digest: its hash, by which edges name it.
    """

    def __init__(self, code: Code, digest: bytes) -> None:
        self.code = code
        self.digest = digest

    @cached_property
    def _starts(self) -> dict[int, int]:
        """The number of each instruction, by counter."""
        starts, at, pushes = [], 0, self.code.pushes
        while at < len(self.code.data):
            starts.append(at)
            at = pushes[at][1] if at in pushes else at + 1
        return {counter: number for number, counter in enumerate(starts)}

    @cached_property
    def _order(self) -> tuple[int, ...]:
        return tuple(self._starts)

    def says_nothing(self, counter: int) -> bool:
        """Whether an instruction only says what the one beside it says.

        That is an ISZERO which turns an outcome around, and a difference before one.
        """
        data, number = self.code.data, self._starts[counter]
        before, after = self._order[max(0, number - 2) : number], counter + 1
        if data[counter] in DIFFERENCES:
            return data[after : after + 1] == bytes([ISZERO])
        opcodes = [data[at] for at in before]
        if opcodes and opcodes[-1] == _DUP1:
            del opcodes[-1]
        last = opcodes[-1] if opcodes else None
        return data[counter] == ISZERO and last in COMPARING and last not in DIFFERENCES

    def jump_behind(self, counter: int) -> _Jump | None:
        """Return the JUMPI with which the block of a comparison ends, if it does."""
        data = self.code.data
        for at in self._order[self._starts[counter] + 1 :]:
            if data[at] == _JUMPI:
                pushed = dict(self.code.branches)[at]
                known = () if pushed is None else (pushed,)
                return _Jump(at, (*known, at + 1))
            if data[at] not in _STRAIGHT:
                return None
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Nearest:
    """What represents a comparison: a call, and how it ranks among others."""

    listing: _Listing
    frontier: Frontier

    @property
    def rank(self) -> tuple[int, int]:
        """The less, the better."""
        return self.frontier.comparison.distance, len(self.frontier.calls)


class FrontierSearch:
    """The target of a campaign, deployed to run its sequences one after the other.

    Attributes:
        outcomes: those that each comparison had.
    """

    def __init__(
        self, target: FuzzTarget, answers: Answers, plugin: BackendPlugin
    ) -> None:
        """Deploy on the reference.

        Args:
            target: whose plan is carried out.
            answers: what the outside has answered; nobody is asked again.
            plugin: what the campaign ran on.

        Raises:
            DeploymentError, NotReproducibleError: see `deployed_world`.
        """
        reference = plugin.trusted
        reference.load()
        self.outcomes: dict[_Site, set[bool]] = {}
        self._target = target
        self._evm, _ = deployed_world(reference, target, Outside(answers))
        self._start = self._evm.snapshot()
        self._codec = CallCodec(target)
        self._caller = Caller(target, self._codec, self._evm)
        self._index = CodeIndex(target.program)
        self._listings: dict[bytes, _Listing] = {}
        self._taken: set[tuple[str, int, int]] = set()
        """Edges: the key of a code, and the counters of the jump and of its target."""
        self._nearest: dict[str, dict[_Site, _Nearest]] = {}
        """By signature of the test."""

    def play(self, calls: Sequence[Mapping[str, Any]]) -> None:
        """Run a sequence from the start state.

        Args:
            calls: as events have them.
        """
        try:
            stored = stored_calls(calls, self._target)
        except EntryError:  # It has no other form, but its outcomes count.
            stored = ()
        nearest = self._nearest.setdefault(home_signature(calls, self._target), {})
        self._evm.restore(self._start)
        self._caller.begin()
        watch = Watch(
            coverage=True, edges=True, creations=True, frames=True, sites=True
        )
        sequence, at, number = bytearray(self._codec.sequence(calls)), 0, 0
        try:
            while at < len(sequence):
                message = self._caller.aim(sequence, at)
                number += 1
                if message is not None:
                    result = self._evm.call(message, watch)
                    self._caller.made(message, result)
                    self._learn(result, stored[:number], nearest)
                at += call_length(sequence, at)
        except CapacityError:
            return  # What it has shown until then counts.

    def _learn(
        self,
        result: CallResult,
        calls: tuple[StoredCall, ...],
        nearest: dict[_Site, _Nearest],
    ) -> None:
        """Take note of what a call has compared; without a form it represents none."""
        frames = list(_running(result.frame))
        new = self._take_edges(result, frames)
        for frame in frames:
            listing = self._listing(frame.code)
            for comparison in frame.comparisons:
                site = listing.code.key, comparison.counter
                self.outcomes.setdefault(site, set()).add(comparison.holds)
                if not calls or _is_dispatch(frame, comparison):
                    continue
                if listing.says_nothing(comparison.counter):
                    continue
                found = _Nearest(
                    listing=listing,
                    frontier=Frontier(
                        calls=calls,
                        address=frame.address,
                        comparison=comparison,
                        new_coverage=new,
                    ),
                )
                known = nearest.get(site)
                if known is None or found.rank < known.rank:
                    nearest[site] = found

    def _take_edges(self, result: CallResult, frames: Sequence[FrameResult]) -> bool:
        """Take note of the edges of a call; return whether one is new."""
        before = len(self._taken)
        listings = [self._listing(each.code) for each in frames]
        keys = {each.digest: each.code.key for each in listings}
        self._taken.update(
            (keys[edge.code_hash], edge.jump, edge.target)
            for edge in result.edges
            if edge.code_hash in keys
        )
        return len(self._taken) > before

    def _listing(self, code: bytes) -> _Listing:
        listing = self._listings.get(code)
        if listing is None:
            digest = keccak(code)
            named = Code(self._index.key(digest, code), code)
            listing = self._listings[code] = _Listing(named, digest)
        return listing

    def found(self, limit: int) -> Iterator[tuple[str, tuple[Frontier, ...]]]:
        """Yield the frontiers of each test that has any, by its signature.

        Args:
            limit: the most of one test.
        """
        for test, nearest in sorted(self._nearest.items()):
            ranked = sorted(
                (self._barrier(each), *each.rank, site, each.frontier)
                for site, each in nearest.items()
                if len(self.outcomes[site]) == 1
            )
            if ranked:
                yield test, tuple(each[-1] for each in ranked[:limit])

    def _barrier(self, nearest: _Nearest) -> int:
        """Return what a comparison keeps the code from; the less, the better."""
        listing = nearest.listing
        jump = listing.jump_behind(nearest.frontier.comparison.counter)
        if jump is None:
            return _NOWHERE
        sides = [
            listing.code.side(target)
            for target in jump.targets
            if (listing.code.key, jump.counter, target) not in self._taken
        ]
        return min(sides, default=_NOWHERE)


def _is_dispatch(frame: FrameResult, comparison: SiteComparison) -> bool:
    """Whether a comparison is one with the selector that the frame was called with.

    Calldata that begins with zeros has none: too much is compared with 0.
    """
    selector = int.from_bytes(frame.data[:SELECTOR], "big")
    if len(frame.data) < SELECTOR or selector == 0:
        return False
    return selector in (comparison.left, comparison.right)


def _running(frame: FrameResult | None) -> Iterator[FrameResult]:
    """Yield the frames that have run the code of an account."""
    waiting = [] if frame is None else [frame]
    while waiting:
        each = waiting.pop()
        waiting += each.children
        if each.code and not each.creates and not each.answered:
            yield each
