"""Frames that keep what they do, and their results (`echidna_mcp.evm.frames`).

Programs for messages whose frames are wanted are decoded with a table of their own, so
that others do not pay for it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, TypeAlias

from eth.exceptions import VMError
from eth.vm import opcode_values as op

from echidna_mcp.evm.frames import (
    LONGEST_PREIMAGE,
    LONGEST_TRAIL,
    Ending,
    FrameKind,
    FrameResult,
    SelfDestruct,
    StorageWrite,
)
from echidna_mcp.evm.sites import COMPARING, ISZERO, SiteComparison
from echidna_mcp_plugins.py_evm.outcomes import logs_of, status_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from echidna_mcp.evm.frames import Act
    from echidna_mcp_plugins.py_evm.frame import Frame
    from echidna_mcp_plugins.py_evm.message import RawLog
    from echidna_mcp_plugins.py_evm.program import Block
    from echidna_mcp_plugins.py_evm.table import OpcodeTable
    from echidna_mcp_plugins.py_evm.words import Operation

_KINDS: dict[int, FrameKind] = {
    op.CALL: "call",
    op.CALLCODE: "callcode",
    op.DELEGATECALL: "delegatecall",
    op.STATICCALL: "staticcall",
    op.CREATE: "create",
    op.CREATE2: "create2",
}
_WORD = 32
_ADDRESSES = 1 << 160


@dataclass(slots=True)
class Record:
    """What is kept of a frame.

    Attributes:
        kind: what it was begun with.
        answered: whether it has ended without having run.
        ending: how it ended by itself.
        begins: what it is about to begin a frame with.
        acts: what it did, in order.
        trail: the blocks that it entered last.
        comparisons: the nearest ones, by program counter and outcome.
    """

    kind: FrameKind
    answered: bool = False
    ending: Ending | None = None
    begins: FrameKind = "call"
    acts: list[_Act] = field(default_factory=list)
    trail: deque[Block] = field(default_factory=lambda: deque(maxlen=LONGEST_TRAIL))
    comparisons: dict[tuple[int, bool], SiteComparison] = field(default_factory=dict)

    def compare(self, found: SiteComparison) -> None:
        """Keep a comparison if none with its outcome was nearer."""
        key = found.counter, found.holds
        known = self.comparisons.get(key)
        if known is None or found.distance < known.distance:
            self.comparisons[key] = found


_Act: TypeAlias = "Frame | RawLog | StorageWrite | SelfDestruct"


class SeenBlocks(Protocol):
    """Where a frame puts the blocks that it enters."""

    def add(self, block: Block, /) -> None:
        """Take note of one."""
        ...


class Trail:
    """Puts the blocks of a frame where all of them are, and into its trail."""

    def __init__(self, seen: SeenBlocks, trail: deque[Block]) -> None:
        self._seen = seen
        self._trail = trail

    def add(self, block: Block, /) -> None:
        """Take note of one."""
        self._seen.add(block)
        self._trail.append(block)


class DepthTrail:
    """Puts the blocks of a frame where all of them are, and into that of a message."""

    def __init__(
        self, seen: SeenBlocks, trail: deque[tuple[Block, int]], depth: int
    ) -> None:
        self._seen = seen
        self._trail = trail
        self._depth = depth

    def add(self, block: Block, /) -> None:
        """Take note of one."""
        self._seen.add(block)
        self._trail.append((block, self._depth))


class Recorder:
    """The frames of one message.

    Attributes:
        preimages: what they hashed, by its hash.
    """

    def __init__(self) -> None:
        self.preimages: dict[int, bytes] = {}
        self._frames: list[Frame] = []

    def __len__(self) -> int:
        """Return how many frames there are so far."""
        return len(self._frames)

    def begin(self, frame: Frame, parent: Frame | None) -> None:
        """Add a frame that begins; without a parent it is that of the message."""
        kind: FrameKind = "create" if frame.msg.is_create else "call"
        if parent is not None and parent.record is not None:
            kind = parent.record.begins
            parent.record.acts.append(frame)
        frame.record = Record(kind)
        self._frames.append(frame)

    def answer(self, child: Frame, parent: Frame, kind: FrameKind, since: int) -> None:
        """Add a frame that has ended without having run.

        Args:
            child: it.
            parent: who called.
            kind: how.
            since: how many frames there were when it did; those that have begun since
                are what the answer made.
        """
        assert parent.record is not None, "frames of a recorded message have one"
        acts = parent.record.acts
        made = self._frames[since:]
        first = acts.index(made[0]) if made else len(acts)
        child.record = Record(kind, answered=True, acts=acts[first:])
        acts[first:] = [child]
        self._frames.insert(since, child)

    def result(self) -> FrameResult | None:
        """Return the frame of the message, which has ended."""
        results: dict[Frame, FrameResult] = {}
        for frame in reversed(self._frames):  # Whoever began a frame stands before it.
            results[frame] = _result(frame, results)
        return results[self._frames[0]] if self._frames else None


def _result(frame: Frame, results: dict[Frame, FrameResult]) -> FrameResult:
    message, record = frame.msg, frame.record
    assert record is not None, "frames of a recorded message have one"
    ending = Ending(status_of(frame), frame.output)
    return FrameResult(
        kind=record.kind,
        caller=int.from_bytes(message.sender, "big"),
        address=int.from_bytes(frame.address, "big"),
        callee=int.from_bytes(
            frame.address if message.is_create else message.code_address, "big"
        ),
        code=message.code,
        data=b"" if message.is_create else frame.calldata,
        value=message.value,
        static=message.is_static,
        answered=record.answered,
        gas_used=message.gas - frame.get_gas_remaining(),
        status=ending.status,
        output=ending.output,
        overruled=None if record.ending in (None, ending) else record.ending,
        acts=tuple(_acts(record.acts, results)),
        trail=tuple(block.pcs[-1] for block in record.trail),
        comparisons=tuple(record.comparisons.values()),
    )


def _acts(acts: Sequence[_Act], results: dict[Frame, FrameResult]) -> list[Act]:
    found: list[Act] = []
    for act in acts:
        if isinstance(act, (StorageWrite, SelfDestruct)):
            found.append(act)
        elif isinstance(act, tuple):
            found += logs_of([act])
        else:
            found.append(results[act])
    return found


def recording(table: OpcodeTable) -> OpcodeTable:
    """Return the table of a fork with opcodes that keep what frames do."""
    logs = {
        opcode: _logging(table.within[opcode]) for opcode in range(op.LOG0, op.LOG4 + 1)
    }
    begin = {
        opcode: _beginning(table.ending[opcode], kind)
        for opcode, kind in _KINDS.items()
    }
    return replace(
        table,
        within={**table.within, **logs, op.SHA3: _hashing(table.within[op.SHA3])},
        ending={
            **table.ending,
            **begin,
            op.SSTORE: _writing(table.ending[op.SSTORE]),
            op.SELFDESTRUCT: _destroying(table.ending[op.SELFDESTRUCT]),
        },
    )


def siting(table: OpcodeTable) -> OpcodeTable:
    """Return the table of a fork with opcodes that keep what frames compare where."""
    sited = {opcode: _comparing(opcode, table.within[opcode]) for opcode in COMPARING}
    return replace(table, sited=sited)


def _comparing(opcode: int, operation: Operation) -> Callable[[int], Operation]:
    def at(counter: int) -> Operation:
        def compare(stack: list[int], frame: Frame) -> None:
            right = 0 if opcode == ISZERO else stack[-2]
            _record(frame).compare(SiteComparison(counter, opcode, stack[-1], right))
            operation(stack, frame)

        return compare

    return at


def _record(frame: Frame) -> Record:
    assert frame.record is not None, "frames of a recorded message have one"
    return frame.record


def _beginning(operation: Operation, kind: FrameKind) -> Operation:
    def begin(stack: list[int], frame: Frame) -> None:
        _record(frame).begins = kind
        operation(stack, frame)

    return begin


def _logging(operation: Operation) -> Operation:
    def emit(stack: list[int], frame: Frame) -> None:
        logs = frame.scope.logs
        before = len(logs)
        try:
            operation(stack, frame)
        finally:  # A cheatcode that expects another log lets the frame revert.
            _record(frame).acts += logs[before:]

    return emit


def _writing(operation: Operation) -> Operation:
    def write(stack: list[int], frame: Frame) -> None:
        slot, after = stack[-1], stack[-2]
        before = frame.slots.get(slot, 0)
        operation(stack, frame)
        if before != after:
            _record(frame).acts.append(StorageWrite(slot, before, after))

    return write


def _destroying(operation: Operation) -> Operation:
    def destroy(stack: list[int], frame: Frame) -> None:
        heir = stack[-1] % _ADDRESSES
        amount = frame.state.world.balances.get(frame.address, 0)
        acts = _record(frame).acts
        acts.append(SelfDestruct(heir, amount))
        try:
            operation(stack, frame)
        except VMError:  # Too little gas, or a static frame.
            acts.pop()
            raise

    return destroy


def _hashing(operation: Operation) -> Operation:
    def hash_bytes(stack: list[int], frame: Frame) -> None:
        at, size = stack[-1], stack[-2]
        operation(stack, frame)
        recorder = frame.scope.recorder
        if recorder is not None and _WORD <= size <= LONGEST_PREIMAGE:
            recorder.preimages[stack[-1]] = frame.memory_read_bytes(at, size)

    return hash_bytes
