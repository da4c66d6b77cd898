"""The native backend behind the seam; random programs are in `test_random_programs`."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import get_args

import pytest
from evm_assembler import assemble, creation_code, push
from twins import Twins

from echidna_mcp.errors import CapacityError, ConfigError
from echidna_mcp.evm.backend import (
    Authorization,
    BackendConfig,
    CallResult,
    Message,
    Status,
    Watch,
)
from echidna_mcp.kernel.language.arena import arena
from echidna_mcp.kernel.library.calling import KernelMemoryError
from echidna_mcp.kernel.library.mode import MODE_VARIABLE, Mode
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp_plugins.native.backend import NativeBackend, create
from echidna_mcp_plugins.native.code import decode
from echidna_mcp_plugins.native.code.flow import Flow
from echidna_mcp_plugins.native.code.fusion import fusions
from echidna_mcp_plugins.native.host.capacity import Capacity
from echidna_mcp_plugins.native.opcodes.isa import instruction_set
from echidna_mcp_plugins.py_evm.backend import PyEvmBackend

MODES: tuple[Mode, ...] = get_args(Mode)
SENDER, TARGET, OTHER = 0x10000, 0xC0DE, 0xBEEF
KIB = 1 << 10


def native(mode: Mode = "compiled", **capacity: int) -> NativeBackend:
    return NativeBackend(BackendConfig(), mode=mode, capacity=Capacity(**capacity))


def twins(mode: Mode, config: BackendConfig | None = None) -> Twins:
    return Twins(
        config or BackendConfig(),
        lambda given: NativeBackend(given, mode=mode),
        PyEvmBackend,
    )


def message(to: int | None = TARGET, **parts: object) -> Message:
    return replace(Message(sender=SENDER, to=to, data=b""), **parts)  # type: ignore[arg-type]


def words(*values: int) -> bytes:
    return b"".join(value.to_bytes(32, "big") for value in values)


# --------------------------------------------------------------------------- handlers

SEPARATOR = 0x32
"""ORIGIN: in no superinstruction, so that none reaches over it."""
SGT = 0x13
"""In none that begins with it."""
ISZERO = 0x15
OPCODES = {
    decode.DECIDING_SUB: 0x03,
    decode.DECIDING_XOR: 0x18,
    decode.NUMBER_IS_ZERO: ISZERO,
}
DEPTH = 20
DUMP = assemble(
    "JUMPDEST", *(x for i in range(12) for x in (32 * i, "MSTORE")), "0x180 0x0 RETURN"
)


def code_of(run: Sequence[int], random: Random, fill: int | None) -> bytes:
    """Return code that runs some tokens and returns what is on the stack then.

    The code begins with `fill` or random words on the stack.
    """
    fixed = 0 if fill is None else fill
    width = 3

    def prefix(word: int) -> bytes:
        return b"\x62" + word.to_bytes(width, "big")

    pushes = b"".join(
        prefix(fixed)
        if fill is not None
        else push(random.choice([random.getrandbits(256), random.randrange(200)]))
        for _ in range(DEPTH)
    )
    code = pushes + bytes([SEPARATOR])
    if run[0] == ISZERO:
        # Behind ORIGIN it would be a token of its own.
        code += bytes([SGT])
    end_at = []
    for token in run:
        match token:
            case decode.BLOCK:
                code += b"\x5b"
            case decode.PUSH:
                code += push(
                    random.choice([0x20, 0xFFFF, 1 << 63, random.randrange(1, 99)])
                )
            case decode.PUSH_WIDE:
                code += push((1 << 255) | random.getrandbits(255))
            case decode.JUMP_TO | decode.JUMPI_TO:
                end_at.append(len(code) + 1)
                code += prefix(0) + (b"\x56" if token == decode.JUMP_TO else b"\x57")
            case _:
                code += bytes([OPCODES.get(token, token)])
    # Separated: what follows must not become a part of the superinstruction.
    code += bytes([SEPARATOR])
    end = len(code)
    for at in end_at:
        code = code[:at] + end.to_bytes(width, "big") + code[at + width :]
    return code + DUMP


def end_of(code: bytes) -> int:
    return len(code) - len(DUMP)


def test_superinstructions_do_what_their_tokens_do() -> None:
    assert not any(SEPARATOR in run or run[0] == SGT for run in fusions())
    both, random = twins("compiled"), Random(3)
    assert isinstance(both.first, NativeBackend)
    m = both.first.machine
    missing = []
    both.set_account(OTHER, code=assemble("0x1 0x0 MSTORE 0x20 0x0 RETURN"))
    start = both.snapshot()
    for number, run in enumerate(fusions(), decode.TOKENS):
        before = m.stream_end
        # Stacks full of one word: the end of the code is where jumps may go, and the
        # address of a contract is what calls may call.
        plain = code_of(run, Random(0), 0)
        for fill in (None, None, end_of(plain), OTHER, 0):
            seed = 0 if fill is not None else random.randrange(1 << 30)
            code = code_of(run, Random(seed), fill)
            both.set_account(TARGET, code=code, storage={0: 7, OTHER: 1})
            both.call(message(data=words(*range(3, 9)), gas=300_000))
            both.restore(start)
        if m.handlers[number] not in m.stream[before : m.stream_end]:
            missing.append(run)
    assert not missing


@pytest.mark.parametrize("mode", MODES)
def test_every_opcode_does_the_same_alone(mode: Mode) -> None:
    random = Random(11)
    alone = [
        each.number
        for each in instruction_set().values()
        if each.flow is not Flow.JUMP and each.number not in range(0x60, 0x80)
    ]
    both = twins(mode, BackendConfig(fork="osaka"))
    both.set_account(OTHER, code=assemble("0x1 0x0 MSTORE 0x20 0x0 RETURN"))
    both.snapshot()
    for opcode in alone:
        for fill in (None, OTHER, 0):
            code = code_of([opcode], random, fill)
            both.set_account(TARGET, code=code, storage={0: 7, OTHER: 1})
            both.call(message(data=words(1, 2), value=5, gas=300_000))


@pytest.mark.parametrize("mode", MODES)
def test_jumps_of_all_kinds_do_the_same(mode: Mode) -> None:
    both = twins(mode)
    for code in (
        assemble("@end JUMP 0x1 end: STOP"),
        assemble("0x0 @end JUMPI 0x1 POP end: STOP"),
        assemble("0x1 @end JUMPI 0x1 POP end: STOP"),
        assemble("@end 0x0 ADD JUMP end: STOP"),
        assemble("0x2 @end 0x0 ADD JUMPI INVALID end: STOP"),
        assemble("0x0 @end 0x0 ADD JUMPI STOP end: STOP"),
        assemble("0x0 0x5 JUMPI"),
        assemble("0x1 0x5 JUMPI"),
        assemble("0x5 JUMP"),
        assemble((1 << 255) + 3, "JUMP JUMPDEST"),
        assemble((1 << 64) + 12, "JUMP JUMPDEST"),
        assemble(0x5B, "0x1 JUMP"),
        assemble(b"\x5b" * 3, "0x2 JUMP"),
        assemble("0xa loop: 0x1 SWAP1 SUB DUP1 @loop JUMPI"),
        b"\x5f\x56",
        b"\x5b\x5f\x56",
    ):
        both.set_account(TARGET, code=code)
        both.call(message(gas=40_000))


# ----------------------------------------------------------------------------- frames


@pytest.mark.parametrize("mode", MODES)
def test_calls_at_any_depth_leave_the_same_traces(mode: Mode) -> None:
    both = twins(mode)
    # Counts down in calldata, calls itself at every level, and logs on the way back.
    code = assemble(
        "0x0 CALLDATALOAD DUP1 @more JUMPI STOP",
        "more: 0x1 SWAP1 SUB 0x0 MSTORE",
        "0x0 0x0 0x20 0x0 0x0 ADDRESS GAS CALL DUP1 0x0 SSTORE",
        "0x0 0x0 LOG0",
        # Every seventh frame fails.
        "0x7 0x0 MLOAD MOD @good JUMPI INVALID good: STOP",
    )
    both.set_account(TARGET, code=code)
    depths = (3, 70) if mode == "plain" else (3, 70, 1100)
    for depth in depths:
        result = both.call(message(data=words(depth), gas=1 << 40))
        assert max(visit.depth for visit in result.visits) == min(depth, 63)


@pytest.mark.parametrize("mode", MODES)
def test_codes_that_call_each_other_are_visited_in_the_same_order(mode: Mode) -> None:
    both = twins(mode)
    for address, to in ((TARGET, OTHER), (OTHER, TARGET)):
        code = assemble(
            "0x0 CALLDATALOAD DUP1 @more JUMPI STOP more: 0x1 SWAP1 SUB 0x0 MSTORE",
            "0x0 0x0 0x20 0x0",
            to,
            "GAS DELEGATECALL POP",
        )
        both.set_account(address, code=code + bytes([address & 1]))
    result = both.call(message(data=words(6)))
    assert [visit.depth for visit in result.visits] == list(range(7))


@pytest.mark.parametrize("mode", MODES)
def test_deployments_do_the_same(mode: Mode) -> None:
    both = twins(mode, BackendConfig(max_code_size=64))
    runtime = assemble("CALLVALUE 0x0 MSTORE 0x20 0x0 RETURN")
    for data, address in (
        (creation_code(runtime), None),
        (creation_code(runtime), TARGET),
        (creation_code(runtime), TARGET),
        (creation_code(b"\xef"), None),
        (creation_code(bytes(65)), None),
        (b"", None),
        (b"\x00" * 129, None),
        (assemble("0x0 0x0 REVERT"), None),
        (assemble("0x5 0x6 SSTORE CALLER SELFDESTRUCT"), None),
    ):
        both.deploy(message(None, data=data, value=3), address=address)
    result = both.call(message(value=9))
    assert result.output == words(9)


@pytest.mark.parametrize("mode", MODES)
def test_lists_of_a_message_do_the_same(mode: Mode) -> None:
    both = twins(mode, BackendConfig(fork="prague"))
    both.set_account(TARGET, code=assemble("0x0 SLOAD 0x1 BLOBHASH SSTORE"))
    listed = message(
        access_list=((TARGET, (0, 5)), (OTHER, ())), blob_hashes=(3, 1 << 248)
    )
    both.call(listed)
    both.deploy(replace(listed, to=None, data=creation_code(b"\x00")))
    grant = Authorization(authority=OTHER, address=TARGET, nonce=0)
    for gas in (20_000, 45_000, 70_000, 200_000):
        both.call(
            replace(
                listed,
                to=OTHER,
                gas=gas,
                authorizations=(grant, replace(grant, chain_id=9)),
            )
        )


def test_without_coverage_nothing_is_traced_and_all_else_is_the_same() -> None:
    backend = native()
    backend.set_account(TARGET, code=assemble("0x1 0x0 SSTORE 0x0 0x0 LOG0"))
    start = backend.snapshot()
    traced = backend.call(message(), Watch(coverage=True))
    backend.restore(start)
    quiet = backend.call(message())
    assert traced.visits
    assert traced.last is not None
    assert quiet == replace(traced, visits=(), last=None)


# -------------------------------------------------------------------------- snapshots


@pytest.mark.parametrize("mode", MODES)
def test_snapshots_are_handles_that_stay_valid(mode: Mode) -> None:
    backend = native(mode)
    backend.set_account(TARGET, code=assemble("TIMESTAMP 0x0 SSTORE"))
    first = backend.snapshot()
    assert backend.snapshot() == first
    backend.call(message(time_delay=10))
    later = backend.storage(TARGET, 0)
    second = backend.snapshot()
    assert second != first
    backend.set_balance(OTHER, 5)
    backend.restore(second)
    assert (backend.storage(TARGET, 0), backend.balance(OTHER)) == (later, 0)
    for _ in range(2):
        backend.restore(first)
        assert backend.storage(TARGET, 0) == 0
        backend.call(message(time_delay=10))
        assert backend.storage(TARGET, 0) == later
    for wrong in (second, -1):
        with pytest.raises(IndexError):
            backend.restore(wrong)


def test_a_world_without_snapshots_keeps_no_journal() -> None:
    backend = native()
    backend.set_account(TARGET, code=assemble("NUMBER 0x0 SSTORE"))
    for _ in range(3):
        backend.call(message(block_delay=1))
        backend.set_balance(OTHER, 5)
        assert backend.machine.journal_end == 0


def test_codes_are_known_by_hash() -> None:
    backend = native()
    runtime = assemble("STOP")
    init = creation_code(runtime)
    made = backend.deploy(
        message(None, data=init), Watch(coverage=True), address=TARGET
    )
    assert backend.code(TARGET) == runtime
    assert [backend.code_of_hash(v.code_hash) for v in made.visits] == [init]
    result = backend.call(message(), Watch(coverage=True))
    assert [backend.code_of_hash(v.code_hash) for v in result.visits] == [runtime]
    assert backend.code_of_hash(made.visits[0].code_hash) == init
    with pytest.raises(KeyError):
        backend.code_of_hash(bytes(32))


# --------------------------------------------------------------------------- capacity


def many(statement: str) -> bytes:
    """Return code that repeats a statement with the counter on the stack."""
    return assemble(
        f"0xffff loop: {statement} 0x1 SWAP1 SUB DUP1 @loop JUMPI 0x0 0x0 LOG0"
    )


FULL = {
    "accounts": (many("DUP1 BALANCE POP"), "accounts"),
    "slots": (many("DUP1 SLOAD POP"), "storage words"),
    "journal": (many("DUP1 0x0 SSTORE"), "changes of the state"),
    "memory": (many("DUP1 0x4 MUL MLOAD POP"), "memory"),
    "logs": (many("0x20 0x0 LOG0"), "logs"),
    "programs": (
        many("DUP1 0x0 MSTORE 0x20 0x0 0x0 CREATE POP"),
        "contract code",
    ),
    "code": (many("DUP1 0x0 MSTORE 0x20 0x0 0x0 CREATE POP"), "contract code"),
    "stream": (many("DUP1 0x0 MSTORE 0x20 0x0 0x0 CREATE POP"), "contract code"),
    "blocks": (many("DUP1 0x0 MSTORE 0x20 0x0 0x0 CREATE POP"), "contract code"),
    "touched": (assemble("GAS POP " * 2000), "covered blocks"),
}


@pytest.mark.parametrize("mode", ["compiled", "checked"])
@pytest.mark.parametrize("what", FULL)
def test_a_full_machine_is_an_error_that_names_the_limit(what: str, mode: Mode) -> None:
    code, words_of_message = FULL[what]
    capacity = {
        "accounts": 16 * KIB,
        "slots": 16 * KIB,
        "journal": 16 * KIB,
        "memory": 64 * KIB,
        "logs": 16 * KIB,
        "programs": 16 * KIB,
        "code": 32 * KIB,
        "stream": 24 * KIB,
        "blocks": 160 * KIB,
        "touched": 100,
    }
    room = capacity[what] if what != "blocks" else 200 * KIB
    backend = native(mode, **{what: room})
    backend.set_account(TARGET, code=code, balance=7)
    backend.set_account(OTHER, code=assemble("0x1 0x0 SSTORE 0x0 0x0 LOG0"))
    start = backend.snapshot()
    before = list(backend.accounts())
    clock = backend.machine.timestamp
    big = message(gas=1 << 34, value=5, time_delay=3)
    for _ in range(2):
        with pytest.raises(CapacityError, match=words_of_message) as caught:
            backend.call(big, Watch(coverage=True))
        assert caught.value.details["limit"].startswith(words_of_message)
        assert list(backend.accounts()) == before
        clock += 3
        assert backend.machine.timestamp == clock
    backend.restore(start)
    reference = PyEvmBackend(BackendConfig())
    for address, state in before:
        reference.set_account(address, balance=state.balance, code=state.code)
    mine = backend.call(message(OTHER), Watch(coverage=True))
    theirs = reference.call(message(OTHER), Watch(coverage=True))
    assert mine == replace(theirs, visits=tuple(theirs.visits))


def test_calldata_beyond_the_memory_are_an_error() -> None:
    backend = native(memory=64 * KIB)
    with pytest.raises(CapacityError, match="memory of contracts"):
        backend.call(message(data=bytes(65 * KIB)))
    assert backend.call(message(data=bytes(KIB))).status is Status.STOP


def test_programs_of_the_past_make_room_for_new_ones() -> None:
    backend = native(programs=16 * KIB, code=64 * KIB, stream=32 * KIB, blocks=64 * KIB)
    reference = PyEvmBackend(BackendConfig())
    starts = backend.snapshot(), reference.snapshot()
    for number in range(600):
        code = assemble(number, "0x0 MSTORE GAS POP 0x20 0x0 RETURN")
        code = bytes(number % 7) + b"\x5b" * 8 + code if number % 3 else code
        deploy = message(None, data=creation_code(code))

        def play(
            each: NativeBackend | PyEvmBackend, deploy: Message = deploy
        ) -> tuple[CallResult, CallResult]:
            return (
                each.deploy(deploy, Watch(coverage=True), address=TARGET),
                each.call(message(), Watch(coverage=True)),
            )

        assert play(backend) == play(reference)
        backend.restore(starts[0])
        reference.restore(starts[1])
    assert backend.machine.forgotten > 3


# ---------------------------------------------------------------------- checked, modes


def test_checked_handlers_report_slots_outside_of_the_stack() -> None:
    backend = native("checked")
    backend.set_account(TARGET, code=assemble("0x1 " * 8, "STOP"))
    backend.machine.stack = arena(64)  # type: ignore[assignment]
    with pytest.raises(KernelMemoryError, match="outside of the stack"):
        backend.call(message())


LATE = """
from echidna_mcp.evm.backend import BackendConfig
from echidna_mcp_plugins.native.backend import NativeBackend

before = [NativeBackend(BackendConfig()) for _ in range(2)]
NativeBackend(BackendConfig(), mode="checked")
"""


def test_code_can_be_loaded_after_machines_have_taken_the_memory_near_by() -> None:
    # In a process of its own, because LLVM aborts if it does not like what it gets.
    subprocess.run([sys.executable, "-c", LATE], check=True, timeout=120)


def test_the_backend_is_offered_by_default_and_can_be_pickled() -> None:
    plugin = PluginManager.load().backends["native"]
    assert pickle.loads(pickle.dumps(plugin)) == plugin
    assert plugin.create(BackendConfig()).balance(TARGET) == 0


def test_the_environment_chooses_the_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MODE_VARIABLE, "plain")
    backend = create(BackendConfig())
    backend.set_account(TARGET, code=assemble("0x0 0x0 REVERT"))
    assert backend.native.mode == "plain"
    assert backend.call(message()).status is Status.REVERT
    monkeypatch.setenv(MODE_VARIABLE, "fast")
    with pytest.raises(ConfigError):
        create(BackendConfig())
