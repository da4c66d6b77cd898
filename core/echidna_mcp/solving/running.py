"""Running a sequence on the small interpreter, all its calls, inputs as symbols."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from eth_hash.auto import keccak

from echidna_mcp.program.identity import CodeIndex
from echidna_mcp.program.target import FuzzTarget, TestCase
from echidna_mcp.solving.bytestrings import ByteString
from echidna_mcp.solving.calls import CALLS, run_message
from echidna_mcp.solving.code import Code
from echidna_mcp.solving.expressions import Graph, Node, Word, value_of
from echidna_mcp.solving.inputs import Calls, Inputs
from echidna_mcp.solving.interpreter import Environment
from echidna_mcp.solving.smtlib import Condition
from echidna_mcp.solving.state import Outcome, StartState, State
from echidna_mcp.solving.trace import PathItem, Trace, TraceEnd


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
class Run:
    """A sequence that was run.

    Attributes:
        calls: what of it was run.
        asked: tests that were asked in the end.
    """

    calls: Calls
    trace: Trace
    asked: tuple[Asked, ...] = ()


class Shadow:
    """Runs sequences of a target from its start state."""

    def __init__(self, target: FuzzTarget, start: StartState) -> None:
        self.target = target
        self._start = start
        self._index = CodeIndex(target.program)
        self._codes: dict[bytes, Code] = {}

    def _name(self, data: bytes) -> Code:
        code = self._codes.get(data)
        if code is None:
            key = self._index.key(keccak(data), data)
            code = self._codes[data] = Code(key, data)
        return code

    def run(self, calls: Calls, steps: int, tests: tuple[int, ...] = ()) -> Run:
        """Run a sequence.

        Args:
            calls: it.
            steps: after how many instructions it ends.
            tests: indices of the tests that are asked after its last call.
        """
        graph = Graph()
        trace = Trace(graph, steps)
        inputs = Inputs(self.target, graph, calls)
        state = State(self._start)
        config = self.target.config
        time: Word = self._start.block.timestamp
        number: Word = self._start.block.number
        asked: list[Asked] = []
        done = 0
        try:
            for trace.call, call in enumerate(calls):
                time = graph.make("add", time, inputs.delay(trace.call, "t"))
                number = graph.make("add", number, inputs.delay(trace.call, "b"))
                address = self._address(call["function"])
                environment = Environment(
                    state=state,
                    trace=trace,
                    origin=inputs.sender(trace.call),
                    number=number,
                    time=time,
                    gas_price=config.max_gas_price,
                    name=self._name,
                    calls=CALLS,
                )
                data, value = inputs.data(trace.call), inputs.value(trace.call)
                run_message(environment, address, value, data)
                done += 1
            asked += self._ask(tests, state, trace, number, time)
        except TraceEnd as end:
            trace.ended = str(end)
        return Run(calls, trace, tuple(asked))

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

    def _ask(
        self,
        tests: tuple[int, ...],
        state: State,
        trace: Trace,
        number: Word,
        time: Word,
    ) -> list[Asked]:
        found = []
        for index in tests:
            test, aside = self.target.tests[index], trace.aside()
            environment = Environment(
                state=state,
                trace=aside,
                origin=self.target.config.psender,
                number=number,
                time=time,
                gas_price=0,
                name=_unnamed(self._name),
                calls=CALLS,
            )
            address = self.target.callees[test.callee].address
            assert address is not None, "its properties are asked"
            outcome = run_message(
                environment, address, 0, ByteString(test.selector), lasting=False
            )
            found.append(_judged(index, test, aside, outcome))
        return found


def _unnamed(name: Callable[[bytes], Code]) -> Callable[[bytes], Code]:
    """Return how codes are named where nobody looks at their coverage: not at all."""
    return lambda data: Code("", name(data).data)


def _judged(index: int, test: TestCase, trace: Trace, outcome: Outcome) -> Asked:
    path = tuple(trace.path)
    if test.inverted or not outcome.succeeded:
        return Asked(index, path, None, outcome.succeeded == test.inverted)
    told = outcome.output.word(trace.graph, 0) if outcome.output.data else 0
    fails = Condition(told, holds=False) if isinstance(told, Node) else None
    return Asked(index, path, fails, value_of(told) == 0)
