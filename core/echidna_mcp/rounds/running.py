"""Running sequences on a backend that may have no room for them.

What a backend remembers of other sequences may take up the room that one needs. So at a
`CapacityError` the sequence runs once more from the start state, on a backend that has
forgotten all that, up to the same message. If there is no room then, there never is: it
depends on nothing but the sequence, and on none that a replica has run before. The
sequence ends there. What its messages before that have shown stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from echidna_mcp.errors import CapacityError
from echidna_mcp.evm.backend import CallResult, Message, Watch
from echidna_mcp.evm.outside import Request
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.program.target import TestCase
from echidna_mcp.rounds.backend import Judging, MadeCalls, Passed, Searcher
from echidna_mcp.rounds.caller import Called, Caller
from echidna_mcp.rounds.judge import Verdict
from echidna_mcp.rounds.tasks import LostSequences

if TYPE_CHECKING:
    from echidna_mcp.rounds.replica import Replica

T = TypeVar("T")


class Mark(NamedTuple):
    """A place in a sequence.

    Attributes:
        messages: how many were sent before it.
        snapshot: of the backend, while the sequence was run so often.
        restarts: how often that was.
        caller: how far the caller was.
    """

    messages: int
    snapshot: int
    restarts: int
    caller: tuple[int, int, int]


class Runner:
    """Runs the sequences of one task, one after the other."""

    def __init__(self, replica: Replica) -> None:
        self._replica = replica
        self._caller = Caller(
            replica.target,
            replica.codec,
            replica.backend,
            replica.kernels,
            replica.pool,
        )
        self._sent: list[Message | bytes] = []
        """What the sequence has sent; calls that a searcher has made as records."""
        self._restarts = 0
        self._lost: dict[str, int] = {}
        self._missing: dict[Request, None] = {}
        replica.outside.begin()  # What another task has missed is not ours.

    def begin(self) -> None:
        """Go to the start state, for a new sequence."""
        self.note_missing()
        self._replica.outside.begin()
        self._sent.clear()
        self._caller.begin()
        self._replica.backend.restore(self._replica.start)

    def mark(self) -> Mark:
        """Return the present place in the sequence, to go `back` to."""
        snapshot = self._replica.backend.snapshot()
        return Mark(len(self._sent), snapshot, self._restarts, self._caller.mark())

    def back(self, mark: Mark) -> None:
        """Undo all messages since a mark of this sequence; it stays valid."""
        del self._sent[mark.messages :]
        self._caller.back(mark.caller)
        if mark.restarts == self._restarts:
            self._replica.backend.restore(mark.snapshot)
        else:  # The snapshot is of a run that has been left.
            self._run_again()

    def aim(self, sequence: bytearray, at: int) -> Message | None:
        """Return the message of the next call of the sequence; see `Caller.aim`."""
        return self._caller.aim(sequence, at)

    def settle(self, record: bytearray) -> None:
        """Settle the next call of the sequence; see `Caller.settle`."""
        self._caller.settle(record, 0)

    @property
    def watch(self) -> Watch:
        """What has to be known of each call."""
        return self._caller.watch

    def call(
        self, message: Message, watch: Watch | None = None, *, harvests: bool = True
    ) -> Called:
        """Make the next call of the sequence.

        Args:
            message: what `aim` gives for it.
            watch: what is to be reported, `watch` among it, which is the default.
            harvests: whether calls after it may take what it shows.

        Raises:
            CapacityError: there is no room for it, whatever ran before the sequence.
        """
        watch = watch or self.watch
        result = self._attempt(partial(self._replica.backend.call, message, watch))
        self._sent.append(message)
        return self._caller.made(message, result, harvests=harvests)

    def pass_over(
        self,
        tables: FuzzTables,
        calls: Sequence[bytes],
        demanded: Sequence[bool],
        *,
        idle: bool,
    ) -> Passed | None:
        """Let a searcher make the next calls; see `Searcher.pass_over`.

        Returns:
            None if it can't; then the state is as before.
        """
        passed = self._let_searcher(
            lambda searcher: searcher.pass_over(tables, calls, demanded, idle=idle)
        )
        if passed is not None:
            self._sent += calls[: len(passed.endings)]
        return passed

    def make_calls(
        self, tables: FuzzTables, calls: Sequence[bytes], judging: Judging | None
    ) -> MadeCalls | None:
        """Let a searcher make the next calls; see `Searcher.make_calls`.

        Returns:
            None if it can't; then the state is as before.
        """
        discards = self._caller.discards
        made = self._let_searcher(
            lambda searcher: searcher.make_calls(tables, calls, discards, judging)
        )
        if made is not None:
            self._sent += made.calls
            self._caller.discards = made.discards
        return made

    def _let_searcher(self, make: Callable[[Searcher], T | None]) -> T | None:
        """Let a searcher, if there is one, make calls; undo them if it can't tell."""
        searcher = self._replica.searcher
        if searcher is None:
            return None
        mark = self.mark()
        made = make(searcher)
        if made is None:
            self.back(mark)
        return made

    def verdict(self, test: TestCase, last: Called | None) -> Verdict | None:
        """Judge a test after the last message; see `Judge.falsified`.

        Raises:
            CapacityError: there is no room for it, whatever ran before the sequence.
        """
        return self._attempt(partial(self._replica.judge.falsified, test, last))

    def compared(self, test: TestCase) -> CallResult:
        """Ask a test what it compares after the last message.

        Raises:
            CapacityError: as above.
        """
        return self._attempt(partial(self._replica.judge.compared, test))

    def _attempt(self, action: Callable[[], T]) -> T:
        """Do it; if there is no room, once more on a backend that has all of it."""
        try:
            return action()
        except CapacityError:
            self._run_again()
            return action()

    def _run_again(self) -> None:
        """Come back to the present state, on a backend that remembers nothing else."""
        self._restarts += 1
        self._replica.backend.restore(self._replica.start)
        for sent in self._sent:
            message = (
                sent if isinstance(sent, Message) else self._caller.message_of(sent)
            )
            self._replica.backend.call(message)

    def give_up(self, error: CapacityError) -> int:
        """Take note that there is no room for the sequence; return the wasted work."""
        self._lost[error.message] = self._lost.get(error.message, 0) + 1
        return int(error.details.get("steps", 0))

    def note_missing(self) -> None:
        """Take note of what was missing, before a searcher forgets it."""
        if (missing := self._replica.outside.missing) is not None:
            self._missing[missing] = None

    @property
    def missing(self) -> tuple[Request, ...]:
        """What its sequences, the present one included, were not answered."""
        self.note_missing()
        return tuple(self._missing)

    @property
    def lost(self) -> tuple[LostSequences, ...]:
        """All that were given up, by reason."""
        return tuple(
            LostSequences(reason=reason, sequences=count)
            for reason, count in self._lost.items()
        )
