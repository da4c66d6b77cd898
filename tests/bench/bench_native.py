"""Calls a second of the backends, beside those of Foundry and of revm.

    python tests/bench/bench_native.py [CONTRACT ...]

Prints the Markdown table of docs/benchmarks.md. All columns are calls per second of
processor time, each call followed by one property; sequences have 100 calls; coverage
is on in all of our columns, and nowhere else. Foundry checks the property after every
call, we do after every call that succeeded.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import campaign_loop
import pyrevm_loop
from forge import DEPTH, ForgeProject, find_forge

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.solidity.npm_solc import find_package
from echidna_mcp_plugins.compilers.solidity.solcjs import SolcJs
from echidna_mcp_plugins.native.hot.mode import HOT_VARIABLE

SOURCES = Path(__file__).parents[1] / "solidity"
SETTINGS = "--optimize --optimize-runs 200 --evm-version cancun"
SECONDS = 2.0
REPEATS = 3

PROPERTIES = {
    "Counter": "echidna_count_is_bounded",
    "Token": "echidna_balances_add_up",
    "StorageHeavy": "echidna_volume_adds_up",
    "KeccakChain": "echidna_head_is_not_small",
    "Arithmetic": "echidna_rounds_are_countable",
    "VaultHandler": "echidna_shares_are_covered",
}
"""The contracts, and a property of each that holds."""

OURS = (
    ("py-evm", "py-evm", "inline", "off"),
    ("interpreted", "native", "inline", "off"),
    ("compiled", "native", "inline", "at-once"),
    ("compiled, two threads", "native", "threads:2", "at-once"),
)
"""Column, backend, executor, and whether hot blocks are compiled (`hot_mode`)."""


@dataclass(slots=True)
class Row:
    """The best that was measured on one contract; a missing column is absent here."""

    contract: str
    rates: dict[str, float] = field(default_factory=dict)
    walls: dict[str, float] = field(default_factory=dict)

    def add(self, column: str, processor: float, wall: float = 0.0) -> None:
        """Take a measurement, in calls per second, if it is the best of its column."""
        self.rates[column] = max(processor, self.rates.get(column, 0.0))
        self.walls[column] = max(wall, self.walls.get(column, 0.0))


def compile_contract(name: str, scope: Path) -> Program:
    """Compile with the settings that Foundry is given."""
    return SolcJs().compile(
        CompileRequest(
            target=SOURCES / f"{name}.sol",
            contract=name,
            solc_args=f"{SETTINGS} @openzeppelin/={scope}/",
        )
    )


def config_of(name: str) -> CampaignConfig:
    """Return a campaign with one property and the calls that Foundry makes."""
    return CampaignConfig(
        prefix=PROPERTIES[name],
        exclude_view_pure=True,
        seq_len=DEPTH,
        test_limit=None,
        max_time_delay=0,
        max_block_delay=0,
        seed=1,
    )


def measure(name: str, program: Program, forge: Callable[[str], float] | None) -> Row:
    """Measure the columns of one contract in turn, and keep the best of each."""
    row, config = Row(name), config_of(name)
    manager = PluginManager.load()
    for _ in range(REPEATS):
        if forge is not None:
            row.add("forge", forge(name))
        if pyrevm_loop.has_pyrevm():
            row.add("pyrevm", pyrevm_loop.measure(program, config))
        for column, backend, executor, hot in OURS:
            os.environ[HOT_VARIABLE] = hot
            speed = campaign_loop.measure(
                program,
                config,
                manager.backends[backend],
                make_executor(manager.executors, executor),
                seconds=SECONDS,
            )
            row.add(column, *speed)
    return row


COLUMNS = (
    "py-evm",
    "pyrevm",
    "forge",
    "interpreted",
    "compiled",
    "compiled, two threads",
)
RATIOS = (
    ("interpreted / forge", "interpreted", "forge"),
    ("compiled / forge", "compiled", "forge"),
)


def table(rows: Sequence[Row]) -> str:
    """Return the Markdown table: rates, and what they are in relation to Foundry."""
    names = [name for name, _, _ in RATIOS]
    head = ["contract", *COLUMNS, *names, "two threads / one, wall time"]
    lines = [head, ["---"] * len(head)]
    for row in rows:
        cells = [
            f"{row.rates[column]:,.0f}" if column in row.rates else "absent"
            for column in COLUMNS
        ]
        cells += [_ratio(row.rates, one, other) for _, one, other in RATIOS]
        cells.append(_ratio(row.walls, "compiled, two threads", "compiled"))
        lines.append([row.contract, *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _ratio(values: dict[str, float], one: str, other: str) -> str:
    if one in values and other in values:
        return f"{values[one] / values[other]:.1f}"
    return "absent"


def main(names: Sequence[str] = ()) -> None:
    """Measure the contracts that are named, or all."""
    chosen = list(names) or list(PROPERTIES)
    package = find_package(SOURCES)
    if package is None or not (package.parent / "@openzeppelin").is_dir():
        print("absent: run `npm install --prefix tests` first")
        return
    forge = find_forge(package)
    print(f"forge {forge.version}" if forge else "forge: absent")
    programs = {
        name: compile_contract(name, package.parent / "@openzeppelin")
        for name in chosen
    }
    with tempfile.TemporaryDirectory() as directory:
        rate = None
        if forge is not None:
            project = ForgeProject(forge, Path(directory), package, SOURCES)
            project.build([(name, PROPERTIES[name]) for name in chosen])
            rate = project.calls_per_second
        rows = [measure(name, programs[name], rate) for name in chosen]
    print(table(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
