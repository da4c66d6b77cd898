"""Random worlds of many contracts.

Factories, clones, proxies, salts, libraries, self-destruction, StdInvariant getters.
What happens in one is a matter of all that was called before, so that a call that
reaches the wrong contract changes the digest.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

HEADER = Path(__file__).with_name("worlds.sol").read_text()

_PARTS = {
    "ledger": ("Ledger ledger;", "ledger = new Ledger();", "ledger.total() < 1e30"),
    "second": (
        "Ledger second;",
        "second = new Ledger();",
        "second.last() != address(0x20000)",
    ),
    "salted": ("Salted salted;", "salted = new Salted();", "salted.kids(3).fed() < 40"),
    "child": ("Child child;", "child = new Child(9);", "child.fed() < 1500"),
    "clones": (
        "Clones clones;",
        "clones = new Clones(new Ledger());",
        "Ledger(payable(clones.made(1))).total() < 99",
    ),
    "proxy": (
        "Ledger proxied;",
        "proxied = Ledger(payable(address(new Proxy(address(new Ledger())))));",
        "proxied.total() == 0",
    ),
}


@dataclass(frozen=True, slots=True)
class ManyTargets:
    """A main contract, and how its world is called."""

    name: str
    source: str
    config: dict[str, Any]


def random_world(seed: int) -> ManyTargets:
    """Return a contract `World<seed>` that deploys some of the others."""
    random = Random(seed)
    name = f"World{seed}"
    chosen = random.sample(sorted(_PARTS), random.randrange(2, len(_PARTS) + 1))
    fields = " ".join(_PARTS[part][0] for part in chosen)
    steps = " ".join(_PARTS[part][1] for part in chosen)
    tests = "\n".join(_property(part, _PARTS[part][2]) for part in chosen)
    way = random.choice(["all", "tested", "std", "listed"])
    config: dict[str, Any] = {"test_mode": random.choice(["property", "assertion"])}
    getters = ""
    match way:
        case "all":
            config["all_contracts"] = True
        case "tested":
            config["test_all_contracts"] = True
        case "listed":
            config["target_contracts"] = (
                ("Ledger",) if "ledger" in chosen else ("Child",)
            )
            if "ledger" not in chosen and "child" not in chosen:
                fields, steps = f"{fields} Child more;", f"{steps} more = new Child(1);"
        case "std":
            getters = _getters(random, name)
    source = f"""contract {name} {{
    uint public poked; {fields}
    constructor() payable {{ {steps} }}
    function poke(uint8 n) external {{ poked += n; }}
{tests}
{getters}
}}"""
    return ManyTargets(name, source, config)


def _property(part: str, condition: str) -> str:
    """Return a property that holds as long as its condition can't be asked."""
    return f"""
    function {part}Holds() external view returns (bool) {{ return {condition}; }}
    function echidna_{part}() external view returns (bool) {{
        try this.{part}Holds() returns (bool holds) {{ return holds; }}
        catch {{ return true; }}
    }}"""


def _getters(random: Random, name: str) -> str:
    lines = ["bool public IS_TEST = true;"]
    if random.random() < 0.5:
        lines.append(
            "function targetSenders() external pure returns (address[] memory a) "
            "{ a = new address[](2); a[0] = address(0x777); a[1] = address(0x20000); }"
        )
    else:
        lines.append(
            "function excludeSenders() external pure returns (address[] memory a) "
            "{ a = new address[](1); a[0] = address(0x20000); }"
        )
    if random.random() < 0.5:
        lines.append(
            "function excludeArtifacts() external pure returns (string[] memory a) "
            '{ a = new string[](1); a[0] = "Clones"; }'
        )
    return "    " + "\n    ".join(lines)
