"""What feedback costs: the native backend's calls per second with and without it.

    python tests/bench/bench_feedback.py [CONTRACT ...]

Prints the Markdown table of docs/benchmarks.md. The campaigns are those of
`bench_native`, the rates per second of processor time. Coverage is on in all of them,
and then one kind of feedback, or both. Ratios are to the campaign without any. The
variants of a contract take turns, and each counts with its best turn; once in the
interpreter, once with all hot code compiled before it is measured.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace

import campaign_loop
from bench_native import PROPERTIES, SOURCES, compile_contract, config_of

from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.solidity.npm_solc import find_package
from echidna_mcp_plugins.native.hot.mode import HOT_VARIABLE

SECONDS = 0.6
TURNS = 3
TIERS = (("interpreted", "off"), ("compiled", "at-once"))
"""Name, and what the environment is told."""

VARIANTS = (
    ("none", {"climbing": False, "edges": False}),
    ("comparisons", {"climbing": True, "edges": False}),
    ("edges", {"climbing": False, "edges": True}),
    ("both", {"climbing": True, "edges": True}),
)
"""Column, and what it sets."""


def measure(name: str, program: Program, mode: str) -> dict[str, float]:
    """Return calls per second of processor time of each variant."""
    os.environ[HOT_VARIABLE] = mode
    manager = PluginManager.load()
    rates: dict[str, float] = {}
    for _ in range(TURNS):
        for column, settings in VARIANTS:
            speed = campaign_loop.measure(
                program,
                replace(config_of(name), **settings),
                manager.backends["native"],
                make_executor(manager.executors, "inline"),
                seconds=SECONDS,
            )
            rates[column] = max(rates.get(column, 0.0), speed.processor)
    return rates


def table(rows: dict[tuple[str, str], dict[str, float]]) -> str:
    """Return the Markdown table."""
    with_feedback = [column for column, _ in VARIANTS[1:]]
    head = ["contract", "code", "calls per second", *with_feedback]
    lines = [head, ["---"] * len(head)]
    for place, rates in rows.items():
        ratios = [f"{rates[each] / rates['none']:.2f}" for each in with_feedback]
        lines.append([*place, f"{rates['none']:,.0f}", *ratios])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main(names: Sequence[str] = ()) -> None:
    """Measure the contracts that are named, or all."""
    package = find_package(SOURCES)
    if package is None or not (package.parent / "@openzeppelin").is_dir():
        print("absent: run `npm install --prefix tests` first")
        return
    scope = package.parent / "@openzeppelin"
    before = os.environ.get(HOT_VARIABLE)
    rows = {}
    for name in list(names) or list(PROPERTIES):
        program = compile_contract(name, scope)
        for tier, mode in TIERS:
            rows[name, tier] = measure(name, program, mode)
    os.environ.pop(HOT_VARIABLE)
    if before is not None:
        os.environ[HOT_VARIABLE] = before
    print(table(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
