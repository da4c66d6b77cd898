"""Random worlds by the rules of each fork, against @ethereumjs/vm.

`nox -s ethereumjs` installs it. What differs on purpose is left out: blobs of messages,
gas prices, contracts at a chosen address.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace

import pytest
import rlp
from eth_hash.auto import keccak
from eth_keys import keys
from ethereumjs import Recorder, Signed, differences, play
from evm_assembler import assemble
from native_backends import named
from random_worlds import BLOCK, CONTRACTS, DELEGATING, SENDERS, RandomWorld

from echidna_mcp.evm.backend import (
    NOTHING,
    Authorization,
    BackendConfig,
    CallResult,
    Message,
    Status,
    Watch,
)
from echidna_mcp.evm.fork import (
    FORKS,
    HISTORY_ADDRESS,
    ForkName,
    most_gas,
    system_contracts,
)

WORLDS = int(os.environ.get("ECHIDNA_MCP_WORLDS", "40"))
PLAIN_BLOCK = replace(BLOCK, number=300, base_fee=0, blob_base_fee=1)
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
SIGNERS = {
    authority: keys.PrivateKey(bytes([number]) * 32)
    for number, authority in enumerate((DELEGATING, 0xB2, CONTRACTS[0]), start=1)
}
"""Who signs for the accounts that `RandomWorld` names."""
SENDER, TARGET = 0x10000, 0xA1


def address_of(key: keys.PrivateKey) -> int:
    return int.from_bytes(key.public_key.to_canonical_address(), "big")


def sign(wanted: Authorization) -> Signed:
    """Return the authorization with an account that can sign, and its signature."""
    if wanted.authority is None:
        # The upper half of the order is no signature (EIP-2).
        return Signed(wanted, 0, 1, ORDER - 1)
    key = SIGNERS[wanted.authority]
    where = wanted.address.to_bytes(20, "big")
    signed = rlp.encode([wanted.chain_id, where, wanted.nonce])
    signature = key.sign_msg_hash(keccak(b"\x05" + signed))
    given = replace(wanted, authority=address_of(key))
    return Signed(given, signature.v, signature.r, signature.s)


class Comparable(Recorder):
    """Makes messages such that the library can play them, and writes them down."""

    def __init__(self, config: BackendConfig) -> None:
        self.signed: dict[Authorization, Signed] = {}
        super().__init__(named("compiled").create(config), config, self.signed)
        for at, code in system_contracts(config.fork).items():
            # On a chain each block writes its word; here a question does.
            ring = {
                number: int.from_bytes(keccak(b"%d" % number), "big")
                for number in range(PLAIN_BLOCK.number + 50)
            }
            self.backend.set_account(at, nonce=1, code=code, storage=ring)
        for sender in SENDERS:
            # Who sends a transaction is never an empty account.
            self.backend.set_account(sender, nonce=1)
        contract = address_of(SIGNERS[CONTRACTS[0]])
        self.backend.set_account(contract, nonce=1, code=b"\0")

    def call(self, message: Message, watch: Watch = NOTHING) -> CallResult:
        signed = [sign(each) for each in message.authorizations]
        self.signed |= {each.authorization: each for each in signed}
        plain = replace(
            message,
            gas_price=0,
            blob_hashes=(),
            authorizations=tuple(each.authorization for each in signed),
        )
        return super().call(plain, watch)

    def deploy(
        self,
        message: Message,
        *,
        address: int | None = None,  # noqa: ARG002 - where CREATE would
    ) -> CallResult:
        return super().deploy(message)


@pytest.mark.parametrize("fork", FORKS)
def test_random_worlds_are_the_same_to_ethereumjs(fork: ForkName) -> None:
    ends: Counter[Status] = Counter()
    recorders = []
    for seed in range(WORLDS):
        recorders.append(recorder_of(fork))
        RandomWorld(seed, fork).play(recorders[-1], ends)  # type: ignore[arg-type]
    assert differences(recorders) == []
    good = sum(count for status, count in ends.items() if status.succeeded)
    print(f"{fork}: {WORLDS} worlds, {ends.total()} messages, {good} succeeded")  # noqa: T201
    assert good * 2 > ends.total()


# --------------------------------------------------------------------- edges of rules

CLZ_WORDS = [0, 1, 2, 3, (1 << 256) - 1, *(1 << n for n in range(0, 256, 5))]
CLZ_WORDS += [(1 << n) - 1 for n in range(2, 256, 7)]


def test_every_count_of_leading_zeros_is_that_of_ethereumjs() -> None:
    recorder = recorder_of("osaka")
    code = assemble("0x0 CALLDATALOAD", b"\x1e", "0x0 MSTORE 0x20 0x0 RETURN")
    recorder.set_account(TARGET, nonce=1, code=code)
    recorder.snapshot()
    for word in CLZ_WORDS:
        result = recorder.call(to(TARGET, word.to_bytes(32, "big")))
        assert int.from_bytes(result.output, "big") == 256 - word.bit_length()
    print(f"CLZ: {len(CLZ_WORDS)} words")  # noqa: T201
    assert differences([recorder]) == []


@pytest.mark.parametrize("fork", FORKS)
def test_the_floor_of_calldata_is_that_of_ethereumjs(fork: ForkName) -> None:
    recorder = recorder_of(fork)
    recorder.set_account(TARGET, nonce=1, code=assemble("CALLDATASIZE GAS SSTORE"))
    recorder.snapshot()
    sizes = [0, 1, 31, 32, 100, 1_000, 5_000]
    for size in sizes:
        for data in (bytes(size), b"\1" * size, b"\0\1" * (size // 2)):
            for gas in (21_000 + 40 * size, 21_000 + 40 * size - 1, 1_000_000):
                recorder.call(to(TARGET, data, gas))
                recorder.call(to(0x999, data, gas))
    print(f"{fork}: {len(sizes) * 18} messages with calldata")  # noqa: T201
    assert differences([recorder]) == []


@pytest.mark.parametrize("fork", ["prague", "osaka"])
def test_the_served_hashes_are_those_of_ethereumjs(fork: ForkName) -> None:
    recorder = recorder_of(fork)
    recorder.snapshot()
    numbers = [*range(0, 300, 23), 298, 299, 300, 301, 8191, 1 << 64, (1 << 256) - 1]
    for number in numbers:
        recorder.call(to(HISTORY_ADDRESS, number.to_bytes(32, "big")))
        recorder.call(to(HISTORY_ADDRESS, number.to_bytes(40, "big")[-31:]))
    recorder.call(replace(to(HISTORY_ADDRESS, bytes(32)), block_delay=40))
    print(f"{fork}: {2 * len(numbers) + 1} questions")  # noqa: T201
    assert differences([recorder]) == []
    assert any(each.status.succeeded for each in recorder.segments[0].results)


@pytest.mark.parametrize("fork", FORKS)
@pytest.mark.parametrize("more", [0, 1])
def test_the_limit_of_a_transactions_gas_is_that_of_ethereumjs(
    fork: ForkName, more: int
) -> None:
    recorder = recorder_of(fork)
    recorder.set_account(TARGET, nonce=1, code=assemble("GAS 0x0 SSTORE"))
    recorder.snapshot()
    gas = (1 << 24) + more
    recorder.call(to(TARGET, gas=gas))
    limit = most_gas(fork)
    ((answer,),) = play(recorder.worlds())
    assert ("refused" in answer) == (limit is not None and gas > limit)


@pytest.mark.parametrize("fork", ["prague", "osaka"])
@pytest.mark.parametrize(
    "delegate", [0, 1, 4, 9, 0x11, 0x100, TARGET, 0xA2, 0xB1, 0x999, HISTORY_ADDRESS]
)
def test_what_delegating_accounts_do_and_cost_is_that_of_ethereumjs(
    fork: ForkName, delegate: int
) -> None:
    recorder = recorder_of(fork)
    designator = bytes.fromhex("ef0100") + delegate.to_bytes(20, "big")
    accounts = {
        0xB1: designator,
        0xA2: assemble("0x1 0x0 SSTORE ADDRESS 0x0 MSTORE 0x20 0x0 RETURN"),
        TARGET: looks_and_calls(0xB1, delegate),
    }
    for address, code in accounts.items():
        recorder.set_account(address, nonce=1, balance=10, code=code)
    recorder.snapshot()
    for target in (TARGET, 0xB1, delegate, TARGET):
        recorder.call(to(target, bytes(32)))
        recorder.call(replace(to(target, bytes(32)), access_list=((delegate, ()),)))
    assert differences([recorder]) == []


def looks_and_calls(*addresses: int) -> bytes:
    """Return code that looks at accounts and calls them in every way, measuring gas."""
    code, slot = b"", 1
    for address in addresses:
        for name in ("EXTCODESIZE", "EXTCODEHASH", "BALANCE"):
            code += assemble(address, name, slot, "SSTORE GAS", slot + 1, "SSTORE")
            slot += 2
        code += assemble(32, 0, 0, address, "EXTCODECOPY 0x0 MLOAD", slot, "SSTORE")
        for name in ("CALL", "CALLCODE", "DELEGATECALL", "STATICCALL"):
            value = [1] if name in {"CALL", "CALLCODE"} else []
            call = assemble(32, 0, 32, 0, *value, address, 60_000, name)
            slot += 2
            code += call + assemble(slot, "SSTORE GAS", slot + 1, "SSTORE")
        slot += 2
    return code


def recorder_of(fork: ForkName) -> Comparable:
    return Comparable(BackendConfig(block=PLAIN_BLOCK, max_code_size=24576, fork=fork))


def to(target: int, data: bytes = b"", gas: int = 2_000_000) -> Message:
    return Message(sender=SENDER, to=target, data=data, gas=gas)
