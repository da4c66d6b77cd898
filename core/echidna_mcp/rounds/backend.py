"""The seam to a backend at round level: how a plugin offers an EVM, and its search.

Nearly all sequences that a fuzzer runs show nothing: no new coverage, no test that
fails. A backend may run those by itself, in native code. At the first sequence that
might be worth recording it stops, and the round executes that one again, call by call,
and records it. So a searcher decides nothing. It may stop too often, never too seldom,
and what it counts must be what the round would have counted. Where reproducers are
shrunk, it decides what is beyond doubt, and the round runs the last one again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple, Protocol

from echidna_mcp.evm.backend import BackendConfig, CallResult, EvmBackend
from echidna_mcp.fuzz.climbing.state import Climb
from echidna_mcp.fuzz.harvest import Pool
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.kernel.language.memory import Words
from echidna_mcp.program.identity import CodeIndex
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.rounds.call_codec import CallCodec
from echidna_mcp.rounds.judge import Judge
from echidna_mcp.rounds.tasks import Counters, Outcome, RoundTask
from echidna_mcp.views.campaign import CampaignViews


class HandedIn(Enum):
    """What a sequence is in the midst of that a searcher hands over."""

    CALL = auto()
    """A call of it is in question."""
    VARIANT = auto()
    """A call of a variant is."""
    END = auto()
    """The state at its end is."""
    GOAL = auto()
    """What a test compares in that state is, before its calls are climbed for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """A sequence that a searcher has climbed, and how far.

    What it has run is counted, the call in question is not.

    Attributes:
        sequence: what was kept, with the variant that runs in its place, and what
            follows.
        within: what it is in the midst of.
        at: where in it the call in question begins.
        passed: number of its record in the sequence as it was built.
        places: to how many of the last calls, the one in question among them, climbing
            can go back.
        call: which call of the window it is, if it is one of a variant.
        work: work units that were spent on the sequence.
        endings: whether each call of the base of the climb failed, and was discarded;
            empty unless it is within a variant.
    """

    sequence: bytes
    within: HandedIn
    at: int
    passed: int
    places: int
    call: int
    work: int
    endings: Sequence[tuple[bool, bool]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A run of sequences that showed nothing.

    Attributes:
        work: work units that they took, properties included.
        calls: how many calls they were.
        found: the sequence after them, which may be worth recording; empty if the
            budget is used up, or if it is handed over.
        passed: of how many of its records it is known that they have shown nothing: no
            coverage, no state, no test that fails.
        handed: that sequence if it is climbed, and how far; its work and calls are
            among those of the stretch.
        climbs: from which record on it is climbed (`fuzz.climbing.choose_climb`).
    """

    work: int
    calls: int
    found: bytes = b""
    passed: int = 0
    handed: Handover | None = None
    climbs: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A sequence that showed nothing.

    Attributes:
        work: work units that it took, properties included.
        calls: how many calls it made.
        sample: the record and the result of the call that was asked for, as far as
            samples tell of it; None if the sequence had ended before.
    """

    work: int
    calls: int
    sample: tuple[bytes, CallResult] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """Candidates for a reproducer of which it is certain what they show.

    Attributes:
        work: work units that they took, judging included.
        attempts: how many of them were run.
        cursor: number of the candidate after them.
        accepted: the last of those that falsify the test; None if none does.
    """

    work: int
    attempts: int
    cursor: int
    accepted: bytearray | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """Calls that were made in the present state.

    Attributes:
        endings: how each ended.
        idle: whether each has written nothing, been paid nothing and created nothing;
            empty if nobody has asked.
        work: work units that they took.
        broken: whether the last one failed, and was to succeed.
    """

    endings: Sequence[Outcome]
    idle: Sequence[bool]
    work: int
    broken: bool


class Judging(NamedTuple):
    """How calls are judged that a searcher makes.

    Attributes:
        tests: indices of the open tests.
        values: as in `Searcher.doubtful`.
        work: work units that are left; a call begins while there are any.
        calls: how many are left.
        looking: whether note is taken of the outcomes of what they compare.
    """

    tests: Sequence[int]
    values: Mapping[int, int]
    work: int
    calls: int
    looking: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeCalls:
    """Calls of a sequence that were made in the present state, and show nothing.

    Attributes:
        calls: their records, as they ran.
        functions: of which function each is.
        endings: how each ended.
        discarded: whether each asked to be passed over.
        discards: how many calls of the sequence did, those before included.
        work: work units that they took, judging included.
        reverts: how many have failed.
        gas, steps: of all of them.
    """

    calls: Sequence[bytes]
    functions: Sequence[int]
    endings: Sequence[Outcome]
    discarded: Sequence[bool]
    discards: int
    work: int
    reverts: int
    gas: int
    steps: int


class SearchedReplica(Protocol):
    """What a searcher sees of the replica that it searches for (`rounds.replica`)."""

    @property
    def target(self) -> FuzzTarget:
        """What is called."""
        ...

    @property
    def backend(self) -> EvmBackend:
        """The EVM, with the target deployed."""
        ...

    @property
    def start(self) -> int:
        """The snapshot from which every sequence begins."""
        ...

    @property
    def codes(self) -> CodeIndex:
        """Names for the codes that are executed."""
        ...

    @property
    def codec(self) -> CallCodec:
        """Knows what compiled code sees of the target."""
        ...

    @property
    def judge(self) -> Judge:
        """Knows what a failed assertion logs."""
        ...

    @property
    def views(self) -> CampaignViews:
        """The fold of the campaign's events."""
        ...

    @property
    def corpus(self) -> bytearray:
        """The sequences of the corpus, one after the other."""
        ...

    @property
    def entries(self) -> Words:
        """Begin and end of each of them."""
        ...

    @property
    def climb(self) -> Climb:
        """How far climbing is, for whoever goes on with it."""
        ...

    @property
    def pool(self) -> Pool:
        """What the sequence that runs has harvested, for whoever goes on with it."""
        ...

    @property
    def out(self) -> bytearray:
        """Where a found sequence is put."""
        ...


class Searcher(Protocol):
    """Searches on the backend of one replica."""

    def doubtful(
        self, tests: Sequence[int], values: Mapping[int, int]
    ) -> tuple[Sequence[int], int]:
        """Look at what can be asked about the present state, which stays.

        Args:
            tests: indices of properties and invariants, ascending, then those of
                optimization tests.
            values: the greatest value of each of the latter, as far as it has one.

        Returns:
            Those that may fail, or have a greater value, in the same order, and the EVM
            steps of all others.
        """
        ...

    def print_site(self, test: int) -> int:
        """Return what tells the site at which the last call failed.

        Equal prints are of equal sites. The call was made with its trail, and nothing
        since.

        Args:
            test: index of the assertion test that fails.
        """
        ...

    def know_site(self, print_: int, *, lasting: bool) -> None:
        """Take note that the site of a print is known, for the rest of the task.

        Args:
            print_: of the failure.
            lasting: whether it was known before the task, so that it is in all others
                that follow.
        """
        ...

    def begin(self, task: RoundTask) -> None:
        """Start a task: what is known is what the replica has folded, nothing else.

        Calls of the backend with coverage then add to what is known, just as the
        round's recorder does, and their results need not tell visits that are known.
        """
        ...

    def attempt(
        self,
        tables: FuzzTables,
        sequence: bytearray,
        sample_at: int,
        tests: Sequence[int],
        values: Mapping[int, int],
        cut: int,
        calls: int,
        counters: Counters,
    ) -> Attempt | None:
        """Run one sequence as the round would, and add it to `counters`.

        Args:
            tables: what the task generates from.
            sequence: call records; those that run are settled (`fuzz.harvest`), as they
                are again if the round runs them.
            sample_at: number of the call of which is to be told.
            tests: indices of the open tests.
            values: as in `doubtful`.
            cut: work units after which it is cut short.
            calls: the most calls to make.
            counters: what the round has executed.

        Returns:
            None if it may be worth recording: then nothing is counted.
        """
        ...

    def search(
        self,
        tables: FuzzTables,
        rng: Words,
        tests: Sequence[int],
        values: Mapping[int, int],
        left: int,
        cut: int,
        calls: int,
        counters: Counters,
    ) -> Stretch:
        """Run new sequences as the round would, and add them to `counters`.

        Args:
            tables: what the task generates from.
            rng: the stream that sequences are built with.
            tests: indices of the open tests.
            values: as in `doubtful`.
            left: work units that the task has left; a sequence begins while there are
                any.
            cut: work units after which a sequence is cut short.
            calls: the most calls to make; the last sequence is cut short at that.
            counters: what the round has executed; the sequence found is not added.
        """
        ...

    def pass_over(
        self,
        tables: FuzzTables,
        calls: Sequence[bytes],
        demanded: Sequence[bool],
        *,
        idle: bool,
    ) -> Passed | None:
        """Make calls in the present state, up to one that fails and must not.

        Args:
            tables: what the task generates from.
            calls: their records, settled, without overrides.
            demanded: which of them must succeed.
            idle: whether it is to be told which are idle.

        Returns:
            None if it can't tell; the state is any then.
        """
        ...

    def make_calls(
        self,
        tables: FuzzTables,
        calls: Sequence[bytes],
        discards: int,
        judging: Judging | None,
    ) -> MadeCalls | None:
        """Make the next calls of a sequence, up to one that may be worth recording.

        Args:
            tables: what the task generates from.
            calls: their records.
            discards: how many calls before them asked to be passed over.
            judging: how they are judged; None of calls that are known to show nothing,
                all of which are made.

        Returns:
            None if it can't; the state is any then.
        """
        ...

    def try_candidates(
        self,
        tables: FuzzTables,
        sequence: bytearray,
        cursor: int,
        test: int,
        value: int | None,
        left: int,
        attempts: int,
        *,
        sited: bool,
    ) -> Tried:
        """Try candidates for a reproducer as `rounds.shrinking` would.

        Stops at the first one of which it is not certain that the round would say and
        record the same, and where there are no more.

        Args:
            tables: what the task generates from.
            sequence: call records of the reproducer; they are left as they are.
            cursor: number of the first candidate.
            test: index of the test that it falsifies.
            value: the least value to keep of an optimization test; None of all others.
            left: work units that are left; a candidate begins while there are any.
            attempts: the most candidates to run.
            sited: whether it matters at which site they fail.
        """
        ...


def nothing_to_load() -> None:
    """Load nothing: the plugin's module has imported all that its EVMs need."""


@dataclass(frozen=True, slots=True)
class BackendPlugin:
    """A named EVM. Picklable, for worker processes: its functions have names.

    Attributes:
        create: makes a fresh, empty world.
        search: makes a searcher on the backend of a replica; None if the backend can't
            search by itself.
        reference: a slower EVM, independent of this one, that is trusted: nothing is
            reported as falsified that it doesn't show (`rounds.confirmation`). None if
            this one is trusted itself. Made in the director's process, when a test is
            falsified.
        load: imports all that EVMs and searchers of this backend ever need. Called
            before the first of them is made, while no task runs: an import, or a
            compilation, in the midst of a task may meet that of another thread.
        package: the installed package whose version tells how it executes; empty if
            none does.
    """

    name: str
    create: Callable[[BackendConfig], EvmBackend]
    search: Callable[[SearchedReplica], Searcher] | None = None
    reference: BackendPlugin | None = None
    load: Callable[[], None] = nothing_to_load
    package: str = ""

    @property
    def trusted(self) -> BackendPlugin:
        """The EVM that is believed: the reference, or this one if it has none."""
        return self.reference or self

    @property
    def version(self) -> str:
        """Version of the package; empty if unknown. Never part of a result."""
        if not self.package:
            return ""
        try:
            return version(self.package)
        except PackageNotFoundError:  # It runs without being installed.
            return ""
