"""What forks differ in, on every backend, one rule at a time."""

from __future__ import annotations

from typing import Any

import pytest
from eth_hash.auto import keccak
from evm_assembler import assemble
from native_backends import REFERENCE, named

from echidna_mcp.evm.backend import (
    BackendConfig,
    BlockContext,
    CallResult,
    EvmBackend,
    Message,
    Status,
)
from echidna_mcp.evm.fork import (
    FORKS,
    HISTORY_ADDRESS,
    ForkName,
    is_older,
    system_contracts,
)

SENDER, TARGET, HEIR = 0x10000, 0xA1, 0xA2
NUMBER = 20_000
RETURN_TOP = "0x0 MSTORE 0x20 0x0 RETURN"


@pytest.fixture(params=[REFERENCE, "compiled", "plain"])
def backend_name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def world(name: str, fork: ForkName, code: bytes = b"") -> EvmBackend:
    block = BlockContext(number=NUMBER)
    backend = named(name).create(BackendConfig(block=block, fork=fork))
    for address, text in system_contracts(fork).items():
        backend.set_account(address, nonce=1, code=text)
    backend.set_account(TARGET, nonce=1, balance=7, code=code)
    return backend


def call(backend: EvmBackend, to: int = TARGET, **parts: Any) -> CallResult:
    values: dict[str, Any] = {"sender": SENDER, "to": to, "data": b""}
    return backend.call(Message(**{**values, **parts}))


# --------------------------------------------------------------------------- opcodes


@pytest.mark.parametrize("fork", FORKS)
@pytest.mark.parametrize(
    ("code", "since"),
    [
        (b"\x5f", "shanghai"),  # PUSH0
        (b"\x5f\x5c", "cancun"),  # TLOAD
        (b"\x5f\x5f\x5d", "cancun"),  # TSTORE
        (b"\x5f\x5f\x5f\x5e", "cancun"),  # MCOPY
        (b"\x5f\x49", "cancun"),  # BLOBHASH
        (b"\x4a", "cancun"),  # BLOBBASEFEE
        (b"\x5f\x1e", "osaka"),  # CLZ
    ],
)
def test_an_opcode_is_there_from_its_fork_on(
    backend_name: str, fork: ForkName, code: bytes, since: ForkName
) -> None:
    status = call(world(backend_name, fork, code)).status
    there = not is_older(fork, since)
    assert status == (Status.STOP if there else Status.INVALID_OPCODE)


@pytest.mark.parametrize("fork", FORKS)
@pytest.mark.parametrize("heir", [HEIR, TARGET])
def test_who_destroys_itself_is_deleted_by_the_rules_of_shanghai_only(
    backend_name: str, fork: ForkName, heir: int
) -> None:
    backend = world(backend_name, fork, assemble(heir, "SELFDESTRUCT"))
    backend.set_account(TARGET, storage={1: 2})
    start = backend.snapshot()
    assert call(backend).status == Status.STOP
    if fork == "shanghai":
        assert (backend.code(TARGET), backend.storage(TARGET, 1)) == (b"", 0)
        assert backend.balance(TARGET) == 0
    else:
        assert backend.code(TARGET) != b""
        assert backend.storage(TARGET, 1) == 2
        assert backend.balance(TARGET) == (7 if heir == TARGET else 0)
    assert backend.balance(HEIR) == (7 if heir == HEIR else 0)
    backend.restore(start)
    assert (backend.balance(TARGET), backend.storage(TARGET, 1)) == (7, 2)


@pytest.mark.parametrize("fork", FORKS)
def test_precompiles_are_warm_from_their_fork_on(
    backend_name: str, fork: ForkName
) -> None:
    since = {9: "shanghai", 10: "cancun", 11: "prague", 17: "prague", 0x100: "osaka"}
    for address in (*since, 18, 0xFF, 0x101):
        code = assemble(address, "BALANCE", RETURN_TOP)
        used = call(world(backend_name, fork, code)).gas_used - 21_000
        there = address in since and not is_older(fork, since[address])  # type: ignore[arg-type]
        assert used == (100 if there else 2_600) + 16, hex(address)


# -------------------------------------------------------------------- hashes of blocks


def asked(backend: EvmBackend, number: int, **parts: Any) -> CallResult:
    return call(backend, HISTORY_ADDRESS, data=number.to_bytes(32, "big"), **parts)


@pytest.mark.parametrize("fork", ["prague", "osaka"])
@pytest.mark.parametrize("back", [1, 2, 256, 257, 8190, 8191])
def test_hashes_of_8191_blocks_are_served(
    backend_name: str, fork: ForkName, back: int
) -> None:
    backend = world(backend_name, fork)
    for delay in (0, 1, 40_000):
        number = NUMBER + delay + (1 if delay == 40_000 else 0) - back
        result = asked(backend, number, block_delay=delay)
        assert result.output == keccak(b"%d" % number)
        assert result.status == Status.STOP


@pytest.mark.parametrize("number", [NUMBER, NUMBER + 1, NUMBER - 8192, 0, 1 << 64])
def test_other_hashes_are_not_served(backend_name: str, number: int) -> None:
    result = asked(world(backend_name, "osaka"), number)
    assert (result.status, result.output) == (Status.REVERT, b"")


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_question_has_32_bytes(backend_name: str, size: int) -> None:
    backend = world(backend_name, "osaka")
    assert call(backend, HISTORY_ADDRESS, data=bytes(size)).status == Status.REVERT


def test_a_hash_is_that_of_blockhash_also_when_a_contract_asks(
    backend_name: str,
) -> None:
    ask = assemble("0x0 CALLDATALOAD 0x0 MSTORE", 32, 32, 32, 0, HISTORY_ADDRESS)
    ask += assemble("GAS STATICCALL POP 0x0 CALLDATALOAD BLOCKHASH 0x20 MLOAD SUB")
    backend = world(backend_name, "osaka", ask + assemble(RETURN_TOP))
    data = (NUMBER - 200).to_bytes(32, "big")
    assert call(backend, data=data).output == bytes(32)


def test_a_question_to_a_delegating_account_reads_its_own_storage(
    backend_name: str,
) -> None:
    backend = world(backend_name, "osaka")
    designator = bytes.fromhex("ef0100") + HISTORY_ADDRESS.to_bytes(20, "big")
    backend.set_account(0xB1, nonce=1, code=designator)
    data = (NUMBER - 1).to_bytes(32, "big")
    assert call(backend, 0xB1, data=data).output == bytes(32)


def test_an_account_that_takes_the_row_of_the_contract_is_not_it() -> None:
    backend = named("compiled").create(BackendConfig(fork="osaka"))
    start = backend.snapshot()
    (code,) = system_contracts("osaka").values()
    backend.set_account(HISTORY_ADDRESS, nonce=1, code=code)
    backend.restore(start)
    backend.set_account(TARGET, nonce=1, code=code)
    data = (4_370_000 - 1).to_bytes(32, "big")
    assert call(backend, data=data).output == bytes(32)
