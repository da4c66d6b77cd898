"""Running a sequence on the small interpreter, all its calls, inputs as symbols."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from eth_hash.auto import keccak

from echidna_mcp.cheatcodes.addresses import CHEATCODES
from echidna_mcp.cheatcodes.pranks import die_with_frames
from echidna_mcp.program.identity import CodeIndex
from echidna_mcp.program.target import FuzzTarget, TestCase
from echidna_mcp.solving.bytestrings import ByteString
from echidna_mcp.solving.calls import CALLS, run_message
from echidna_mcp.solving.cheats import CHEATING
from echidna_mcp.solving.code import Code
from echidna_mcp.solving.expressions import (
    Graph,
    Node,
    Word,
    nothing_known,
    value_of,
)
from echidna_mcp.solving.inputs import Calls, Inputs
from echidna_mcp.solving.interpreter import DEPOSIT_GAS, Environment
from echidna_mcp.solving.pranking import KeptPranks, Pranking
from echidna_mcp.solving.preimages import Preimages, Seen
from echidna_mcp.solving.smtlib import Condition
from echidna_mcp.solving.state import Outcome, StartState, State
from echidna_mcp.solving.trace import ASIDE_STEPS, PathItem, Trace, TraceEnd


@dataclass(frozen=True, slots=True)
class Asked:
    """A test that was asked about the state after a sequence.

    Attributes:
        test: its index.
        path: what held before the answer.
        fails: the condition under which it fails; None if no input matters.
        failed: whether it fails in this run.
    """

    test: int
    path: tuple[PathItem, ...]
    fails: Condition | None
    failed: bool


@dataclass(frozen=True, slots=True)
class _Moment:
    """The state of a run between two calls."""

    state: State
    items: int
    time: Word
    number: Word
    pranks: KeptPranks


@dataclass(frozen=True, slots=True)
class Run:
    """A sequence that was run.

    Attributes:
        calls: what of it was run.
        steps: how many instructions it took, without those of a run that it went on
            from.
    """

    calls: Calls
    trace: Trace
    steps: int
    moments: tuple[_Moment, ...]
    """Before each call, and at the end if it came there."""


class Shadow:
    """Runs sequences of a target from its start state."""

    def __init__(self, target: FuzzTarget, start: StartState) -> None:
        self.target = target
        if target.config.cheatcodes:
            accounts = {**start.accounts, CHEATCODES: CHEATING}
            start = replace(start, accounts=accounts)
        self._start = start
        self.seen = Seen(target, start)
        self._index = CodeIndex(target.program)
        self._codes: dict[bytes, Code] = {}
        self._unnamed: dict[bytes, Code] = {}

    def _name(self, data: bytes) -> Code:
        code = self._codes.get(data)
        if code is None:
            key = self._index.key(keccak(data), data)
            code = self._codes[data] = Code(key, data)
        return code

    def _leave_unnamed(self, data: bytes) -> Code:
        """Return code of which nobody looks at the coverage."""
        code = self._unnamed.get(data)
        if code is None:
            code = self._unnamed[data] = Code("", data)
        return code

    def run(
        self,
        calls: Calls,
        steps: int,
        before: Run | None = None,
        known: Preimages | None = None,
    ) -> Run:
        """Run a sequence.

        Args:
            calls: it.
            steps: after how many instructions it ends.
            before: a run of a sequence that may begin in the same way, from which it
                goes on where the two part.
            known: asked for what nothing of the run has hashed; if it begins anew.
        """
        done = 0
        if before is None:
            graph = Graph(nothing_known if known is None else known.find)
            trace = Trace(graph, steps)
            block = self._start.block
            state, none = State(self._start), KeptPranks()
            moments = [_Moment(state, 0, block.timestamp, block.number, none)]
        else:
            done = _common(calls, before)
            graph = before.trace.graph
            moments = list(before.moments[: done + 1])
            path = before.trace.path[: moments[-1].items]
            visited = {
                place: call
                for place, call in before.trace.visited.items()
                if call < done
            }
            trace = Trace(graph, steps, path=path, visited=visited)
        inputs = Inputs(self.target, graph, calls)
        state, time, number = moments[-1].state, moments[-1].time, moments[-1].number
        state, pranks = state.copy(), self._pranking(moments[-1])
        try:
            for trace.call in range(done, len(calls)):
                time = graph.make("add", time, inputs.delay(trace.call, "t"))
                number = graph.make("add", number, inputs.delay(trace.call, "b"))
                address = self._address(calls[trace.call]["function"])
                environment = Environment(
                    state=state,
                    trace=trace,
                    origin=inputs.sender(trace.call),
                    number=number,
                    time=time,
                    gas_price=self.target.config.max_gas_price,
                    most_code=self._most_code(self.target.config.test_max_gas),
                    pranks=pranks,
                    name=self._name,
                    calls=CALLS,
                )
                data, value = inputs.data(trace.call), inputs.value(trace.call)
                run_message(environment, address, value, data)
                time, number = environment.time, environment.number
                pranks.end_message()
                now = state.copy(), len(trace.path), time, number, pranks.kept()
                moments.append(_Moment(*now))
        except TraceEnd as end:
            trace.ended = str(end)
        return Run(calls, trace, steps - max(0, trace.left), tuple(moments))

    def _most_code(self, gas: int) -> int:
        """Return how many bytes a contract can have that a message creates (EIP-170).

        Gas is not counted, so it is known of no more than that it pays for them.
        """
        return min(self.target.config.code_size, gas // DEPOSIT_GAS)

    def _pranking(self, moment: _Moment) -> Pranking:
        dies = die_with_frames(self.target.config.cheat_dialect)
        return Pranking(dies=dies, kept=moment.pranks)

    def _address(self, signature: str) -> int:
        """Return where a function is.

        Raises:
            TraceEnd: its contract is one that sequences create.
        """
        target = self.target
        callee = target.callee_of[target.function_index[signature]]
        address = target.callees[callee].address
        if address is None:
            raise TraceEnd("it calls a contract that it has created")
        return address

    def ask(
        self, run: Run, tests: Sequence[int], most: int
    ) -> tuple[tuple[Asked, ...], int]:
        """Ask tests about the state after a run; nothing if it did not come to its end.

        Args:
            run: it.
            tests: their indices.
            most: after how many instructions no further one is asked.

        Returns:
            What they say, and how many instructions that took.
        """
        if run.trace.ended:
            return (), 0
        end, found, steps = run.moments[-1], [], 0
        for index in tests:
            if steps >= most:
                break
            test, aside = self.target.tests[index], run.trace.aside()
            state = end.state.copy()
            environment = Environment(
                state=state,
                trace=aside,
                origin=self.target.config.psender,
                number=end.number,
                time=end.time,
                gas_price=0,
                most_code=self._most_code(self.target.config.prop_max_gas),
                pranks=self._pranking(end),
                name=self._leave_unnamed,
                calls=CALLS,
            )
            address = self.target.callees[test.callee].address
            assert address is not None, "its properties are asked"
            data = ByteString(test.selector)
            try:
                outcome = run_message(environment, address, 0, data)
            except TraceEnd:
                continue
            finally:
                steps += ASIDE_STEPS - max(0, aside.left)
            found.append(_judged(index, test, aside, outcome))
        return tuple(found), steps


def _common(calls: Calls, before: Run) -> int:
    """Return how many calls a sequence has in common with a run, at its beginning."""
    done = 0
    most = min(len(calls), len(before.moments) - 1)
    while done < most and calls[done] == before.calls[done]:
        done += 1
    return done


def _judged(index: int, test: TestCase, trace: Trace, outcome: Outcome) -> Asked:
    path = tuple(trace.path)
    if test.inverted or not outcome.succeeded:
        return Asked(index, path, None, outcome.succeeded == test.inverted)
    told = outcome.output.word(trace.graph, 0) if outcome.output.data else 0
    fails = Condition(told, holds=False) if isinstance(told, Node) else None
    return Asked(index, path, fails, value_of(told) == 0)
