"""Instructions that run frames of their own: calls and creations.

Who is called is a number, the arguments are what they are; a call to a precompile or to
a cheatcode that is not modelled (`cheats`) ends the run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Final

from eth_hash.auto import keccak

from echidna_mcp.cheatcodes.addresses import CHEATCODES, CONSOLE
from echidna_mcp.cheatcodes.handlers.keys.secp256k1 import signer_of
from echidna_mcp.evm.fork import PRECOMPILE_ADDRESSES
from echidna_mcp.solving.bytestrings import ByteString
from echidna_mcp.solving.cheats import CHEATING, cheat
from echidna_mcp.solving.expressions import Word, value_of
from echidna_mcp.solving.interpreter import (
    STIPEND,
    Environment,
    Frame,
    FrameFailed,
    offset_and_size,
    run_frame,
)
from echidna_mcp.solving.state import Outcome
from echidna_mcp.solving.trace import TraceEnd

_ADDRESS: Final = (1 << 160) - 1
_MOST_DEPTH: Final = 48
"""Frames in one another; more end the run, long before Python's stack does."""
_ECRECOVER: Final = 1
_SHA256: Final = 2
_IDENTITY: Final = 4
_RESERVED: Final = b"\xef"
_DELEGATION: Final = bytes.fromhex("ef0100")
"""With this begins the code of an account that runs that of another (EIP-7702)."""
_NOTHING: Final = Outcome(succeeded=True, output=ByteString())
_FAILURE: Final = Outcome(succeeded=False, output=ByteString())


def run_message(
    environment: Environment,
    to: int,
    value: Word,
    data: ByteString,
) -> Outcome:
    """Run a call from outside. Its value is minted, as in `evm.backend.Message`.

    Args:
        environment: of the call.
        to: who is called.
        value: what is paid.
        data: the calldata.

    Raises:
        TraceEnd: the run goes no further.
    """
    state, graph = environment.state, environment.trace.graph
    mark = state.mark()
    state.set_balance(to, graph.make("add", state.balance(to), value))
    frame = Frame(
        code=environment.name(_code_of(environment, to)),
        address=to,
        caller=environment.origin,
        value=value,
        data=data,
    )
    outcome = _NOTHING
    if frame.code.data:
        outcome = run_frame(environment, frame)
    if not outcome.succeeded:
        state.undo(mark)
    state.end_message()
    return outcome


def _code_of(environment: Environment, address: int) -> bytes:
    """Return what runs at an address."""
    code = environment.state.code(address)
    if code.startswith(_DELEGATION) and len(code) == len(_DELEGATION) + 20:
        return environment.state.code(int.from_bytes(code[-20:], "big"))
    return code


def _call(environment: Environment, frame: Frame) -> None:
    gas = frame.pop()
    to, value = environment.trace.concrete(frame.pop()) & _ADDRESS, frame.pop()
    if value_of(value) and (frame.is_static or frame.is_poor):
        raise FrameFailed
    # Gas is known where it is none but what comes with the value: `transfer`, `send`.
    is_poor = value_of(gas) + (STIPEND if value_of(value) else 0) <= STIPEND
    _enter(environment, frame, to, to, value, frame.address, is_poor=is_poor)


def _callcode(environment: Environment, frame: Frame) -> None:
    frame.pop()
    to, value = environment.trace.concrete(frame.pop()) & _ADDRESS, frame.pop()
    _enter(environment, frame, to, frame.address, value, frame.address, is_own=True)


def _delegatecall(environment: Environment, frame: Frame) -> None:
    frame.pop()
    to = environment.trace.concrete(frame.pop()) & _ADDRESS
    _enter(environment, frame, to, frame.address, None, frame.caller)


def _staticcall(environment: Environment, frame: Frame) -> None:
    frame.pop()
    to = environment.trace.concrete(frame.pop()) & _ADDRESS
    _enter(environment, frame, to, to, 0, frame.address, is_static=True)


def _enter(
    environment: Environment,
    frame: Frame,
    to: int,
    address: int,
    value: Word | None,
    caller: Word,
    *,
    is_static: bool = False,
    is_own: bool = False,
    is_poor: bool = False,
) -> None:
    """Run the code at `to` on the account at `address`, and push how it ended.

    Args:
        value: what it pays; None if it goes on with what its caller was paid.
        is_own: whether it is made in its own name even if there is a prank.
        is_poor: whether it has not enough gas to write.
    """
    start, size = offset_and_size(environment, frame.pop(), frame.pop())
    data = frame.memory.read(start, size)
    begin, room = offset_and_size(environment, frame.pop(), frame.pop())
    frame.memory.read(begin, room)
    if frame.depth + 1 >= _MOST_DEPTH:
        raise TraceEnd("its frames are too deep")
    state, pranks = environment.state, environment.pranks
    mark = state.mark()
    is_told = to in (CHEATCODES, CONSOLE) and value is not None and not is_own
    payer, sender = frame.address, caller
    if not is_told and not is_own:
        sender = pranks.sender(frame.depth, caller)
    if sender is not caller and value:
        payer = environment.trace.concrete(sender) & _ADDRESS
    if value is not None and not _pay(environment, payer, address, value):
        outcome = _FAILURE
    elif to in PRECOMPILE_ADDRESSES:
        outcome = _precompiled(environment, to, data)
    elif to == CHEATCODES and state.code(to) == CHEATING.code:
        outcome = cheat(environment, frame, data)
    else:
        inner = Frame(
            code=environment.name(_code_of(environment, to)),
            address=address,
            caller=sender,
            value=frame.value if value is None else value,
            data=data,
            is_static=frame.is_static or is_static,
            is_poor=frame.is_poor or is_poor,
            depth=frame.depth + 1,
        )
        outcome = run_frame(environment, inner) if inner.code.data else _NOTHING
    if not outcome.succeeded:
        state.undo(mark)
    if not is_told:
        pranks.end_call(frame.depth)
    frame.returned = outcome.output
    size = min(room, len(outcome.output.data))
    frame.memory.write(begin, outcome.output.part(0, size))
    frame.push(int(outcome.succeeded))


def _can_pay(environment: Environment, payer: int, value: Word) -> bool:
    """Return whether an account has a value."""
    if not value:
        return True
    lacks = environment.trace.graph.make("lt", environment.state.balance(payer), value)
    environment.trace.require(lacks)
    return not value_of(lacks)


def _pay(environment: Environment, payer: int, payee: int, value: Word) -> bool:
    """Move a value; False if there is too little of it."""
    if not _can_pay(environment, payer, value):
        return False
    if value and payer != payee:
        state, graph = environment.state, environment.trace.graph
        left = graph.make("sub", state.balance(payer), value)
        state.set_balance(payer, left)
        more = graph.make("add", state.balance(payee), value)
        state.set_balance(payee, more)
    return True


def _precompiled(environment: Environment, to: int, data: ByteString) -> Outcome:
    if to == _ECRECOVER:
        return Outcome(succeeded=True, output=_recovered(environment, data))
    if to == _IDENTITY:
        return Outcome(succeeded=True, output=data)
    if to == _SHA256:
        hashed = hashlib.sha256(data.data).digest()
        return Outcome(succeeded=True, output=ByteString(hashed))
    raise TraceEnd("it calls a precompile")


def _recovered(environment: Environment, data: ByteString) -> ByteString:
    """Return the address of who has signed, as it is in this run."""
    trace = environment.trace
    digest, *signature = (
        trace.concrete(data.word(trace.graph, 32 * number)) for number in range(4)
    )
    signer = signer_of(digest.to_bytes(32, "big"), *signature)
    return ByteString() if signer is None else ByteString(signer.to_bytes(32, "big"))


def _create(environment: Environment, frame: Frame) -> None:
    value = frame.pop()
    start, size = offset_and_size(environment, frame.pop(), frame.pop())
    code = frame.memory.read(start, size)
    creator = _creator(environment, frame)
    nonce = environment.state.nonce(creator)
    parts = _rlp_bytes(creator.to_bytes(20, "big")) + _rlp_number(nonce)
    address = _address(bytes([0xC0 + len(parts)]) + parts)
    _begin(environment, frame, creator, address, value, code)


def _create2(environment: Environment, frame: Frame) -> None:
    value = frame.pop()
    start, size = offset_and_size(environment, frame.pop(), frame.pop())
    code = frame.memory.read(start, size)
    salt = environment.trace.concrete(frame.pop())
    creator = _creator(environment, frame)
    parts = (b"\xff", creator.to_bytes(20, "big"), salt.to_bytes(32, "big"))
    address = _address(b"".join((*parts, keccak(code.data))))
    _begin(environment, frame, creator, address, value, code)


def _creator(environment: Environment, frame: Frame) -> int:
    """Return in whose name a frame creates."""
    if frame.is_static or frame.is_poor:
        raise FrameFailed
    sender = environment.pranks.sender(frame.depth, frame.address)
    return environment.trace.concrete(sender) & _ADDRESS


def _address(preimage: bytes) -> int:
    return int.from_bytes(keccak(preimage)[-20:], "big")


def _rlp_bytes(data: bytes) -> bytes:
    return bytes([0x80 + len(data)]) + data


def _rlp_number(number: int) -> bytes:
    if 0 < number < 0x80:
        return bytes([number])
    return _rlp_bytes(number.to_bytes((number.bit_length() + 7) // 8, "big"))


def _begin(
    environment: Environment,
    frame: Frame,
    creator: int,
    address: int,
    value: Word,
    code: ByteString,
) -> None:
    """Run creation code for a new account, and push its address, or 0."""
    if frame.depth + 1 >= _MOST_DEPTH:
        raise TraceEnd("its frames are too deep")
    state = environment.state
    frame.returned = ByteString()
    created = 0
    if _can_pay(environment, creator, value):
        state.set_nonce(creator, state.nonce(creator) + 1)
        if not state.code(address) and not state.nonce(address):
            inner = Frame(
                code=environment.name(code.data),
                address=address,
                caller=creator,
                value=value,
                data=ByteString(),
                depth=frame.depth + 1,
                written=code,
            )
            outcome = _deploy(environment, inner)
            if outcome.succeeded:
                created = address
            else:
                frame.returned = outcome.output
    environment.pranks.end_call(frame.depth)
    frame.push(created)


def _deploy(environment: Environment, frame: Frame) -> Outcome:
    """Run creation code that can be paid for, on an account that is free."""
    state = environment.state
    mark = state.mark()
    _pay(environment, value_of(frame.caller), frame.address, frame.value)
    state.set_nonce(frame.address, 1)
    state.note_created(frame.address)
    outcome = run_frame(environment, frame)
    if outcome.succeeded and not _can_be_code(environment, outcome.output.data):
        outcome = _FAILURE
    if outcome.succeeded:
        # Immutables that depend on inputs are what they are in this run.
        state.set_code(frame.address, outcome.output.data)
    else:
        state.undo(mark)
    return outcome


def _can_be_code(environment: Environment, code: bytes) -> bool:
    """Whether a contract may have this code (EIP-170, EIP-3541), and can pay for it."""
    return len(code) <= environment.most_code and code[:1] != _RESERVED


CALLS: Final[Mapping[int, Callable[[Environment, Frame], None]]] = {
    0xF0: _create,
    0xF1: _call,
    0xF2: _callcode,
    0xF4: _delegatecall,
    0xF5: _create2,
    0xFA: _staticcall,
}
