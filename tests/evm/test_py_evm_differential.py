"""The backend against unmodified py-evm, on random programs."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from block_rules import expected
from eth_utils import ValidationError
from evm_assembler import assemble, creation_code
from plain_py_evm import RICH, PlainPyEvm, status_class
from random_programs import (
    BINARY_NAMES,
    SLOTS,
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
    Watch,
)
from echidna_mcp.evm.fork import ForkName
from echidna_mcp_plugins.py_evm.backend import PyEvmBackend

SENDERS = [0x10000, 0x20000]
CONTRACTS = [0xA1, 0xA2, 0xA3]
DELEGATING = 0xB1
WORLDS_A_TEST = 25
MESSAGES = 3
FUNDS = 10**6
BLOCK = BlockContext()
FAULTS = {Status.OUT_OF_GAS, Status.INVALID_OPCODE, Status.HALT}


def visited(result: CallResult) -> set[tuple[bytes, int, int]]:
    return {
        (visit.code_hash, visit.depth, pc)
        for visit in result.visits
        for pc, byte in enumerate(visit.counters)
        if byte
    }


def compare(result: CallResult, plain: Any, used: int, machine: PlainPyEvm) -> None:
    """Compare a result with what unmodified py-evm did.

    Which of several faults of one block comes first is a matter of the block rules.
    """
    status = Status.STOP if result.status.succeeded else result.status
    if status in FAULTS:
        assert status_class(plain) in FAULTS
    else:
        assert status == status_class(plain)
    assert result.output == plain.output
    assert result.gas_used == used
    logs = [
        (log.address, [int.from_bytes(topic, "big") for topic in log.topics], log.data)
        for log in result.logs
    ]
    assert logs == [
        (int.from_bytes(address, "big"), list(topics), data)
        for address, topics, data in plain.get_log_entries()
    ]
    blocks = expected(machine.recorder.moments)
    assert result.steps == blocks.steps
    assert visited(result) == blocks.visited
    assert [(visit.code_hash, visit.depth) for visit in result.visits] == blocks.order
    assert result.last == blocks.last


def compare_worlds(backend: PyEvmBackend, plain: PlainPyEvm) -> None:
    accounts = dict(backend.accounts())
    for address, account in accounts.items():
        assert account.code == plain.code(address)
        assert account.balance == plain.balance(address)
        assert address in SENDERS or account.nonce == plain.nonce(address)
        for slot in {*range(SLOTS), *account.storage}:
            assert account.storage.get(slot, 0) == plain.storage(address, slot)
    for address in [*CONTRACTS, *SENDERS, 0x999, *range(11)]:
        if address not in accounts:
            assert plain.balance(address) == plain.nonce(address) == 0
            assert plain.code(address) == b""


def play(seed: int, fork: ForkName, ends: Counter[Status]) -> None:
    """Run a few messages in a random world on both sides."""
    random = Random(seed)
    targets = CONTRACTS if fork != "prague" else [*CONTRACTS, DELEGATING]
    generator = Generator(random, targets, fork=fork, like_py_evm=True)
    plain = PlainPyEvm(BLOCK, SENDERS, fork)
    config = BackendConfig(block=BLOCK, max_code_size=24576, fork=fork)
    backend = PyEvmBackend(config)
    for sender in SENDERS:
        backend.set_balance(sender, RICH)
    for address in targets:
        code = generator.program()
        while not is_comparable(code, fork):
            code = generator.program()
        if address == DELEGATING:
            to = random.choice([*targets, 4]).to_bytes(20, "big")
            code = bytes.fromhex("ef0100") + to
        plain.install(address, code)
        plain.set_balance(address, FUNDS)
        backend.set_account(address, balance=FUNDS, nonce=1, code=code)
    for _ in range(MESSAGES):
        gas = random.choice([10**6] * 4 + [random.randrange(30_000, 150_000)])
        data = random.randbytes(random.choice([0, 4, 36, 100]))
        sender, to = random.choice(SENDERS), random.choice(targets)
        message = Message(sender=sender, to=to, data=data, gas=gas)
        result = backend.call(message, Watch(coverage=True))
        ends[result.status] += 1
        computation, used = plain.run(sender, to, data, 0, gas)
        compare(result, computation, used, plain)
        compare_worlds(backend, plain)


@pytest.mark.parametrize("fork", ["shanghai", "cancun", "prague"])
@pytest.mark.parametrize("start", range(0, 75, WORLDS_A_TEST))
def test_random_programs_behave_as_on_unmodified_py_evm(
    start: int, fork: ForkName
) -> None:
    ends: Counter[Status] = Counter()
    for seed in range(start, start + WORLDS_A_TEST):
        try:
            play(seed, fork, ends)
        except AssertionError as error:
            error.add_note(f"seed {seed}")
            raise
    good = sum(count for status, count in ends.items() if status.succeeded)
    assert good * 10 >= ends.total() * 6, ends


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
    result = backend.call(message, Watch(coverage=True))
    computation, used = plain.run(SENDERS[0], 0xA1, b"", 0, gas)
    compare(result, computation, used, plain)
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


def test_every_amount_of_gas_ends_in_the_same_way() -> None:
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
    result = backend.call(message, Watch(coverage=True))
    computation, used = plain.run(SENDERS[0], 0xA1, b"", 5, 200_000)
    compare(result, computation, used, plain)
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
        Message(sender=SENDERS[0], to=None, data=init, gas=gas), Watch(coverage=True)
    )
    try:
        computation, used = plain.run(SENDERS[0], None, init, 0, gas)
    except ValidationError:  # less than the intrinsic gas
        assert result.status == Status.OUT_OF_GAS
        assert result.gas_used == gas
        return
    compare(result, computation, used, plain)
    address = int.from_bytes(computation.msg.storage_address, "big")
    assert result.created == address
    assert backend.code(address) == plain.code(address)
    assert backend.storage(address, 0) == plain.storage(address, 0)
