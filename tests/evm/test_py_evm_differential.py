"""The backend against unmodified py-evm, on random programs."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from eth_utils import ValidationError
from evm_assembler import assemble, creation_code
from plain_py_evm import RICH, PlainPyEvm, status_class
from random_programs import (
    BINARY_NAMES,
    TERNARY,
    UNARY,
    WORDS,
    Generator,
    is_comparable,
)

from echidna_mcp.evm.backend import (
    BackendConfig,
    BlockContext,
    CallResult,
    Message,
    Status,
)
from echidna_mcp_plugins.evm.py_evm import PyEvmBackend

SENDERS = [0x10000, 0x20000]
CONTRACTS = [0xA1, 0xA2, 0xA3]
WORLDS_A_TEST = 40
MESSAGES = 3
FUNDS = 10**6
BLOCK = BlockContext()


def visited(result: CallResult) -> set[tuple[bytes, int, int]]:
    return {
        (visit.code_hash, visit.depth, pc)
        for visit in result.visits
        for pc, byte in enumerate(visit.counters)
        if byte
    }


def compare(result: CallResult, plain: Any, used: int, recorded: list[Any]) -> None:
    status = Status.STOP if result.status.succeeded else result.status
    assert status == status_class(plain)
    assert result.output == plain.output
    assert result.gas_used == used
    assert result.steps == len(recorded)
    assert visited(result) == {entry for entry in recorded if entry[1] < 64}
    last = (recorded[-1][0], recorded[-1][2]) if recorded else None
    assert result.last == last
    logs = [
        (log.address, [int.from_bytes(topic, "big") for topic in log.topics], log.data)
        for log in result.logs
    ]
    assert logs == [
        (int.from_bytes(address, "big"), list(topics), data)
        for address, topics, data in plain.get_log_entries()
    ]


def compare_worlds(backend: PyEvmBackend, plain: PlainPyEvm, created: set[int]) -> None:
    for address in [*CONTRACTS, *created]:
        assert backend.code(address) == plain.code(address)
        assert backend.balance(address) == plain.balance(address)
        for slot in range(8):
            assert backend.storage(address, slot) == plain.storage(address, slot)
    for address in [*SENDERS, 0x999, 2, 3, 4, 5]:
        assert backend.balance(address) == plain.balance(address)


def accounts_with_code(backend: PyEvmBackend) -> set[int]:
    return {int.from_bytes(address, "big") for address in backend._world.codes}


def play(seed: int, ends: Counter[Status]) -> None:
    """Run a few messages in a random world on both sides."""
    random = Random(seed)
    generator = Generator(random, CONTRACTS)
    plain = PlainPyEvm(BLOCK, SENDERS)
    backend = PyEvmBackend(BackendConfig(block=BLOCK, max_code_size=24576))
    for sender in SENDERS:
        backend.set_balance(sender, RICH)
    for address in CONTRACTS:
        code = generator.program()
        while not is_comparable(code):
            code = generator.program()
        message = Message(sender=1, to=None, data=creation_code(code))
        assert backend.deploy(message, address=address).status.succeeded
        plain.install(address, code)
        backend.set_balance(address, FUNDS)
        plain.set_balance(address, FUNDS)
    for _ in range(MESSAGES):
        gas = random.choice([600_000, 600_000, random.randrange(21_000, 150_000)])
        data = random.randbytes(random.choice([0, 4, 36, 100]))
        sender, to = random.choice(SENDERS), random.choice(CONTRACTS)
        if len(data) * 16 + 21_000 > gas:
            continue
        message = Message(sender=sender, to=to, data=data, gas=gas)
        result = backend.call(message, coverage=True)
        ends[result.status] += 1
        computation, used = plain.run(sender, to, data, 0, gas)
        compare(result, computation, used, plain.recorder.instructions)
        compare_worlds(backend, plain, accounts_with_code(backend))


@pytest.mark.parametrize("start", range(0, 320, WORLDS_A_TEST))
def test_random_programs_behave_as_on_unmodified_py_evm(start: int) -> None:
    ends: Counter[Status] = Counter()
    for seed in range(start, start + WORLDS_A_TEST):
        try:
            play(seed, ends)
        except AssertionError as error:
            error.add_note(f"seed {seed}")
            raise
    good = sum(count for status, count in ends.items() if status.succeeded)
    assert good * 2 >= ends.total(), ends


def pair(code: bytes, address: int = 0xA1) -> tuple[PyEvmBackend, PlainPyEvm]:
    """Return both machines with `code` at `address`."""
    backend = PyEvmBackend(BackendConfig(block=BLOCK))
    deployment = Message(sender=1, to=None, data=creation_code(code))
    assert backend.deploy(deployment, address=address).status.succeeded
    plain = PlainPyEvm(BLOCK, SENDERS)
    plain.install(address, code)
    return backend, plain


def compare_call(backend: PyEvmBackend, plain: PlainPyEvm, gas: int) -> CallResult:
    message = Message(sender=SENDERS[0], to=0xA1, data=b"", gas=gas)
    result = backend.call(message, coverage=True)
    computation, used = plain.run(SENDERS[0], 0xA1, b"", 0, gas)
    compare(result, computation, used, plain.recorder.instructions)
    return result


@pytest.mark.parametrize("glue", ["", "JUMPDEST"], ids=["fused", "apart"])
@pytest.mark.parametrize("name", [*UNARY, *BINARY_NAMES, *TERNARY, "EXP"])
def test_word_opcodes_agree_on_edge_values(name: str, glue: str) -> None:
    thirds = WORDS[::6] if name in TERNARY else [None]
    code, at = b"", 0
    for left in WORDS:
        for right in [None] if name in UNARY else WORDS:
            for third in thirds:
                operands = [word for word in (third, right, left) if word is not None]
                code += assemble(*operands, glue, name, at, "MSTORE")
                at += 32
    backend, plain = pair(code + assemble(at, "0x0 RETURN"))
    assert compare_call(backend, plain, 10_000_000).status.succeeded


def test_every_amount_of_gas_ends_at_the_same_instruction() -> None:
    code = assemble(
        "0x3 loop: 0x1 SWAP1 SUB DUP1 0x0 SSTORE 0x0 SLOAD POP",
        "DUP1 0x20 MUL 0x100 ADD MLOAD POP 0x7 0x9 EXP POP",
        "0x40 0x0 SHA3 0x200 MSTORE 0x20 0x0 LOG0 0x0 0x0 0x0 0x0 0xa1",
        "0x0 MSTORE 0x1 0x300 MSTORE8 POP POP POP POP",
        "DUP1 @loop JUMPI 0x5 0x0 0x0 0x0 0x0 0x0 0x2 GAS CALL POP",
        "0x400 MLOAD 0x0 0x600 MSTORE INVALID",
    )
    backend, plain = pair(code)
    start = backend.snapshot()
    enough = 200_000
    faults = Counter(
        compare_with_gas(backend, plain, start, gas)
        for gas in [*range(21_000, 21_400), *range(21_400, 60_000, 97), enough]
    )
    assert set(faults) == {Status.OUT_OF_GAS, Status.INVALID_OPCODE}


def compare_with_gas(
    backend: PyEvmBackend, plain: PlainPyEvm, start: int, gas: int
) -> Status:
    backend.restore(start)
    return compare_call(backend, plain, gas).status


@pytest.mark.parametrize(
    "code",
    [
        assemble("CALLVALUE SELFBALANCE ADD 0x0 MSTORE 0x20 0x0 RETURN"),
        assemble("0x0 0x0 0x0 0x0 0x2 0x999 GAS CALL 0x0 SSTORE"),
        assemble("0x999 SELFDESTRUCT"),
        assemble("0x0 0x0 REVERT"),
    ],
    ids=["read", "send", "destroy", "revert"],
)
def test_value_reaches_the_contract_as_if_the_sender_had_paid(code: bytes) -> None:
    backend, plain = pair(code)
    message = Message(sender=SENDERS[0], to=0xA1, data=b"", value=5, gas=200_000)
    result = backend.call(message, coverage=True)
    computation, used = plain.run(SENDERS[0], 0xA1, b"", 5, 200_000)
    compare(result, computation, used, plain.recorder.instructions)
    for address in (0xA1, 0x999):
        assert backend.balance(address) == plain.balance(address)
    assert backend.balance(SENDERS[0]) == 0


@pytest.mark.parametrize(
    "init",
    [
        creation_code(b"\x00" * 40),
        creation_code(b"\xef\x00"),
        creation_code(b"\x01" * 24577),
        assemble("0x1 0x0 SSTORE 0x0 0x0 REVERT"),
        assemble("0x0 0x0 0x0 CREATE DUP1 0x0 SSTORE SELFDESTRUCT"),
        assemble("ADDRESS SELFDESTRUCT"),
        assemble("CALLDATASIZE CODESIZE ADD 0x0 SSTORE INVALID"),
        b"",
    ],
    ids=["plain", "ef", "large", "revert", "nested", "suicide", "invalid", "empty"],
)
@pytest.mark.parametrize("gas", [53_500, 60_000, 8_000_000])
def test_deployments_end_like_transactions(init: bytes, gas: int) -> None:
    config = BackendConfig(block=BLOCK, max_code_size=24576)
    backend, plain = PyEvmBackend(config), PlainPyEvm(BLOCK, SENDERS)
    result = backend.deploy(
        Message(sender=SENDERS[0], to=None, data=init, gas=gas), coverage=True
    )
    try:
        computation, used = plain.run(SENDERS[0], None, init, 0, gas)
    except ValidationError:  # less than the intrinsic gas
        assert result.status == Status.OUT_OF_GAS
        assert result.gas_used == gas
        return
    compare(result, computation, used, plain.recorder.instructions)
    address = int.from_bytes(computation.msg.storage_address, "big")
    assert result.created == address
    assert backend.code(address) == plain.code(address)
    assert backend.storage(address, 0) == plain.storage(address, 0)
