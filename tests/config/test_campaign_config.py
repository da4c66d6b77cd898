"""What decides a campaign, as it is stored and shown."""

from __future__ import annotations

import json
from dataclasses import fields

from echidna_mcp.config.campaign import CampaignConfig, shown_config
from echidna_mcp.evm.backend import BlockContext

OWN = CampaignConfig(
    balances=((0x10, 5), (0x20, 1 << 90)),
    block_number=1,
    block_timestamp=2,
    block_gas_limit=3,
    base_fee=4,
    coinbase=0xC0,
    prev_randao=(1 << 256) - 1,
    chain_id=7,
)
ENVIRONMENT = {
    *("balances", "block_number", "block_timestamp", "block_gas_limit"),
    *("base_fee", "coinbase", "prev_randao", "chain_id"),
}


def test_a_campaign_in_the_usual_environment_is_stored_as_before_there_were_others():
    stored = CampaignConfig().to_json()
    assert {field.name for field in fields(CampaignConfig)} >= ENVIRONMENT
    assert ENVIRONMENT & stored.keys() == set()
    assert CampaignConfig.from_json(stored) == CampaignConfig()
    assert CampaignConfig().block == BlockContext()


def test_what_a_campaign_does_not_say_is_as_it_was_before_it_could_be_said():
    stored = CampaignConfig().to_json()
    said = [stored.pop(name) for name in ("coupled_shrinking", "max_findings")]
    assert [*said, stored.pop("solver_patience")] == [True, 1000, 125]
    before = CampaignConfig.from_json(stored)
    assert (before.coupled_shrinking, before.max_findings) == (False, 0)
    assert before.solver_patience == 2_000
    assert before.to_json() == stored


def test_another_environment_is_stored():
    stored = json.loads(json.dumps(OWN.to_json()))
    assert stored.keys() >= ENVIRONMENT
    assert CampaignConfig.from_json(stored) == OWN
    assert OWN.block == BlockContext(
        timestamp=2,
        number=1,
        gas_limit=3,
        coinbase=0xC0,
        base_fee=4,
        prev_randao=(1 << 256) - 1,
        chain_id=7,
    )


def test_it_is_shown_with_addresses_in_hex_and_large_numbers_as_text():
    shown = shown_config(OWN.to_json())
    assert shown["balances"] == {
        f"0x{0x10:040x}": "5",
        f"0x{0x20:040x}": str(1 << 90),
    }
    assert shown["coinbase"] == f"0x{0xC0:040x}"
    assert (shown["base_fee"], shown["prev_randao"]) == ("4", str((1 << 256) - 1))
    assert shown["block_number"] == 1
