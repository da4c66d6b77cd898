"""What forks differ in; access lists, blobs and delegations of messages."""

from __future__ import annotations

from typing import Any

import pytest
import rlp
from block_rules import expected
from eth.vm.forks.prague.transactions import Authorization as SignedAuthorization
from eth_hash.auto import keccak
from eth_keys import keys
from evm_assembler import assemble
from plain_py_evm import PlainPyEvm
from random_programs import CLZ

from echidna_mcp.evm.backend import (
    AccountState,
    Authorization,
    BackendConfig,
    BlockContext,
    CallResult,
    Message,
    Status,
    Watch,
)
from echidna_mcp.evm.fork import ForkName
from echidna_mcp_plugins.py_evm.backend import PyEvmBackend

SENDER, TARGET, OTHER = 0x10000, 0xA1, 0xA2
RETURN_TOP = "0x0 MSTORE 0x20 0x0 RETURN"
KEY = keys.PrivateKey(b"\1" * 32)
AUTHORITY = int.from_bytes(KEY.public_key.to_canonical_address(), "big")
DELEGATION = bytes.fromhex("ef0100")
COUNTER = assemble("0x0 SLOAD 0x1 ADD 0x0 SSTORE")


def backend_with(code: bytes, fork: ForkName = "prague") -> PyEvmBackend:
    block = BlockContext(blob_base_fee=77)
    backend = PyEvmBackend(BackendConfig(block=block, fork=fork))
    backend.set_account(TARGET, nonce=1, code=code)
    return backend


def call(backend: PyEvmBackend, **parts: Any) -> CallResult:
    values: dict[str, Any] = {"sender": SENDER, "to": TARGET, "data": b""}
    return backend.call(Message(**{**values, **parts}), Watch(coverage=True))


def word(result: CallResult) -> int:
    assert result.status.succeeded
    return int.from_bytes(result.output, "big")


# -------------------------------------------------------------------------- opcodes


@pytest.mark.parametrize(
    ("value", "zeros"), [(0, 256), (1, 255), (1 << 255, 0), ((1 << 200) + 5, 55)]
)
def test_osaka_counts_leading_zeros(value: int, zeros: int) -> None:
    code = assemble(value, CLZ, RETURN_TOP)
    assert word(call(backend_with(code, "osaka"))) == zeros


@pytest.mark.parametrize("fork", ["cancun", "prague"])
def test_older_forks_do_not_know_clz(fork: ForkName) -> None:
    result = call(backend_with(CLZ, fork))
    assert (result.status, result.steps) == (Status.INVALID_OPCODE, 1)


def test_blob_hashes_and_base_fee_are_those_of_message_and_block() -> None:
    code = assemble("0x0 CALLDATALOAD", b"\x49", RETURN_TOP)
    backend = backend_with(code)
    for index, expected_hash in [(0, 5), (1, 1 << 248), (2, 0), (1 << 255, 0)]:
        data = index.to_bytes(32, "big")
        assert word(call(backend, data=data, blob_hashes=(5, 1 << 248))) == (
            expected_hash
        )
    assert word(call(backend_with(assemble(b"\x4a", RETURN_TOP)))) == 77


@pytest.mark.parametrize(("fork", "known"), [("cancun", False), ("prague", True)])
def test_prague_brings_the_curve_bls12_381(fork: ForkName, known: bool) -> None:
    # G1ADD of two points at infinity.
    add = assemble(
        "0x80 0x0 0x100 0x0 0xb", 400, "STATICCALL POP RETURNDATASIZE", RETURN_TOP
    )
    assert word(call(backend_with(add, fork))) == (128 if known else 0)


# ------------------------------------------------------------------------------ gas


@pytest.mark.parametrize(
    ("fork", "data", "used"),
    [
        ("cancun", b"\0\1" * 50, 21_000 + 50 * 4 + 50 * 16),
        ("prague", b"\0\1" * 50, 21_000 + 50 * 10 + 50 * 40),
        ("prague", b"", 21_000),
    ],
)
def test_calldata_has_a_floor_price_from_prague_on(
    fork: ForkName, data: bytes, used: int
) -> None:
    backend = backend_with(b"", fork)
    assert call(backend, data=data, gas=used).gas_used == used
    short = call(backend, data=data, gas=used - 1)
    assert (short.status, short.gas_used) == (Status.OUT_OF_GAS, used - 1)


def test_the_floor_counts_only_where_less_was_used() -> None:
    backend = backend_with(COUNTER)
    first = call(backend, data=b"\1" * 100)
    assert first.gas_used == 21_000 + 1_600 + 2_100 + 20_000 + 2 * 2 + 2 * 3
    again = call(backend, data=b"\1" * 100)
    assert again.gas_used == first.gas_used - 17_100


@pytest.mark.parametrize("fork", ["cancun", "prague"])
def test_access_lists_cost_gas_and_warm_up(fork: ForkName) -> None:
    code = assemble("0x5 SLOAD POP 0x6 SLOAD POP 0xa2 BALANCE POP 0xa3 BALANCE POP")
    listed = ((TARGET, (5, 7, 5)), (OTHER, ()))
    backend, plain = (
        backend_with(code, fork),
        PlainPyEvm(BlockContext(), [SENDER], fork),
    )
    plain.install(TARGET, code)
    for gas in (34_500, 100_000):
        result = call(backend, access_list=listed, gas=gas)
        computation, used = plain.run_typed(SENDER, TARGET, gas, access_list=listed)
        assert result.status.succeeded == computation.is_success
        assert result.gas_used == used
        assert result.steps == expected(plain.recorder.moments).steps


# ---------------------------------------------------------------------- delegations


def signed(
    nonce: int, address: int, chain_id: int = 0
) -> tuple[Authorization, SignedAuthorization]:
    """Return an authorization for the backend and for py-evm."""
    where = address.to_bytes(20, "big")
    message = b"\x05" + rlp.encode([chain_id, where, nonce])
    signature = KEY.sign_msg_hash(keccak(message))
    return (
        Authorization(
            authority=AUTHORITY, address=address, nonce=nonce, chain_id=chain_id
        ),
        SignedAuthorization(
            chain_id, where, nonce, signature.v, signature.r, signature.s
        ),
    )


@pytest.mark.parametrize(
    "code",
    [COUNTER, assemble("0x0 0x0 REVERT"), assemble("INVALID"), b""],
    ids=["counts", "reverts", "faults", "empty"],
)
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(
    "wanted",
    [
        [(0, TARGET, 0)],
        [(0, TARGET, 1)],
        [(1, TARGET, 0)],
        [(0, TARGET, 2)],
        [(0, OTHER, 0), (1, TARGET, 0)],
        [(0, TARGET, 0), (1, 0, 0)],
        [(1, TARGET, 0), (1, OTHER, 0)],
    ],
    ids=["set", "chain", "nonce", "wrong", "twice", "ended", "ahead"],
)
def test_authorizations_do_what_they_do_on_unmodified_py_evm(
    code: bytes, known: bool, wanted: list[tuple[int, int, int]]
) -> None:
    backend, plain = backend_with(code), PlainPyEvm(BlockContext(), [SENDER], "prague")
    plain.install(TARGET, code)
    if known:
        backend.set_balance(AUTHORITY, 9)
        plain.set_balance(AUTHORITY, 9)
    pairs = [signed(*each) for each in wanted]
    result = call(
        backend, to=AUTHORITY, gas=200_000, authorizations=tuple(p[0] for p in pairs)
    )
    computation, used = plain.run_typed(
        SENDER, AUTHORITY, 200_000, authorizations=[p[1] for p in pairs]
    )
    assert result.status.succeeded == computation.is_success
    assert result.gas_used == used
    assert result.steps == expected(plain.recorder.moments).steps
    assert backend.code(AUTHORITY) == plain.code(AUTHORITY)
    assert backend.storage(AUTHORITY, 0) == plain.storage(AUTHORITY, 0)
    account = dict(backend.accounts()).get(AUTHORITY)
    assert (account.nonce if account else 0) == plain.nonce(AUTHORITY)


def test_an_invalid_signature_costs_gas_and_does_nothing() -> None:
    backend = backend_with(b"")
    before = dict(backend.accounts())
    unsigned = Authorization(authority=None, address=TARGET, nonce=0)
    assert call(backend, authorizations=(unsigned,)).gas_used == 46_000
    assert dict(backend.accounts()) == before


def test_contracts_do_not_delegate() -> None:
    backend = backend_with(COUNTER)
    wanted = Authorization(authority=TARGET, address=OTHER, nonce=1)
    call(backend, authorizations=(wanted,))
    assert backend.code(TARGET) == COUNTER


def test_a_delegation_to_a_precompile_runs_nothing() -> None:
    backend = backend_with(DELEGATION + (4).to_bytes(20, "big"))
    result = call(backend, data=b"hello")
    assert (result.status, result.output, result.steps) == (Status.STOP, b"", 0)


def test_before_prague_a_delegation_is_code_like_any_other() -> None:
    backend = backend_with(DELEGATION + OTHER.to_bytes(20, "big"), "cancun")
    backend.set_account(OTHER, code=COUNTER)
    wanted = Authorization(authority=0xB1, address=OTHER, nonce=0)
    result = call(backend, authorizations=(wanted,))
    assert result.status == Status.INVALID_OPCODE
    assert backend.code(0xB1) == b""


# ----------------------------------------------------------------------- whole state


def test_accounts_are_all_that_are_not_empty_by_address() -> None:
    backend = backend_with(COUNTER)
    backend.set_account(5, balance=3, storage={9: 1, 2: 7, 3: 0})
    backend.set_account(4, balance=0, nonce=0, code=b"", storage={})
    call(backend)
    call(backend, to=0x999, value=6)
    assert list(backend.accounts()) == [
        (5, AccountState(balance=3, nonce=0, code=b"", storage={2: 7, 9: 1})),
        (TARGET, AccountState(balance=0, nonce=1, code=COUNTER, storage={0: 1})),
        (0x999, AccountState(balance=6, nonce=0, code=b"", storage={})),
    ]
    assert list(dict(backend.accounts())[5].storage) == [2, 9]


def test_set_account_keeps_what_is_not_given_and_replaces_storage() -> None:
    backend = backend_with(COUNTER)
    backend.set_account(TARGET, storage={0: 5, 1: 6})
    start = backend.snapshot()
    backend.set_account(TARGET, balance=1)
    backend.set_account(TARGET, storage={0: 41})
    call(backend)
    assert dict(backend.accounts())[TARGET] == AccountState(
        balance=1, nonce=1, code=COUNTER, storage={0: 42}
    )
    backend.set_account(TARGET, code=b"", nonce=0)
    assert backend.code(TARGET) == b""
    backend.restore(start)
    assert dict(backend.accounts())[TARGET] == AccountState(
        balance=0, nonce=1, code=COUNTER, storage={0: 5, 1: 6}
    )


@pytest.mark.parametrize(
    "parts", [{"code": b"\0"}, {"nonce": 1}, {"storage": {0: 1}}, {"balance": 1}]
)
def test_an_address_is_taken_by_code_nonce_or_storage(parts: dict[str, Any]) -> None:
    backend = backend_with(b"")
    backend.set_account(OTHER, **parts)
    result = backend.deploy(Message(sender=1, to=None, data=b""), address=OTHER)
    assert result.status == (Status.STOP if "balance" in parts else Status.HALT)


def test_the_last_nonce_makes_no_contract() -> None:
    backend = backend_with(b"")
    backend.set_account(SENDER, nonce=(1 << 64) - 1)
    result = backend.deploy(Message(sender=SENDER, to=None, data=b""))
    assert result.status == Status.HALT
