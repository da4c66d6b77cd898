"""The frames that the reference tells; to be told changes nothing of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from eth_hash.auto import keccak
from evm_assembler import assemble, creation_code

from echidna_mcp.cheatcodes.addresses import CHEATCODES, CONSOLE
from echidna_mcp.evm.backend import (
    BackendConfig,
    CallResult,
    Log,
    Message,
    Status,
    Watch,
)
from echidna_mcp.evm.cheat_settings import CheatSettings
from echidna_mcp.evm.frames import FrameResult, SelfDestruct, StorageWrite
from echidna_mcp_plugins.py_evm.backend import PyEvmBackend

SENDER = 0x10000
TARGET = 0xA1
INNER = 0xA2
RETURN = "0x0 MSTORE 0x20 0x0 RETURN"
CALLS = {
    "call": f"0 0 0 0 3 {INNER:#x} GAS CALL",
    "callcode": f"0 0 0 0 3 {INNER:#x} GAS CALLCODE",
    "delegatecall": f"0 0 0 0 {INNER:#x} GAS DELEGATECALL",
    "staticcall": f"0 0 0 0 {INNER:#x} GAS STATICCALL",
}


def code_of(text: str) -> bytes:
    return assemble(" ".join(f"0x{w}" if w in {"0", "3"} else w for w in text.split()))


def world(*codes: bytes, cheats: CheatSettings | None = None) -> PyEvmBackend:
    """Return a world with codes at TARGET, INNER and so on, with ten wei each."""
    backend = PyEvmBackend(BackendConfig(cheats=cheats))
    for position, code in enumerate(codes):
        data = creation_code(code)
        backend.deploy(Message(sender=1, to=None, data=data), address=TARGET + position)
        backend.set_balance(TARGET + position, 10)
    return backend


def told(backend: PyEvmBackend, data: bytes = b"") -> CallResult:
    """Call the target with and without frames, and return the result with them."""
    message = Message(sender=SENDER, to=TARGET, data=data, gas=1_000_000)
    before = backend.snapshot()
    plain = backend.call(message, Watch(coverage=True))
    after = [*backend.accounts()]
    backend.restore(before)
    result = backend.call(message, Watch(coverage=True, frames=True))
    assert [*backend.accounts()] == after
    assert replace(result, frame=None, preimages={}) == plain
    assert (plain.frame, plain.preimages) == (None, {})
    return result


def first_child(result: CallResult) -> FrameResult:
    assert result.frame is not None
    return next(result.frame.children)


@pytest.mark.parametrize("kind", CALLS)
def test_each_kind_of_call_is_told(kind):
    backend = world(code_of(f"{CALLS[kind]} {RETURN}"), code_of(f"0x7 {RETURN}"))
    child = first_child(told(backend, b"abcdef"))
    delegates = kind in {"callcode", "delegatecall"}
    assert child.kind == kind
    assert child.callee == INNER
    assert child.address == (TARGET if delegates else INNER)
    assert child.caller == (SENDER if kind == "delegatecall" else TARGET)
    assert child.value == (3 if kind in {"call", "callcode"} else 0)
    assert child.static == (kind == "staticcall")
    assert (child.status, child.output) == (Status.STOP, (7).to_bytes(32, "big"))
    assert child.code == backend.code(INNER)
    assert not child.creates
    assert not child.answered


def test_acts_are_told_in_their_order_also_those_that_are_undone():
    inner = code_of("0x5 0x1 SSTORE 0x9 0 0 LOG1 0x6 0x1 SSTORE 0 0 REVERT")
    outer = code_of(f"0x1 0x2 SSTORE {CALLS['call']} POP 0x8 0 0 LOG1 0x1 0x2 SSTORE")
    result = told(world(outer, inner))
    frame = result.frame
    assert frame is not None
    write, child, log = frame.acts
    assert write == StorageWrite(2, 0, 1)
    assert isinstance(child, FrameResult)
    assert log == result.logs[0]
    assert child.acts == (
        StorageWrite(1, 0, 5),
        result.dropped_logs[0],
        StorageWrite(1, 5, 6),
    )
    assert child.status is Status.REVERT


def test_a_creation_has_its_code_and_its_address():
    runtime = code_of("STOP")
    init = creation_code(runtime).ljust(32, b"\0")
    store = assemble(int.from_bytes(init, "big"), "0x0 MSTORE")
    for create, kind in (
        ("0x20 0 0 CREATE", "create"),
        ("0 0x20 0 0 CREATE2", "create2"),
    ):
        child = first_child(told(world(store + code_of(f"{create} {RETURN}"))))
        assert child.kind == kind
        assert child.creates
        assert (child.code, child.data) == (init, b"")
        assert child.output == runtime
        assert child.caller == TARGET


def test_gas_of_a_frame_is_that_of_all_below_it():
    result = told(world(code_of(f"{CALLS['call']} STOP"), code_of("0x1 0x1 SSTORE")))
    frame = result.frame
    assert frame is not None
    (child,) = frame.children
    assert child.gas_used == 3 + 3 + 22100
    assert result.gas_used == 21000 + frame.gas_used
    # PUSH0, PUSH1, GAS; a cold account, the value, the stipend that comes back.
    own = 4 * 2 + 2 * 3 + 2 + 2600 + 9000 - 2300
    assert frame.gas_used == own + child.gas_used


def test_a_frame_that_ran_out_of_gas_has_used_all_of_it():
    result = told(world(code_of("again: @again JUMP")))
    assert result.frame is not None
    assert result.frame.status is Status.OUT_OF_GAS
    assert result.frame.gas_used == 1_000_000 - 21_000


def test_a_message_for_which_there_is_too_little_gas_has_no_frame():
    message = Message(sender=SENDER, to=TARGET, data=b"", gas=20_999)
    result = world(b"").call(message, Watch(coverage=True, frames=True))
    assert (result.status, result.frame) == (Status.OUT_OF_GAS, None)


@pytest.mark.parametrize("call", ["call", "staticcall"])
def test_a_self_destruct_is_told_with_heir_and_money_unless_it_fails(call):
    backend = world(
        code_of(f"{CALLS[call]} STOP"), code_of("0xdead0000beef SELFDESTRUCT")
    )
    frame = told(backend).frame
    assert frame is not None
    (inner,) = frame.children
    # Three wei come with a call; a static frame must not.
    kept = (SelfDestruct(0xDEAD0000BEEF, 13),) if call == "call" else ()
    assert inner.acts == kept
    assert inner.status.succeeded == (call == "call")


def test_what_was_hashed_is_told():
    words = (5).to_bytes(32, "big") + (6).to_bytes(32, "big")
    result = told(
        world(code_of("0x5 0 MSTORE 0x6 0x20 MSTORE 0x40 0 SHA3 0x1f 0 SHA3"))
    )
    assert result.preimages == {int.from_bytes(keccak(words), "big"): words}


def test_the_trail_ends_where_the_frame_did():
    code = code_of("0x1 @there JUMPI INVALID there: 0 0 REVERT")
    result = told(world(code))
    assert result.frame is not None
    assert result.frame.trail == (code.index(b"\x57"), len(code) - 1)


def cheat(data: str, target: int = CHEATCODES) -> bytes:
    """Return code that calls cheatcodes with one word of calldata after a selector."""
    word = bytes.fromhex(data).ljust(36, b"\0")
    return assemble(
        *(int.from_bytes(word[:32], "big"), "0x0 MSTORE"),
        *(int.from_bytes(word[4:], "big"), "0x4 MSTORE"),
        *(0, 0, 36, 0, 0, target, "GAS CALL POP"),
    )


def test_cheatcodes_and_console_are_told_as_answered():
    warp = bytes.fromhex("e5d6bf02").hex()
    code = cheat(warp) + cheat("f82c50f1", CONSOLE)
    result = told(world(code, cheats=CheatSettings()))
    assert result.frame is not None
    first, second = result.frame.children
    assert (first.callee, first.answered, first.gas_used) == (CHEATCODES, True, 0)
    assert (second.callee, second.data[:4].hex()) == (CONSOLE, "f82c50f1")
    assert (second.answered, second.status) == (True, Status.STOP)


def test_an_ending_that_a_cheatcode_expects_is_told_as_it_was():
    expect = cheat("f4844814")  # expectRevert()
    code = expect + code_of(f"{CALLS['call']} {RETURN}")
    reverts = assemble(7, "0x0 MSTORE 0x20 0x0 REVERT")
    result = told(world(code, reverts, cheats=CheatSettings(dialect="foundry")))
    assert result.status is Status.RETURN_TRUE
    assert result.frame is not None
    _, child = result.frame.children
    assert child.status.succeeded
    assert child.overruled is not None
    assert child.overruled.status is Status.REVERT
    assert child.overruled.output == (7).to_bytes(32, "big")


def test_calls_a_thousand_deep_are_told():
    itself = code_of(f"0 0 0 0 0 {TARGET:#x} GAS CALL")
    backend = world(itself)
    message = Message(sender=SENDER, to=TARGET, data=b"", gas=10**15)
    result = backend.call(message, Watch(coverage=True, frames=True))
    assert result.frame is not None
    assert len([*below(result.frame)]) == 1025


def below(frame: FrameResult) -> Iterator[FrameResult]:
    at: FrameResult | None = frame
    while at is not None:
        yield at
        at = next(at.children, None)


def test_deployments_have_frames_as_well():
    backend = PyEvmBackend(BackendConfig())
    log = code_of("0x9 0 0 LOG1 STOP")
    result = backend.deploy(Message(sender=1, to=None, data=log), Watch(frames=True))
    assert result.frame is not None
    assert (result.frame.kind, result.frame.code) == ("create", log)
    assert isinstance(result.frame.acts[0], Log)
