"""Cheatcodes on py-evm: what frames tell them, and what they do to the world.

The opcodes that call and create ask before they act in whose name they do. Whatever
they make, a frame or none, is answered or told afterwards (`Frame.apply_child_…`).
"""

from __future__ import annotations

from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from eth._utils.address import (
    generate_contract_address,
    generate_safe_contract_address,
)
from eth.constants import CREATE_CONTRACT_ADDRESS
from eth.exceptions import Revert
from eth.vm import opcode_values as op

from echidna_mcp.cheatcodes import pranks
from echidna_mcp.cheatcodes.addresses import CHEATCODES, CONSOLE
from echidna_mcp.cheatcodes.cheats import Cheats, Hook
from echidna_mcp.cheatcodes.errors import CheatError
from echidna_mcp.cheatcodes.expectations import DUMMY_ADDRESS
from echidna_mcp.cheatcodes.host import (
    Answer,
    CallKind,
    Creation,
    Ended,
    MadeCall,
    Site,
)
from echidna_mcp_plugins.py_evm.message import FrameMessage, address_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from eth.abc import MessageAPI
    from eth_typing import Address

    from echidna_mcp_plugins.py_evm.frame import Frame
    from echidna_mcp_plugins.py_evm.state import State
    from echidna_mcp_plugins.py_evm.table import OpcodeTable
    from echidna_mcp_plugins.py_evm.words import Operation

_MASK160 = (1 << 160) - 1
_U64 = (1 << 64) - 1
_UINT256 = (1 << 256) - 1
_TWO_WORDS = 64
_HASHES = {op.BLOCKHASH: Cheats.block_hash, op.BLOBHASH: Cheats.blob_hash}
_VM, _CONSOLE = address_of(CHEATCODES), address_of(CONSOLE)
_KINDS: dict[int, CallKind] = {
    op.CALL: "call",
    op.CALLCODE: "callcode",
    op.DELEGATECALL: "delegatecall",
    op.STATICCALL: "staticcall",
}


@dataclass(slots=True)
class Calling:
    """What a frame is about to call.

    Attributes:
        kind: how; None for a creation.
        salted: whether it is a creation by CREATE2.
        sender: in whose name, if not in its own.
        made: whether there was a child, or an answer in its place.
        overridden: whether the override of the message takes the place of the call.
    """

    kind: CallKind | None = None
    salted: bool = False
    sender: Address | None = None
    made: bool = False
    overridden: bool = False


# ------------------------------------------------------------------------------ opcodes


def watched(table: OpcodeTable) -> OpcodeTable:
    """Return the table of a fork with opcodes that tell cheatcodes what they do."""
    logs = {
        opcode: _logging(table.within[opcode]) for opcode in range(op.LOG0, op.LOG4 + 1)
    }
    load, store = table.within[op.SLOAD], table.ending[op.SSTORE]
    calls = {
        opcode: _making(table.ending[opcode], kind) for opcode, kind in _KINDS.items()
    }
    creations = {
        opcode: _making(table.ending[opcode], None, salted=opcode == op.CREATE2)
        for opcode in (op.CREATE, op.CREATE2)
    }
    hashes = {
        opcode: _telling(table.within[opcode], answer)
        for opcode, answer in _HASHES.items()
        if opcode in table.within
    }
    return replace(
        table,
        within={
            **table.within,
            **logs,
            op.SLOAD: _accessing(load, written=False),
            op.SHA3: _hashing(table.within[op.SHA3]),
            **hashes,
        },
        ending={
            **table.ending,
            **calls,
            **creations,
            op.SSTORE: _accessing(store, written=True),
        },
        with_constant={
            opcode: fuse
            for opcode, fuse in table.with_constant.items()
            if opcode != op.SLOAD
        },
    )


def _making(
    operation: Operation, kind: CallKind | None, *, salted: bool = False
) -> Operation:
    """Return an opcode that calls or, without a kind, creates."""

    def make(stack: list[int], frame: Frame) -> None:
        cheats = cast("Cheats", frame.state.cheats)
        calling = frame.calling = Calling(kind, salted)
        watched = cheats.hooks or frame.scope.watches_reverts
        if not watched or (kind is not None and _is_told(kind, stack[-2])):
            operation(stack, frame)
            return
        area, target = _area(stack, kind), address_of(stack[-2] & _MASK160)
        with _in_name_of(frame, cheats, calling):
            operation(stack, frame)
        if not calling.made and not _fail_early(stack, frame, cheats, area):
            if kind in ("call", "staticcall"):
                frame.scope.note_revert(target)
            elif kind is not None:
                frame.scope.note_revert(frame.address)

    return make


def _is_told(kind: CallKind, target: int) -> bool:
    """Whether a call is for the cheatcodes or the console."""
    return kind in ("call", "staticcall") and target & _MASK160 in (CHEATCODES, CONSOLE)


def _area(stack: list[int], kind: CallKind | None) -> tuple[int, int]:
    """Return where in the memory the output of a call goes, and how much."""
    match kind:
        case None:
            return 0, 0
        case "call" | "callcode":
            return stack[-6], stack[-7]
        case _:
            return stack[-5], stack[-6]


@contextmanager
def _in_name_of(frame: Frame, cheats: Cheats, calling: Calling) -> Iterator[None]:
    """Let a frame call in the name that pranks give it."""
    known, depth = cheats.host.pranks, frame.msg.depth + 1
    own = frame.msg
    delegates = calling.kind == "delegatecall"
    caller = own.sender if delegates else frame.address
    if not known.count or calling.kind == "callcode":
        yield
        return
    number = int.from_bytes(caller, "big")
    seen = copy(own)
    acted = pranks.delegates_as(known, depth) if delegates else 0
    scope = frame.scope
    if acted:
        row = acted - 1
        pranks.use_prank(known, row)
        as_who = address_of(pranks.prank_sender(known, row))
        seen._storage_address = as_who  # noqa: SLF001 - py-evm's own name
        seen.sender = as_who
        scope.sender = pranks.prank_origin(known, row, scope.sender)
    else:
        sender = pranks.sender_of(known, depth, number)
        scope.sender = pranks.origin_of(known, depth, number, scope.sender)
        if sender != number:
            who = address_of(sender)
            if delegates:
                seen.sender = who
            else:
                calling.sender = who
                seen._storage_address = who  # noqa: SLF001 - as above
    frame.msg = seen
    try:
        yield
    finally:
        frame.msg = own


def _fail_early(
    stack: list[int], frame: Frame, cheats: Cheats, area: tuple[int, int]
) -> bool:
    """Tell of a call that was not made, for want of money or depth.

    Returns:
        Whether cheatcodes have changed how it ends.
    """
    answer = _end(
        frame,
        cheats,
        Ended(
            depth=frame.msg.depth + 1,
            address=0,
            creates=frame.calling.kind is None,
            static=frame.is_static or frame.calling.kind == "staticcall",
            ok=False,
            output=b"",
            halted=False,
        ),
    )
    if answer is None:
        return False
    frame.return_data = b"" if frame.calling.kind is None else answer.output
    stack[-1] = int(answer.ok)
    start, room = area
    size = min(room, len(answer.output))
    frame.memory_write(start, size, answer.output[:size])
    return True


def _logging(operation: Operation) -> Operation:
    def emit(stack: list[int], frame: Frame) -> None:
        operation(stack, frame)
        cheats = cast("Cheats", frame.state.cheats)
        if cheats.hooks & Hook.LOGS:
            _, address, topics, data = frame.scope.logs[-1]
            reason = cheats.logged(int.from_bytes(address, "big"), topics, data)
            if reason is not None:
                frame.output = CheatError(reason).output
                raise Revert(reason)

    return emit


def _accessing(operation: Operation, *, written: bool) -> Operation:
    def access(stack: list[int], frame: Frame) -> None:
        slot = stack[-1]
        operation(stack, frame)
        cheats = cast("Cheats", frame.state.cheats)
        if cheats.held.records_storage:
            address = int.from_bytes(frame.address, "big")
            cheats.accessed(address, slot, written=written)

    return access


def _hashing(operation: Operation) -> Operation:
    def hash_words(stack: list[int], frame: Frame) -> None:
        at, size = stack[-1], stack[-2]
        operation(stack, frame)
        cheats = cast("Cheats", frame.state.cheats)
        if size == _TWO_WORDS and cheats.held.records_storage:
            address = int.from_bytes(frame.address, "big")
            cheats.hashed(address, frame.memory_read_bytes(at, size), stack[-1])

    return hash_words


def _telling(
    operation: Operation, answer: Callable[[Cheats, int, int], int]
) -> Operation:
    """Return an opcode that gives what cheatcodes say in place of what it has found."""

    def tell(stack: list[int], frame: Frame) -> None:
        asked = stack[-1]
        operation(stack, frame)
        cheats = cast("Cheats", frame.state.cheats)
        if cheats.hooks & Hook.HASHES:
            stack[-1] = answer(cheats, asked, stack[-1])

    return tell


# ------------------------------------------------------------------------------- frames


def answered(frame: Frame, message: MessageAPI) -> Frame | None:
    """Return how a call of a frame has ended, if no frame is to run for it."""
    cheats = frame.state.cheats
    if cheats is None:
        return None
    calling, made = frame.calling, cast("FrameMessage", message)
    calling.made = True
    if calling.kind in ("call", "staticcall"):
        if made.code_address == _CONSOLE:
            return _finished(frame, made, Answer(ok=True))
        if made.code_address == _VM:
            return _obey(frame, cheats, made)
    if calling.kind is None or not cheats.hooks & Hook.CALLS:
        return None
    return _mocked(frame, cheats, made, calling.kind)


def _mocked(
    frame: Frame, cheats: Cheats, message: FrameMessage, kind: CallKind
) -> Frame | None:
    """Tell of a call; return how it has ended if it is mocked."""
    state = frame.state
    answer = cheats.before_call(
        MadeCall(
            depth=frame.msg.depth + 1,
            kind=kind,
            address=int.from_bytes(message.storage_address, "big"),
            code=int.from_bytes(message.code_address, "big"),
            value=0 if kind == "delegatecall" else message.value,
            gas=message.gas,
            data=cast("bytes", message.data),
            static=message.is_static,
        )
    )
    if isinstance(answer, int):
        message.code = state.get_code(address_of(answer))
        return None
    if answer is None:
        return None
    if answer.ok and kind == "call" and message.value:
        payer, payee = message.sender, message.storage_address
        state.set_balance(payer, state.get_balance(payer) - message.value)
        state.set_balance(payee, state.get_balance(payee) + message.value)
    return _finished(frame, message, answer)


def _obey(frame: Frame, cheats: Cheats, message: FrameMessage) -> Frame:
    """Do what a call of the cheatcodes says."""
    caller = int.from_bytes(frame.address, "big")
    site = Site(frame.msg.depth + 1, caller)
    answer = cheats.answer(site, cast("bytes", message.data))
    if isinstance(answer, Creation):
        return _create(frame, cheats, message, answer)
    return _finished(frame, message, answer)


def _create(
    frame: Frame, cheats: Cheats, message: FrameMessage, creation: Creation
) -> Frame:
    """Create a contract for a cheatcode, whose result is the address."""
    state, known = frame.state, cheats.host.pranks
    depth, own = frame.msg.depth + 1, int.from_bytes(frame.address, "big")
    scope = frame.scope
    scope.sender = pranks.origin_of(known, depth, own, scope.sender)
    creator = address_of(pranks.sender_of(known, depth, own))
    nonce = state.get_nonce(creator)
    if creation.salt is None:
        target = generate_contract_address(creator, nonce)
    else:
        target = generate_safe_contract_address(creator, creation.salt, creation.code)
    answer, used = Answer(ok=False), 0
    if state.get_balance(creator) >= creation.value:
        state.set_nonce(creator, nonce + 1)
        state.mark_address_warm(target)  # EIP-2929
        if not state.has_code_or_nonce(target):
            answer, used = _run_creation(frame, message, creation, creator, target)
    scope.sender = pranks.origin_after(known, depth, scope.sender)
    child = _finished(frame, message, answer)
    child.gas -= used
    return child


def _run_creation(
    frame: Frame,
    message: FrameMessage,
    creation: Creation,
    creator: Address,
    target: Address,
) -> tuple[Answer, int]:
    """Create a contract; return the address, or why it failed, and the gas for it."""
    gas = frame.gas + message.gas  # All that the caller has (EIP-150).
    gas -= gas // 64
    if frame.record is not None:
        frame.record.begins = "create" if creation.salt is None else "create2"
    made = frame.run_child(
        frame.prepare_child_message(
            gas=gas,
            sender=creator,
            to=CREATE_CONTRACT_ADDRESS,
            value=creation.value,
            data=b"",
            code=creation.code,
            create_address=target,
        )
    )
    output = made.output if made.is_error else target.rjust(32, b"\0")
    used = gas - made.get_gas_remaining()
    return Answer(ok=made.is_success, output=output), used


def _finished(frame: Frame, message: FrameMessage, answer: Answer) -> Frame:
    """Return a frame that has ended without having run."""
    child = type(frame)(frame.state, message, frame.transaction_context)
    _settle(child, answer)
    return child


def _settle(child: Frame, answer: Answer) -> None:
    """Make a frame one that has ended so; it keeps its gas."""
    child.output = answer.output
    error = None if answer.ok else Revert("a cheatcode")
    child._error = error  # type: ignore[assignment] # noqa: SLF001 - py-evm's own


def ended(frame: Frame, child: Frame) -> None:
    """Tell that what a frame has called or created has ended."""
    if not _tell_end(frame, child):
        _note_revert(child)


def _note_revert(frame: Frame) -> None:
    """Take note of a frame that has ended, if it is a call that has reverted."""
    if frame.is_error and not _halted(frame) and not frame.msg.is_create:
        frame.scope.note_revert(frame.msg.storage_address)


def _tell_end(frame: Frame, child: Frame) -> bool:
    """Tell of the end; return whether cheatcodes have changed it."""
    cheats = cast("Cheats", frame.state.cheats)
    message = child.msg
    direct = frame.calling.kind in ("call", "staticcall")
    if not cheats.hooks or (direct and message.code_address in (_VM, _CONSOLE)):
        return False
    end = Ended(
        depth=frame.msg.depth + 1,
        address=int.from_bytes(message.storage_address, "big"),
        creates=message.is_create,
        static=message.is_static,
        ok=child.is_success,
        output=child.output if child.is_error or not message.is_create else b"",
        halted=_halted(child),
        creator=_creator(child),
        salted=frame.calling.salted,
    )
    answer = _end(frame, cheats, end)
    if answer is not None:
        _settle(child, answer)
        if message.is_create and answer.ok:
            message._storage_address = address_of(DUMMY_ADDRESS)  # noqa: SLF001
    return answer is not None


def _halted(frame: Frame) -> bool:
    """Whether a frame that has ended has failed otherwise than by REVERT."""
    return frame.is_error and not isinstance(frame.error, Revert)


def _creator(frame: Frame) -> int:
    """Return who has created what a frame creates; 0 if it does not."""
    return int.from_bytes(frame.msg.sender, "big") if frame.msg.is_create else 0


def _end(frame: Frame, cheats: Cheats, end: Ended) -> Answer | None:
    scope, known = frame.scope, cheats.host.pranks
    scope.sender = pranks.origin_after(known, end.depth, scope.sender)
    return cheats.ended(end) if cheats.hooks & Hook.ENDS else None


# ----------------------------------------------------------------------------- messages


def begin_message(state: State, cheats: Cheats) -> None:
    """Begin a message."""
    cheats.begin_message()
    if cheats.host.pranks.dies:
        pranks.forget_pranks(cheats.host.pranks)
    if cheats.held.gas_price is not None:
        state.scope.price = cheats.held.gas_price


def end_message(cheats: Cheats, frame: Frame) -> None:
    """Tell that a message has ended, and how its first frame has."""
    if not cheats.hooks & Hook.ENDS:
        _note_revert(frame)
        return
    answer = cheats.ended(
        Ended(
            depth=0,
            address=int.from_bytes(frame.msg.storage_address, "big"),
            creates=frame.msg.is_create,
            static=False,
            ok=frame.is_success,
            output=frame.output,
            halted=_halted(frame),
            creator=_creator(frame),
        )
    )
    if answer is None:
        _note_revert(frame)
    else:
        _settle(frame, answer)
