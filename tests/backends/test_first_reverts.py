"""Who reverts first in a message: both EVMs tell it alike, and only if asked."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from evm_assembler import assemble
from native_backends import REFERENCE, named
from random_worlds import RandomWorld
from twins import Twins

from echidna_mcp.cheatcodes.addresses import CHEATCODES
from echidna_mcp.evm.backend import (
    NOTHING,
    BackendConfig,
    CallResult,
    EvmBackend,
    Message,
    Status,
    Watch,
)
from echidna_mcp.evm.cheat_settings import CheatSettings
from echidna_mcp.evm.fork import FORKS, ForkName

FIRST, SECOND, LAST = 0xA1, 0xA2, 0xA3
FOUNDRY = CheatSettings(dialect="foundry")
REVERTS = assemble("PUSH0 PUSH0 REVERT")


def calls(
    *callees: int, kind: str = "CALL", value: int = 0, then: str = "STOP"
) -> bytes:
    """Return code that makes calls, whatever becomes of them."""
    worth = [value] if kind in ("CALL", "CALLCODE") else []
    made = [
        assemble("PUSH0 PUSH0 PUSH0 PUSH0", *worth, callee, "GAS", kind, "POP")
        for callee in callees
    ]
    return b"".join(made) + assemble(then)


@pytest.fixture(params=[REFERENCE, "compiled", "checked"])
def evm(request: pytest.FixtureRequest) -> EvmBackend:
    evm = named(request.param).create(BackendConfig(fork="cancun", cheats=FOUNDRY))
    evm.set_account(LAST, code=REVERTS)
    return evm


def reverter(evm: EvmBackend, **codes: bytes) -> int | None:
    for name, code in codes.items():
        evm.set_account({"first": FIRST, "second": SECOND}[name], code=code)
    message = Message(sender=1, to=FIRST, data=b"")
    assert evm.call(message).reverter is None  # Nobody has asked.
    return evm.call(message, Watch(reverter=True)).reverter


def test_nobody_reverts(evm: EvmBackend):
    assert reverter(evm, first=calls(SECOND), second=calls()) is None


def test_the_message_itself_may_be_the_first(evm: EvmBackend):
    assert reverter(evm, first=REVERTS) == FIRST


def test_a_revert_that_is_caught_is_one(evm: EvmBackend):
    then = "PUSH0 PUSH0 REVERT"
    found = reverter(evm, first=calls(SECOND, then=then), second=calls(LAST))
    assert found == LAST


def test_the_first_that_ends_is_the_first(evm: EvmBackend):
    second = calls(LAST, then="PUSH0 PUSH0 REVERT")
    assert reverter(evm, first=calls(SECOND), second=second) == LAST


@pytest.mark.parametrize("kind", ["CALLCODE", "DELEGATECALL"])
def test_code_that_is_borrowed_reverts_in_the_name_of_who_runs_it(
    evm: EvmBackend, kind: str
):
    assert reverter(evm, first=calls(LAST, kind=kind)) == FIRST


@pytest.mark.parametrize("kind", ["CALL", "CALLCODE"])
def test_a_call_that_cannot_be_paid_has_reverted(evm: EvmBackend, kind: str):
    found = reverter(evm, first=calls(SECOND, kind=kind, value=1), second=calls())
    assert found == (SECOND if kind == "CALL" else FIRST)


@pytest.mark.parametrize("halt", ["INVALID", "POP", "0x99 JUMP"])
def test_halts_are_no_reverts(evm: EvmBackend, halt: str):
    assert reverter(evm, first=calls(SECOND), second=assemble(halt)) is None


def test_creations_are_not_told(evm: EvmBackend):
    code = int.from_bytes(REVERTS.ljust(32, b"\0"), "big")
    create = assemble(code, "PUSH0 MSTORE", len(REVERTS), "PUSH0 PUSH0 CREATE POP STOP")
    assert reverter(evm, first=create) is None


def test_a_cheatcode_that_refuses_is_one(evm: EvmBackend):
    assert reverter(evm, first=calls(CHEATCODES)) == CHEATCODES


def test_without_cheatcodes_nobody_is_told():
    for name in (REFERENCE, "compiled"):
        evm = named(name).create(BackendConfig(fork="cancun"))
        assert reverter(evm, first=REVERTS) is None


class RevertingTwins(Twins):
    """Twins that tell who reverts first."""

    def __init__(self, config: BackendConfig, mode: str) -> None:
        config = replace(config, cheats=FOUNDRY)
        super().__init__(config, named(REFERENCE).create, named(mode).create)
        self.told: Counter[bool] = Counter()

    def _same(self, one: CallResult, other: CallResult) -> CallResult:
        for name in ("status", "output", "gas_used", "steps", "reverter"):
            assert getattr(one, name) == getattr(other, name), name
        return one

    def call(self, message: Message, watch: Watch = NOTHING) -> CallResult:
        result = super().call(message, replace(watch, reverter=True))
        self.told[result.reverter not in (None, message.to)] += 1
        return result


@pytest.mark.digests
@pytest.mark.parametrize("fork", FORKS)
@pytest.mark.parametrize(
    ("mode", "worlds"), [("compiled", 60), ("checked", 20), ("hot", 10)]
)
def test_random_programs_tell_the_same_on_both_evms(
    mode: str, worlds: int, fork: ForkName
):
    ends: Counter[Status] = Counter()
    told: Counter[bool] = Counter()
    for seed in range(worlds):
        world = RandomWorld(seed, fork)
        twins = RevertingTwins(world.config(), mode)
        try:
            world.play(twins, ends)
        except AssertionError as error:
            error.add_note(f"RandomWorld({seed}, {fork!r})")
            raise
        told += twins.told
    assert told.total() > worlds
    assert told[True] or worlds < 60
