"""Who calls handlers of Foundry's invariants: any address, or those that are named."""

from __future__ import annotations

from dataclasses import replace

import pytest
from solc import compile_solidity

from echidna_mcp.campaign.inheritance import _fitting
from echidna_mcp.cheatcodes.addresses import CHEATCODES, CONSOLE
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.evm.created import CREATE2_FACTORY
from echidna_mcp.program.canary import with_canary
from echidna_mcp.program.suite import Wanted, suite_of
from echidna_mcp.program.target import FuzzTarget, build_target
from echidna_mcp.program.world import Placement, World
from echidna_mcp.rounds.call_codec import Call, CallCodec

pytestmark = pytest.mark.solc

SOURCE = """
contract Handler { function step(uint256) external {} }
contract CaseTest {
    function setUp() public { new Handler(); }
    function invariant_Holds() public view {}
    function testFuzz_Holds(uint256) public view {}
}
"""
CONFIG = CampaignConfig(test_mode="foundry")
KNOWN = CONFIG.senders
PLACED = Placement(contract="<case>:Handler", address=0x99, tested=True)


def campaigns(*given: str, **settings: object) -> dict[str, CampaignConfig]:
    program = compile_solidity(SOURCE, "CaseTest")
    config = replace(CONFIG, **settings)
    suite = suite_of(program, Wanted(config=config, given=given))
    return {each.config.test_mode: each.config for each in suite}


def target(**world: object) -> FuzzTarget:
    program = compile_solidity(SOURCE, "CaseTest")
    handler = next(c for c in program.contracts if c.name == "Handler")
    placed = replace(PLACED, contract=handler.qualified_name)
    config = replace(campaigns()["invariant"], senders=KNOWN)
    return build_target(program, config, World(placements=(placed,), **world))


def test_handlers_are_called_by_anybody_unless_senders_are_named():
    assert campaigns()["invariant"].any_sender
    assert not campaigns("sender")["invariant"].any_sender
    assert not campaigns("anySender", any_sender=False)["invariant"].any_sender
    assert campaigns("sender", "anySender", any_sender=True)["invariant"].any_sender


def test_tests_have_one_sender():
    assert not campaigns()["stateless"].any_sender


def test_what_was_stored_before_means_as_before():
    stored = replace(CONFIG, any_sender=False).to_json()
    assert "any_sender" not in stored
    assert not CampaignConfig.from_json(stored).any_sender


def test_targeted_senders_are_the_only_ones():
    chosen = target(senders=(0x77, 0x5))
    assert (chosen.senders, chosen.any_sender) == ((0x5, 0x77), False)


def test_excluded_senders_are_barred_and_not_known():
    excluded = (0x10000, 0x77)
    chosen = target(excluded_senders=excluded)
    assert chosen.any_sender
    assert chosen.senders == (0x20000, 0x30000)
    barred = {0, 1, 0x11, 0x100, CHEATCODES, CONSOLE, CREATE2_FACTORY, *excluded}
    assert barred <= set(chosen.barred_senders)
    assert World.from_json(chosen.world.to_json()) == chosen.world


def test_somebody_is_left_if_all_that_are_known_are_excluded():
    chosen = target(excluded_senders=KNOWN)
    (known,) = chosen.senders
    assert known not in KNOWN
    assert known not in chosen.barred_senders


def test_a_canary_is_called_by_those_who_call_everything_else():
    excluded = (0x10000,)
    assert with_canary(target(excluded_senders=excluded)).world.excluded_senders == (
        excluded
    )


def test_calls_of_anybody_are_inherited_but_not_of_who_is_excluded():
    chosen = target(excluded_senders=(0x77,))
    codec = CallCodec(chosen)
    tape = bytes(32)
    for sender, fits in ((0x1234, True), (0x77, False), (CHEATCODES, False)):
        call = Call(function=0, sender=sender, tape=tape)
        assert _fitting(codec.to_json(call), codec) == (call if fits else None)
