"""Overrides: both EVMs replace the same call of a message, and do the same with it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from evm_assembler import assemble
from native_backends import REFERENCE, named
from random_worlds import CONTRACTS, RandomWorld
from twins import Twins

from echidna_mcp.cheatcodes.addresses import CHEATCODES
from echidna_mcp.errors import CapacityError
from echidna_mcp.evm.backend import (
    NOTHING,
    BackendConfig,
    CallResult,
    EvmBackend,
    Message,
    Override,
    Status,
    Watch,
)
from echidna_mcp.evm.cheat_settings import CheatSettings
from echidna_mcp.evm.fork import FORKS, ForkName
from echidna_mcp_plugins.native.backend import NativeBackend
from echidna_mcp_plugins.native.host.capacity import Capacity
from echidna_mcp_plugins.py_evm.backend import create

SENDER, TEST = 0x10000, 0x7E57
CALLER, CALLEE, OTHER = 0xA1, 0xA2, 0xA3
NOTED = assemble(
    # Who calls, with what, how much gas, value and balance there is.
    "CALLER PUSH0 SSTORE",
    "PUSH0 CALLDATALOAD 0x1 SSTORE",
    "CALLVALUE 0x2 SSTORE",
    "0x4 SLOAD 0x1 ADD 0x4 SSTORE",
    "0x2a PUSH0 MSTORE 0x20 PUSH0 RETURN",
)
"""Notes its caller, the first word of its data, its value, and how often it runs."""


def calling(value: int = 0, kind: str = "CALL", gas: int = 200_000) -> bytes:
    """Return code that calls `CALLEE`, and keeps result and answer in 0x10, 0x11."""
    worth = [value] if kind in ("CALL", "CALLCODE") else []
    return assemble("0x20 PUSH0 PUSH0 PUSH0", *worth, CALLEE, gas, kind) + assemble(
        "0x10 SSTORE PUSH0 MLOAD 0x11 SSTORE"
    )


def override(**parts: Any) -> Override:
    given = {"to": OTHER, "data": b"\x07" * 32, "after": 0, "targets": (CALLER,)}
    return Override(**{**given, "spared": TEST, **parts})


@pytest.fixture(params=[REFERENCE, "compiled", "checked"])
def evm(request: pytest.FixtureRequest) -> EvmBackend:
    cheats = CheatSettings(dialect="foundry")
    evm = named(request.param).create(BackendConfig(fork="cancun", cheats=cheats))
    evm.set_account(CALLER, balance=100, code=calling() * 2)
    for address in (CALLEE, OTHER):
        evm.set_account(address, code=NOTED)
    return evm


def send(evm: EvmBackend, replaced: Override | None, **parts: Any) -> CallResult:
    message = Message(sender=SENDER, to=CALLER, data=b"", override=replaced)
    return evm.call(replace(message, **parts))


def test_the_first_call_is_replaced_by_one_of_its_callee(evm: EvmBackend):
    assert send(evm, override()).overridden
    assert evm.storage(OTHER, 0) == CALLEE
    assert evm.storage(OTHER, 1) == int.from_bytes(b"\x07" * 32)
    assert evm.storage(CALLER, 0x10) == 1
    assert evm.storage(CALLER, 0x11) == 0x2A
    # The second one is made.
    assert (evm.storage(OTHER, 4), evm.storage(CALLEE, 4)) == (1, 1)


@pytest.mark.parametrize(("after", "made"), [(0, 1), (1, 1), (2, 2)])
def test_those_before_are_made(evm: EvmBackend, after: int, made: int):
    assert send(evm, override(after=after)).overridden is (after < 2)
    assert evm.storage(CALLEE, 4) == made
    assert evm.storage(OTHER, 4) == 2 - made
    # Nothing of it is left for the next message.
    assert not send(evm, None).overridden
    assert evm.storage(CALLEE, 4) == made + 2


def test_an_override_that_fails_is_a_call_that_fails(evm: EvmBackend):
    evm.set_account(OTHER, code=assemble("0x2b PUSH0 MSTORE 0x20 PUSH0 REVERT"))
    assert send(evm, override()).status is Status.STOP
    assert evm.storage(CALLER, 0x10) == 1  # the second call
    evm.set_account(CALLER, code=calling())
    assert send(evm, override()).status is Status.STOP
    assert (evm.storage(CALLER, 0x10), evm.storage(CALLER, 0x11)) == (0, 0x2B)


@pytest.mark.parametrize(
    ("gas", "paid"), [(200_000, 5), (0, 0), (1, 5)], ids=["much", "a stipend", "more"]
)
def test_the_value_is_paid_if_there_is_more_than_a_stipend(
    evm: EvmBackend, gas: int, paid: int
):
    evm.set_account(CALLER, balance=100, code=calling(5, gas=gas))
    assert send(evm, override()).overridden
    assert (evm.balance(CALLER), evm.balance(CALLEE)) == (100 - paid, paid)
    assert evm.balance(OTHER) == evm.storage(OTHER, 2) == 0


@pytest.mark.parametrize("kind", ["CALLCODE", "DELEGATECALL", "STATICCALL"])
def test_no_other_kind_of_call_is_replaced(evm: EvmBackend, kind: str):
    evm.set_account(CALLER, code=calling(kind=kind))
    assert not send(evm, override()).overridden


@pytest.mark.parametrize(
    ("parts", "replaced"),
    [
        ({"targets": (CALLER,)}, True),
        ({"targets": (CALLEE,)}, True),
        ({"targets": (OTHER,)}, False),
        ({"targets": ()}, False),
        ({"spared": CALLER}, False),
    ],
)
def test_it_is_by_or_to_a_target_and_not_by_the_test(
    evm: EvmBackend, parts: dict[str, Any], replaced: bool
):
    assert send(evm, override(**parts)).overridden is replaced


def test_what_the_sender_calls_is_made(evm: EvmBackend):
    assert not send(evm, override(), sender=CALLER).overridden


def test_what_cannot_be_paid_is_not_replaced(evm: EvmBackend):
    evm.set_account(CALLER, balance=4, code=calling(5))
    assert not send(evm, override()).overridden
    assert evm.storage(CALLER, 0x10) == 0


def test_cheatcodes_are_called(evm: EvmBackend):
    """vm.addr(uint256), which is no cheatcode that has an effect."""
    data = bytes.fromhex("ffa18649") + (1).to_bytes(32, "big")
    words = [data[:32], data[32:].ljust(32, b"\0")]
    code = b"".join(
        assemble(int.from_bytes(word, "big"), 32 * at, "MSTORE")
        for at, word in enumerate(words)
    ) + assemble(32, 64, len(data), "PUSH0 PUSH0", CHEATCODES, "GAS CALL STOP")
    evm.set_account(CALLER, code=code)
    assert not send(evm, override()).overridden
    assert evm.code(OTHER) == NOTED
    assert evm.storage(OTHER, 4) == 0


def test_calldata_that_do_not_fit_beside_those_of_the_message_are_a_lack_of_room():
    evm = NativeBackend(BackendConfig(fork="cancun"), capacity=Capacity(memory=1 << 16))
    evm.set_account(CALLER, code=calling())
    with pytest.raises(CapacityError, match="memory of contracts"):
        send(evm, override(data=bytes(1 << 16)), data=bytes(64))


class OverridingTwins(Twins):
    """Twins of whose messages many have an override."""

    def __init__(self, config: BackendConfig, mode: str, seed: int) -> None:
        super().__init__(config, create, named(mode).create)
        self._random = Random(seed)
        self.replaced = 0

    def call(self, message: Message, watch: Watch = NOTHING) -> CallResult:
        random = self._random
        chosen = Override(
            to=random.choice(CONTRACTS),
            data=random.randbytes(random.choice([0, 4, 36, 100])),
            after=random.choice([0, 0, 0, 1, 2]),
            targets=tuple(random.sample(CONTRACTS, 3)),
            spared=random.choice([TEST, *CONTRACTS]),
        )
        result = super().call(replace(message, override=chosen), watch)
        self.replaced += result.overridden
        return result


@pytest.mark.digests
@pytest.mark.parametrize("fork", FORKS)
@pytest.mark.parametrize(
    ("mode", "worlds"), [("compiled", 60), ("checked", 20), ("hot", 10)]
)
def test_random_programs_do_the_same_on_both_evms(
    mode: str, worlds: int, fork: ForkName
):
    ends: Counter[Status] = Counter()
    replaced = 0
    for seed in range(worlds):
        world = RandomWorld(seed, fork)
        twins = OverridingTwins(world.config(), mode, seed)
        try:
            world.play(twins, ends)
        except AssertionError as error:
            error.add_note(f"RandomWorld({seed}, {fork!r})")
            raise
        replaced += twins.replaced
    assert replaced > worlds // 4
