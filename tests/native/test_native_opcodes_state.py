"""Storage, accounts, environment: instruction by instruction beside py-evm."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from eth.exceptions import OutOfGas, WriteProtection
from eth.vm.forks.cancun.opcodes import CANCUN_OPCODES
from eth.vm.forks.cancun.transaction_context import CancunTransactionContext
from eth.vm.forks.istanbul.computation import IstanbulComputation
from eth.vm.message import Message
from eth_hash.auto import keccak
from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.evm.backend import AccountState, BackendConfig, BlockContext
from echidna_mcp.kernel.library.library import Library
from echidna_mcp.kernel.library.plan import Plan
from echidna_mcp_plugins.native.host.capacity import Capacity
from echidna_mcp_plugins.native.host.world import (
    new_machine,
    seed_account,
    settle,
    storage_word,
)
from echidna_mcp_plugins.native.opcodes import accounts, environment, storage
from echidna_mcp_plugins.native.opcodes.opcode import declared
from echidna_mcp_plugins.native.state.accounts import find_account, warm_account
from echidna_mcp_plugins.native.state.journal import undo_to
from echidna_mcp_plugins.native.state.machine import (
    FAULT_CAPACITY,
    FAULT_GAS,
    FAULT_HALT,
    FAULT_NONE,
    Machine,
)

HERE = 0xC0FFEE
OTHER = 0xBEEF
DELEGATED = 0xDE1E
DELEGATION = bytes.fromhex("ef0100") + bytes(18) + b"\xbe\xef"
RICH = 0xA11CE
NOBODY = 0x999
BLOCK = BlockContext(
    timestamp=1_700_000_001,
    number=5000,
    gas_limit=0xFFFF_0001,
    coinbase=0xC0117BA5E,
    base_fee=7 << 100,
    prev_randao=(1 << 256) - 5,
    chain_id=31337,
    blob_base_fee=3 << 99,
)
ACCOUNTS = {
    HERE: AccountState(balance=77, nonce=1, code=b"\x5b", storage={0: 5, 1: 1}),
    OTHER: AccountState(balance=0, nonce=1, code=bytes(range(1, 50)), storage={0: 9}),
    DELEGATED: AccountState(balance=1, nonce=1, code=DELEGATION, storage={}),
    RICH: AccountState(balance=(1 << 256) - 1, nonce=0, code=b"", storage={}),
}
FAULTS = {OutOfGas: FAULT_GAS, WriteProtection: FAULT_HALT}
OPCODES = {entry.name: entry for entry in declared(accounts, environment, storage)}
STORAGE = ["SLOAD", "SSTORE", "TLOAD", "TSTORE"]
ACCOUNT = ["BALANCE", "EXTCODESIZE", "EXTCODEHASH"]
ENVIRONMENT = sorted(entry.name for entry in declared(environment))
ADDRESSES = st.sampled_from([*ACCOUNTS, NOBODY, 1, 10, 0, 1 << 160 | OTHER, 1 << 255])
KEYS = st.integers(0, 2)
VALUES = st.sampled_from([0, 1, 5, 6, (1 << 256) - 1])


@dataclass
class DictState:
    """What py-evm's opcodes ask of a state, without tries.

    Attributes:
        blob_base_fee, ...: of the block.
        now: storage by address and slot; `before` is as the transaction found it.
    """

    now: dict[tuple[bytes, int], int] = field(default_factory=dict)
    before: dict[tuple[bytes, int], int] = field(default_factory=dict)
    transient: dict[tuple[bytes, int], bytes] = field(default_factory=dict)
    warm: set[Any] = field(default_factory=set)
    coinbase: bytes = BLOCK.coinbase.to_bytes(20, "big")
    timestamp: int = BLOCK.timestamp
    block_number: int = BLOCK.number
    gas_limit: int = BLOCK.gas_limit
    base_fee: int = BLOCK.base_fee
    blob_base_fee: int = BLOCK.blob_base_fee
    mix_hash: bytes = BLOCK.prev_randao.to_bytes(32, "big")

    def __post_init__(self) -> None:
        self.execution_context = self
        self.chain_id = BLOCK.chain_id
        for address, account in ACCOUNTS.items():
            for slot, value in account.storage.items():
                self.now[address.to_bytes(20, "big"), slot] = value
        self.before = dict(self.now)

    def get_storage(
        self, address: bytes, slot: int, *, from_journal: bool = True
    ) -> int:
        return (self.now if from_journal else self.before).get((address, slot), 0)

    def set_storage(self, address: bytes, slot: int, value: int) -> None:
        self.now[address, slot] = value

    def is_storage_warm(self, address: bytes, slot: int) -> bool:
        return (address, slot) in self.warm

    def mark_storage_warm(self, address: bytes, slot: int) -> None:
        self.warm.add((address, slot))

    def get_transient_storage(self, address: bytes, slot: int) -> bytes:
        return self.transient.get((address, slot), b"")

    def set_transient_storage(self, address: bytes, slot: int, value: bytes) -> None:
        self.transient[address, slot] = value

    def is_address_warm(self, address: bytes) -> bool:
        number = int.from_bytes(address, "big")
        return 0 < number <= 10 or address in self.warm

    def mark_address_warm(self, address: bytes) -> None:
        self.warm.add(address)

    def account(self, address: bytes) -> AccountState:
        nothing = AccountState(balance=0, nonce=0, code=b"", storage={})
        return ACCOUNTS.get(int.from_bytes(address, "big"), nothing)

    def get_balance(self, address: bytes) -> int:
        return self.account(address).balance

    def get_code(self, address: bytes) -> bytes:
        return self.account(address).code

    def get_code_hash(self, address: bytes) -> bytes:
        return keccak(self.get_code(address))

    def account_is_empty(self, address: bytes) -> bool:
        account = self.account(address)
        return not (account.balance or account.nonce or account.code)

    def get_ancestor_hash(self, number: int) -> bytes:
        near = 0 < self.block_number - number <= 256
        return keccak(str(number).encode()) if near else b""


def machine(*, static: bool, left: int) -> Machine:
    m = new_machine(BackendConfig(block=BLOCK))
    for address, account in ACCOUNTS.items():
        seed_account(
            m,
            address,
            balance=account.balance,
            nonce=account.nonce,
            code=account.code,
            storage=account.storage,
        )
    settle(m)
    begin_message(m)
    m.static = int(static)
    m.gas = left
    m.value, m.caller, m.origin, m.gas_price = 1 << 90, OTHER, RICH, 1 << 80
    m.memory_base = 64
    return m


def begin_message(m: Machine) -> None:
    m.number += 1
    m.address = HERE
    m.account = find_account(m, HERE)
    warm_account(m, m.account)


class Pair:
    """The same frame twice."""

    def __init__(
        self, library: Library, *, static: bool = False, left: int = 1_000_000
    ) -> None:
        self.library = library
        self.native = machine(static=static, left=left)
        message = Message(
            gas=left,
            to=HERE.to_bytes(20, "big"),
            sender=OTHER.to_bytes(20, "big"),
            value=1 << 90,
            data=b"",
            code=b"",
            is_static=static,
        )
        origin = RICH.to_bytes(20, "big")
        context = CancunTransactionContext(gas_price=1 << 80, origin=origin)
        self.state: Any = DictState()
        for warm in (HERE, RICH, BLOCK.coinbase):
            self.state.mark_address_warm(warm.to_bytes(20, "big"))
        self.reference: Any = IstanbulComputation(self.state, message, context)

    def step(self, name: str, operands: list[int]) -> bool:
        """Run one instruction on both; return whether the frames go on."""
        entry = OPCODES[name]
        m, reference = self.native, self.reference
        used = operands[: entry.pops]
        for operand in reversed(used):
            reference.stack_push_int(operand)
        fault = FAULT_NONE
        try:
            CANCUN_OPCODES[entry.number](computation=reference)
        except tuple(FAULTS) as error:
            fault = FAULTS[type(error)]
        result = None
        if m.gas < entry.gas:
            m.fault = FAULT_GAS
        else:
            m.gas -= entry.gas
            assert entry.function is not None
            result = self.library.function(entry.function)(m, *used)
        assert m.fault == fault, (name, used)
        if fault != FAULT_NONE:
            return False
        if entry.pushes:
            assert result == reference.stack_pop1_int(), (name, used)
        assert m.gas == reference.get_gas_remaining(), (name, used)
        refund = reference._gas_meter.gas_refunded
        assert m.refund == refund % (1 << 64), (name, used)
        held = bytes(m.memory[64 : 64 + m.memory_size])
        assert held == reference.memory_read_bytes(0, len(reference._memory))
        return True


@pytest.fixture(scope="module", params=["plain", "compiled", "checked"])
def library(request):
    functions = [entry.function for entry in OPCODES.values()]
    functions.append(undo_to)
    return Library.load(Plan(functions=tuple(functions)), mode=request.param)


STEPS = st.tuples(st.sampled_from(STORAGE), KEYS, VALUES)


@settings(deadline=None)
@given(st.lists(STEPS, max_size=12), st.sampled_from([1_000_000, 30_000, 5000]))
def test_storage(library, steps, left):
    pair = Pair(library, left=left)
    for name, key, value in steps:
        if not pair.step(name, [key, value]):
            return
    for key in range(3):
        stored = pair.state.now.get((HERE.to_bytes(20, "big"), key), 0)
        assert storage_word(pair.native, HERE, key) == stored


@settings(deadline=None)
@given(st.lists(st.tuples(VALUES, st.sampled_from([0, 1])), max_size=6))
def test_every_path_of_a_word_is_priced(library, writes):
    pair = Pair(library)
    for value, key in writes:
        assert pair.step("SSTORE", [key, value])


@pytest.mark.parametrize("left", [2300, 2301])
def test_the_stipend_of_a_transfer_never_writes(library, left):
    present = ACCOUNTS[HERE].storage[0]
    assert Pair(library, left=left).step("SSTORE", [0, present]) == (left > 2300)


@pytest.mark.parametrize("name", ["SSTORE", "TSTORE"])
def test_static_frames_do_not_write(library, name):
    pair = Pair(library, static=True)
    assert not pair.step(name, [0, 5])
    assert pair.native.fault == FAULT_HALT


def test_transient_storage_lasts_for_one_message(library):
    m = machine(static=False, left=10_000)
    load = library.function(storage.tload)
    store = library.function(storage.tstore)
    mark = m.journal_end
    store(m, 1, 7)
    store(m, 1, 8)
    assert load(m, 1) == 8
    library.function(undo_to)(m, mark)
    assert load(m, 1) == 0
    store(m, 1, 9)
    assert library.function(storage.sload)(m, 1) == ACCOUNTS[HERE].storage[1]
    begin_message(m)
    assert load(m, 1) == 0


def test_going_back_makes_a_slot_cold_again(library):
    m = machine(static=False, left=10_000)
    load = library.function(storage.sload)
    mark = m.journal_end
    for _ in range(2):
        before = m.gas
        load(m, 0)
        assert before - m.gas == 2100
        library.function(undo_to)(m, mark)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(ACCOUNT), ADDRESSES), max_size=8),
    st.sampled_from([1_000_000, 6000]),
)
def test_accounts(library, steps, left):
    pair = Pair(library, left=left)
    for name, address in steps:
        if not pair.step(name, [address]):
            return


@settings(deadline=None)
@given(
    ADDRESSES,
    st.sampled_from([0, 1, 31, 40, 1000, 1 << 40]),
    st.sampled_from([0, 1, 30, 48, 49, 1000, 1 << 64, (1 << 256) - 1]),
    st.sampled_from([0, 1, 32, 49, 50, 1000, 1 << 33]),
)
def test_code_of_accounts(library, address, target, source, size):
    pair = Pair(library)
    operands = [address, target, source, size]
    if pair.step("EXTCODECOPY", operands):
        assert pair.step("EXTCODECOPY", operands)


@pytest.mark.parametrize("name", ENVIRONMENT)
def test_environment(library, name):
    for operand in [0, 1, 4743, 4744, 4999, 5000, 5001, 1 << 64, (1 << 64) + 4999]:
        assert Pair(library).step(name, [operand])


def test_hashes_of_the_first_and_the_last_block(library):
    m = machine(static=False, left=0)
    hash_of = library.function(environment.blockhash)
    for number in [0, 9, 10, 99, 100, (1 << 64) - 2]:
        m.block_number = number + 1
        wanted = int.from_bytes(keccak(str(number).encode()), "big")
        assert hash_of(m, number) == wanted


def test_blob_hashes(library):
    m = machine(static=False, left=0)
    hashes = [(1 << 256) - 1, 5]
    m.blob_hashes = bytearray(b"".join(h.to_bytes(32, "little") for h in hashes))
    m.blob_hash_count = 2
    found = [
        library.function(environment.blobhash)(m, index)
        for index in [0, 1, 2, 1 << 64, (1 << 64) + 1, 1 << 255]
    ]
    assert found == [*hashes, 0, 0, 0, 0]


def test_full_tables_are_no_fault_of_the_contract(library):
    m = new_machine(BackendConfig(), Capacity(slots=512, accounts=512))
    begin_message(m)
    m.gas = 1_000_000
    for key in range(4):
        library.function(storage.sstore)(m, key, 1)
    assert m.fault == FAULT_CAPACITY
    m.fault = FAULT_NONE
    for address in range(100, 104):
        library.function(accounts.balance_of)(m, address)
    assert m.fault == FAULT_CAPACITY
