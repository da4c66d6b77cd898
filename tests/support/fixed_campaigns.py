"""Some campaigns whose digests are written down, so that they never change unseen.

`python tests/support/fixed_campaigns.py` writes `tests/golden/campaign_digests.json`
anew. Whoever commits another table breaks the replay of every campaign that was
recorded before: the message of the commit says why.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from campaigns import Commands, small_config, started
from corpus_contracts import corpus_program, lone_program, mode_of
from native_backends import named

from echidna_mcp.config.newer_fields import UNSAID
from echidna_mcp.demo import load_demo
from echidna_mcp.program.model import Program

TABLE: Final = Path(__file__).parents[1] / "golden" / "campaign_digests.json"
DEMO: Final = "demo"


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedCampaign:
    """A campaign that has nothing to choose.

    Attributes:
        target: a contract of `tests/solidity`, or `DEMO`.
        rounds: how many are run.
        config: what differs from `campaigns.small_config`.
        commands: what is asked for, by round.
    """

    target: str
    rounds: int = 8
    config: Mapping[str, Any] = field(default_factory=dict)
    commands: Commands = field(default_factory=dict)

    @property
    def program(self) -> Program:
        if self.target == DEMO:
            return load_demo()
        fork = self.config.get("evm_version")
        if fork is None:
            return corpus_program(self.target)
        return lone_program(self.target, f"--evm-version {fork}")


DEMO_COMMANDS: Final[Commands] = {
    2: [("prioritize_function", {"functionSignature": "setFee(uint256)"})],
    4: [
        (
            "inject_transaction",
            {"sequence": ["deposit()", "requestWithdrawal(?)"], "value": "1000"},
        )
    ],
    6: [("clear_priorities", {})],
}

CAMPAIGNS: Final[Mapping[str, FixedCampaign]] = {
    "property": FixedCampaign(target=DEMO, commands=DEMO_COMMANDS),
    "assertion": FixedCampaign(target="Assertions"),
    "exploration": FixedCampaign(target=DEMO, config={"test_mode": "exploration"}),
    "assertions of properties": FixedCampaign(
        target="Arithmetic", config={"test_mode": "assertion", "seed": 3}
    ),
    "edges": FixedCampaign(target="Dials", config={"edges": True}),
    "no climbing": FixedCampaign(target="MagicChain", config={"climbing": False}),
    "climbing": FixedCampaign(target="MagicNested", config={"seed": 11}),
    "solved comparisons": FixedCampaign(
        target="MagicNested",
        config={
            "seed": 11,
            "round_budget": 20_000,
            "solved_events": True,
            "solved_words": True,
        },
    ),
    "states": FixedCampaign(target="Ratchet", config={"states": True}),
    "mapping states": FixedCampaign(
        target="Pawls", config={"states": True, "mapping_states": True}
    ),
    "state pairs": FixedCampaign(
        target="Grid", config={"states": True, "state_pairs": True}
    ),
    "broods": FixedCampaign(target="Ratchet", config={"states": True, "broods": True}),
    "echoes": FixedCampaign(target="Timelock", config={"echoes": True}),
    "shortening": FixedCampaign(
        target="Ratchet", config={"states": True, "broods": True, "shortening": True}
    ),
    "goals": FixedCampaign(target="Remainders", config={"goals": True}),
    "harvest": FixedCampaign(
        target="Consignment", config={"broods": True, "harvest": True}
    ),
    "pairs": FixedCampaign(target="Receipts", config={"harvest": True, "pairs": True}),
    "typed": FixedCampaign(target="Stubs", config={"harvest": True, "typed": True}),
    "function constants": FixedCampaign(
        target="Tariffs", config={"function_constants": True}
    ),
    "repetition": FixedCampaign(target="Seasons", config={"repetition": True}),
    "limits": FixedCampaign(target="Leftover", config={"limits": True}),
    "fitted sequences": FixedCampaign(
        target="Bids", config={"fitting": True, "fitted_sequences": True}
    ),
    "many workers": FixedCampaign(
        target="Token", rounds=3, config={"workers": 9, "round_budget": 4_000}
    ),
    "one worker": FixedCampaign(
        target="Counter", config={"workers": 1, "round_budget": 20_000}
    ),
    "long sequences": FixedCampaign(
        target="StorageHeavy", rounds=4, config={"seq_len": 120}
    ),
    "shrinking": FixedCampaign(
        target="Flags", rounds=12, config={"round_budget": 20_000}
    ),
    "coupled shrinking": FixedCampaign(
        target="Flags",
        rounds=12,
        config={"round_budget": 20_000, "coupled_shrinking": True},
    ),
    "shanghai": FixedCampaign(target="Payments", config={"evm_version": "shanghai"}),
    "cancun": FixedCampaign(target="SelfDestruct", config={"evm_version": "cancun"}),
    "prague": FixedCampaign(target="Factory", config={"evm_version": "prague"}),
    "delays and gas prices": FixedCampaign(
        target="Clock", config={"max_gas_price": 10**9, "max_time_delay": 50}
    ),
    "precompiles": FixedCampaign(target="Precompiles", rounds=4),
    "transient storage": FixedCampaign(target="Transient"),
    "nested types": FixedCampaign(target="NestedTypes", config={"dict_freq": 900}),
    "proxies": FixedCampaign(target="UupsProxy"),
    "vyper": FixedCampaign(target="VyperToken", config={"mut_consts": (1, 2, 3, 4)}),
}


def run_fixed(name: str, backend: str, rounds: int | None = None) -> list[str]:
    """Return the state digest of each round.

    Args:
        name: of the campaign.
        backend: as for `native_backends.named`.
        rounds: how many to run; None for all.
    """
    fixed = CAMPAIGNS[name]
    # As campaigns began that do not say so: what is written down are theirs.
    config = {"test_mode": mode_of(fixed.target), **UNSAID, **fixed.config}
    with (
        TemporaryDirectory() as directory,
        started(
            Path(directory),
            fixed.program,
            small_config(**config),
            backend=named(backend),
        ) as running,
    ):
        running.rounds(fixed.rounds if rounds is None else rounds, fixed.commands)
        return running.digests()


def written_table() -> dict[str, list[str]]:
    """Return the digests as they are written down, by the name of the campaign."""
    table: dict[str, list[str]] = json.loads(TABLE.read_text("utf-8"))
    return table


if __name__ == "__main__":
    found = {name: run_fixed(name, "compiled") for name in CAMPAIGNS}
    TABLE.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
