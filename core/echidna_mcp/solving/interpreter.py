"""A small EVM that carries expressions along: one run, with its inputs as symbols.

It follows the yellow paper without gas: a run ends when its steps are spent. What it
does not model ends it as well (`TraceEnd`); the conditions until then stand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from eth_hash.auto import keccak

from echidna_mcp.solving.bytestrings import ByteString, Memory, pieces_of, template_of
from echidna_mcp.solving.code import Code
from echidna_mcp.solving.expressions import Word, value_of
from echidna_mcp.solving.pranking import Pranking
from echidna_mcp.solving.state import Outcome, State
from echidna_mcp.solving.trace import Branch, Trace, TraceEnd
from echidna_mcp.solving.words import BITS, OPERATIONS

_MOST_MEMORY: Final = 1 << 18
_MOST_STACK: Final = 1024
_ANCESTORS: Final = 256
"""Blocks whose hashes BLOCKHASH gives."""
GAS: Final = 1 << 32
"""What GAS says is left: much."""
DEPOSIT_GAS: Final = 200
"""Gas for a byte of code (Yellow Paper, G_codedeposit)."""
STIPEND: Final = 2300
"""Gas that comes with a value; with no more nothing is written (EIP-2200)."""


class FrameFailed(Exception):  # noqa: N818 - an outcome of the EVM
    """The frame halts; all that it has done is undone."""


@dataclass(slots=True)
class Frame:
    """A call that runs."""

    code: Code
    address: int
    caller: Word
    value: Word
    data: ByteString
    is_static: bool = False
    is_poor: bool = False
    """Whether it has not enough gas to write."""
    depth: int = 0
    counter: int = 0
    stack: list[Word] = field(default_factory=list)
    memory: Memory = field(default_factory=Memory)
    returned: ByteString = field(default_factory=ByteString)
    written: ByteString | None = None
    """The marks of its code, if some of it depends on inputs."""

    def pop(self) -> Word:
        """Take the top of the stack."""
        if not self.stack:
            raise FrameFailed
        return self.stack.pop()

    def push(self, word: Word) -> None:
        """Put a word on the stack."""
        self.stack.append(word)


@dataclass(slots=True)
class Environment:
    """What is the same for all frames of a message.

    Attributes:
        number, time: of the block; cheatcodes change them.
        most_code: bytes of code that a contract can have.
        pranks: in whose name calls are made, if not in that of who makes them.
        name: gives some code its name.
        calls: the instructions that run frames of their own (`calls`).
    """

    state: State
    trace: Trace
    origin: Word
    number: Word
    time: Word
    gas_price: int
    most_code: int
    pranks: Pranking
    name: Callable[[bytes], Code]
    calls: Mapping[int, Callable[[Environment, Frame], None]]


_BINARY: Final[Mapping[int, str]] = {
    0x01: "add",
    0x02: "mul",
    0x03: "sub",
    0x04: "div",
    0x05: "sdiv",
    0x06: "mod",
    0x07: "smod",
    0x0B: "signextend",
    0x10: "lt",
    0x11: "gt",
    0x12: "slt",
    0x13: "sgt",
    0x14: "eq",
    0x16: "and",
    0x17: "or",
    0x18: "xor",
    0x1A: "byte",
    0x1B: "shl",
    0x1C: "shr",
    0x1D: "sar",
}
_BINARY_FUNCTIONS: Final = {op: OPERATIONS[name] for op, name in _BINARY.items()}


def run_frame(environment: Environment, frame: Frame) -> Outcome:
    """Run a frame to its end; what it did is undone if it fails.

    Raises:
        TraceEnd: the run goes no further.
    """
    mark = environment.state.mark()
    try:
        outcome = _run(environment, frame)
    except FrameFailed:
        outcome = Outcome(succeeded=False, output=ByteString())
    if not outcome.succeeded:
        environment.state.undo(mark)
    return outcome


def _run(environment: Environment, frame: Frame) -> Outcome:
    trace, graph = environment.trace, environment.trace.graph
    code, stack = frame.code, frame.stack
    data, pushes = code.data, code.pushes
    size, counter = len(data), 0
    trace.visit(code, 0)
    try:
        while True:
            trace.left -= 1
            if trace.left < 0:
                raise TraceEnd("its steps are spent")
            op = data[counter] if counter < size else 0
            if 0x5F <= op <= 0x7F:
                word, counter = pushes[counter]
                stack.append(word)
                if len(stack) > _MOST_STACK:
                    raise FrameFailed
                continue
            if 0x80 <= op <= 0x8F:
                stack.append(stack[0x7F - op])
            elif 0x90 <= op <= 0x9F:
                at = 0x8E - op
                stack[-1], stack[at] = stack[at], stack[-1]
            elif op in _BINARY:
                one, two = stack.pop(), stack.pop()
                if isinstance(one, int) and isinstance(two, int):
                    stack.append(_BINARY_FUNCTIONS[op](one, two))
                else:
                    stack.append(graph.make(_BINARY[op], one, two))
            elif op == 0x56:
                counter = trace.concrete(stack.pop())
                if counter not in code.destinations:
                    raise FrameFailed
                continue
            elif op == 0x57:
                target, condition = trace.concrete(stack.pop()), stack.pop()
                goes = value_of(condition) != 0
                if goes and target not in code.destinations:
                    raise FrameFailed
                if not isinstance(condition, int):
                    other = counter + 1 if goes else target
                    branch = Branch(code, counter, other, trace.call)
                    trace.require(condition, branch=branch)
                if not goes:
                    trace.visit(code, counter + 1)
                counter = target if goes else counter + 1
                continue
            elif op == 0x5B:
                trace.visit(code, counter)
            elif op in (0x15, 0x19):
                stack.append(graph.make("iszero" if op == 0x15 else "not", stack.pop()))
            elif op == 0x50:
                stack.pop()
            else:
                frame.counter = counter
                handler = _HANDLERS.get(op) or environment.calls.get(op)
                if handler is None:
                    raise FrameFailed
                outcome = handler(environment, frame)
                if outcome is not None:
                    return outcome
            counter += 1
    except IndexError:  # A stack that has too little.
        raise FrameFailed from None


def offset_and_size(
    environment: Environment, offset: Word, size: Word
) -> tuple[int, int]:
    """Return a part of memory as numbers.

    Raises:
        FrameFailed: it is so large that it costs more gas than there is.
    """
    many = environment.trace.concrete(size)
    if not many:
        return 0, 0
    start = environment.trace.concrete(offset)
    if start + many > _MOST_MEMORY:
        raise FrameFailed
    return start, many


# ------------------------------------------------------------------- instructions


def _stop(_: Environment, __: Frame) -> Outcome:
    return Outcome(succeeded=True, output=ByteString())


def _end(environment: Environment, frame: Frame, *, succeeded: bool) -> Outcome:
    start, size = offset_and_size(environment, frame.pop(), frame.pop())
    return Outcome(succeeded=succeeded, output=frame.memory.read(start, size))


def _return(environment: Environment, frame: Frame) -> Outcome:
    return _end(environment, frame, succeeded=True)


def _revert(environment: Environment, frame: Frame) -> Outcome:
    return _end(environment, frame, succeeded=False)


def _ternary(op: str) -> Callable[[Environment, Frame], None]:
    def run(environment: Environment, frame: Frame) -> None:
        args = (frame.pop(), frame.pop(), frame.pop())
        frame.push(environment.trace.graph.make(op, *args))

    return run


def _exp(environment: Environment, frame: Frame) -> None:
    base, exponent = frame.pop(), frame.pop()
    graph = environment.trace.graph
    power = graph.power(base, exponent)
    if power is None:
        known = environment.trace.concrete(exponent)
        power = graph.make("exp", base, known)
    frame.push(power)


def _keccak(environment: Environment, frame: Frame) -> None:
    start, size = offset_and_size(environment, frame.pop(), frame.pop())
    what = frame.memory.read(start, size)
    graph = environment.trace.graph
    value = int.from_bytes(keccak(what.data), "big")
    pieces = pieces_of(graph, what)
    frame.push(graph.keccak(value, pieces, lambda: template_of(what)))


def _load_data(environment: Environment, frame: Frame) -> None:
    start = environment.trace.concrete(frame.pop())
    if start >= len(frame.data.data):
        frame.push(0)
    else:
        frame.push(frame.data.word(environment.trace.graph, start))


def _copy(
    source: Callable[[Environment, Frame], ByteString], *, strict: bool = False
) -> Callable[[Environment, Frame], None]:
    """Return an instruction that copies bytes into memory."""

    def run(environment: Environment, frame: Frame) -> None:
        to, start, size = frame.pop(), frame.pop(), frame.pop()
        at, many = offset_and_size(environment, to, size)
        what, begin = source(environment, frame), environment.trace.concrete(start)
        if strict and begin + environment.trace.concrete(size) > len(what.data):
            raise FrameFailed
        frame.memory.write(at, what.part(min(begin, len(what.data)), many))

    return run


def _own_code(_: Environment, frame: Frame) -> ByteString:
    return frame.written or ByteString(frame.code.data)


def _copy_foreign_code(environment: Environment, frame: Frame) -> None:
    address = environment.trace.concrete(frame.pop()) & _ADDRESS
    code = ByteString(environment.state.code(address))
    _copy(lambda _, __: code)(environment, frame)


def _copy_memory(environment: Environment, frame: Frame) -> None:
    to, start, size = frame.pop(), frame.pop(), frame.pop()
    at, many = offset_and_size(environment, to, size)
    begin, many = offset_and_size(environment, start, many)
    frame.memory.write(at, frame.memory.read(begin, many))


def _load(environment: Environment, frame: Frame) -> None:
    start, _ = offset_and_size(environment, frame.pop(), 32)
    frame.push(frame.memory.load(environment.trace.graph, start))


def _store(environment: Environment, frame: Frame) -> None:
    start, _ = offset_and_size(environment, frame.pop(), 32)
    frame.memory.store(start, frame.pop())


def _store_byte(environment: Environment, frame: Frame) -> None:
    start, _ = offset_and_size(environment, frame.pop(), 1)
    frame.memory.store_byte(start, frame.pop())


def _load_storage(environment: Environment, frame: Frame) -> None:
    slot = environment.trace.concrete(frame.pop())
    frame.push(environment.state.storage(frame.address, slot))


def _store_storage(environment: Environment, frame: Frame) -> None:
    if frame.is_static or frame.is_poor:
        raise FrameFailed
    slot = environment.trace.concrete(frame.pop())
    environment.state.set_storage(frame.address, slot, frame.pop())


def _load_transient(environment: Environment, frame: Frame) -> None:
    slot = environment.trace.concrete(frame.pop())
    frame.push(environment.state.transient(frame.address, slot))


def _store_transient(environment: Environment, frame: Frame) -> None:
    if frame.is_static:
        raise FrameFailed
    slot = environment.trace.concrete(frame.pop())
    environment.state.set_transient(frame.address, slot, frame.pop())


def _log(topics: int) -> Callable[[Environment, Frame], None]:
    def run(_: Environment, frame: Frame) -> None:
        if frame.is_static:
            raise FrameFailed
        for _number in range(topics + 2):
            frame.pop()

    return run


def _pushes(
    what: Callable[[Environment, Frame], Word],
) -> Callable[[Environment, Frame], None]:
    def run(environment: Environment, frame: Frame) -> None:
        frame.push(what(environment, frame))

    return run


def _balance(environment: Environment, frame: Frame) -> Word:
    address = environment.trace.concrete(frame.pop()) & _ADDRESS
    return environment.state.balance(address)


def _code_size(environment: Environment, frame: Frame) -> Word:
    address = environment.trace.concrete(frame.pop()) & _ADDRESS
    return len(environment.state.code(address))


def _code_hash(environment: Environment, frame: Frame) -> Word:
    address = environment.trace.concrete(frame.pop()) & _ADDRESS
    if not environment.state.exists(address):
        return 0
    return int.from_bytes(keccak(environment.state.code(address)), "big")


def _destroy(environment: Environment, frame: Frame) -> Outcome:
    if frame.is_static:
        raise FrameFailed
    heir = environment.trace.concrete(frame.pop()) & _ADDRESS
    state = environment.state
    state.note_destroyed(frame.address)
    if heir != frame.address:
        left = state.balance(frame.address)
        graph = environment.trace.graph
        state.set_balance(heir, graph.make("add", state.balance(heir), left))
        state.set_balance(frame.address, 0)
    return Outcome(succeeded=True, output=ByteString())


def _no_blob(_: Environment, frame: Frame) -> None:
    frame.pop()
    frame.push(0)


def _block_hash(environment: Environment, frame: Frame) -> Word:
    """Return what stands for the hash of one of the last 256 blocks, else 0."""
    asked = environment.trace.concrete(frame.pop())
    age = environment.trace.concrete(environment.number) - asked
    if not 0 < age <= _ANCESTORS:
        return 0
    return int.from_bytes(keccak(str(asked).encode()), "big")


def _leading_zeros(environment: Environment, frame: Frame) -> Word:
    return BITS - environment.trace.concrete(frame.pop()).bit_length()


_ADDRESS: Final = (1 << 160) - 1

Handler = Callable[[Environment, Frame], Outcome | None]

_HANDLERS: Final[dict[int, Handler]] = {
    0x00: _stop,
    0x08: _ternary("addmod"),
    0x09: _ternary("mulmod"),
    0x0A: _exp,
    0x1E: _pushes(_leading_zeros),
    0x20: _keccak,
    0x30: _pushes(lambda _, f: f.address),
    0x31: _pushes(_balance),
    0x32: _pushes(lambda e, _: e.origin),
    0x33: _pushes(lambda _, f: f.caller),
    0x34: _pushes(lambda _, f: f.value),
    0x35: _load_data,
    0x36: _pushes(lambda _, f: len(f.data.data)),
    0x37: _copy(lambda _, f: f.data),
    0x38: _pushes(lambda _, f: len(f.code.data)),
    0x39: _copy(_own_code),
    0x3A: _pushes(lambda e, _: e.gas_price),
    0x3B: _pushes(_code_size),
    0x3C: _copy_foreign_code,
    0x3D: _pushes(lambda _, f: len(f.returned.data)),
    0x3E: _copy(lambda _, f: f.returned, strict=True),
    0x3F: _pushes(_code_hash),
    0x40: _pushes(_block_hash),
    0x41: _pushes(lambda e, _: e.state.start.block.coinbase),
    0x42: _pushes(lambda e, _: e.time),
    0x43: _pushes(lambda e, _: e.number),
    0x44: _pushes(lambda e, _: e.state.start.block.prev_randao),
    0x45: _pushes(lambda e, _: e.state.start.block.gas_limit),
    0x46: _pushes(lambda e, _: e.state.start.block.chain_id),
    0x47: _pushes(lambda e, f: e.state.balance(f.address)),
    0x48: _pushes(lambda e, _: e.state.start.block.base_fee),
    0x49: _no_blob,
    0x4A: _pushes(lambda e, _: e.state.start.block.blob_base_fee),
    0x51: _load,
    0x52: _store,
    0x53: _store_byte,
    0x54: _load_storage,
    0x55: _store_storage,
    0x58: _pushes(lambda _, f: f.counter),
    0x59: _pushes(lambda _, f: len(f.memory.data)),
    0x5A: _pushes(lambda _, __: GAS),
    0x5C: _load_transient,
    0x5D: _store_transient,
    0x5E: _copy_memory,
    **{0xA0 + topics: _log(topics) for topics in range(5)},
    0xF3: _return,
    0xFD: _revert,
    0xFF: _destroy,
}
