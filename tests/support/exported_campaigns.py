"""Campaigns whose findings are exported, each on a contract with many planted bugs."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml
from command_line import Outcome, invoke

PROJECT: Final = Path(__file__).parents[1] / "exports" / "project"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A campaign.

    Attributes:
        file: of `project/src`.
        contract: that is fuzzed; empty for all tests of Foundry in the file.
        findings: how many it has at least.
        mode: as in `--test-mode`.
        config: keys of its configuration.
    """

    file: str
    contract: str
    findings: int
    mode: str = "property"
    config: dict[str, Any] = field(default_factory=dict)

    @property
    def maximizes(self) -> bool:
        """Whether its tests are never falsified, but have a value."""
        return self.mode == "optimization"

    @property
    def name(self) -> str:
        return self.contract or self.file.partition(".")[0]


CASES: Final = (
    Case(file="Money.sol", contract="Money", findings=9),
    Case(file="Raw.sol", contract="Raw", findings=8),
    Case(file="Arguments.sol", contract="Arguments", findings=28, mode="assertion"),
    Case(
        file="Deployed.sol",
        contract="Deployed",
        findings=8,
        config={
            "deployContracts": [["0xcafe", "Token"]],
            # Answers every call with 42.
            "deployBytecodes": [
                ["0xb10c", "600b600c600039600b6000f3602a60005260206000f3"]
            ],
            "constructorArgs": {
                "Deployed": {
                    "limit_": "37",
                    "name_": "Deployed",
                    "token_": f"0x{0xCAFE:040x}",
                }
            },
            "balanceContract": 12345,
            "allContracts": True,
        },
    ),
    Case(file="Ends.sol", contract="Ends", findings=12, mode="assertion"),
    Case(
        file="Ends.sol",
        contract="Overflow",
        findings=1,
        mode="overflow",
    ),
    Case(
        file="Ends.sol",
        contract="Destroyer",
        findings=1,
        mode="assertion",
        config={"testDestruction": True},
    ),
    Case(
        file="Ends.sol",
        contract="Value",
        findings=1,
        mode="optimization",
    ),
    Case(file="Cheats.sol", contract="Cheats", findings=8, mode="assertion"),
    Case(file="Cheats.sol", contract="Transactions", findings=6),
    Case(file="Suite.sol", contract="", findings=16, mode="foundry"),
)


def run_case(case: Case, project: Path) -> Outcome:
    """Run a campaign in a copy of the project, and export its findings there."""
    config: tuple[object, ...] = ()
    if case.config:
        file = project / f"{case.name}.yaml"
        file.write_text(yaml.safe_dump(case.config), "utf-8")
        config = ("--config", file)
    # Foundry's tests have numbers of runs instead.
    limit = () if case.mode == "foundry" else ("--test-limit", 60_000)
    contract = ("--contract", case.contract) if case.contract else ()
    return invoke(
        *("run", project / "src" / case.file, *contract, *config, *limit),
        *("--test-mode", case.mode, "--format", "text", "--seed", 3),
        *("--corpus-dir", project / "campaigns" / case.name),
        *("--export-foundry", project / "exported" / case.name),
    )
