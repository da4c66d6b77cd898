"""Projects as their tools lay them out: `run .` finds what is to be fuzzed, and a bug.

Each directory of `layouts` is a project by itself, except that npm packages are those
of the directory above.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from command_line import invoke
from node_packages import require_node, require_package
from real_projects import PROJECTS, fuzz
from stored_builds import crytic_export, save, standard_input, standard_output

LAYOUTS = PROJECTS / "layouts"


@dataclass(frozen=True, slots=True)
class Layout:
    """A project.

    Attributes:
        contract: that is to be fuzzed.
        bug: the test that falls.
        calls: until it has fallen.
        told: how the line about the project ends; empty if there is none.
        words: what must be said, beside the seed and the limit.
    """

    contract: str
    bug: str
    calls: int
    told: str = ""
    words: tuple[str, ...] = ()


PROPERTY = "property_meter_never_goes_back()"
OTHERS = "(--as or --config chooses)"
PROJECTS_BY_LAYOUT: Mapping[str, Layout] = {
    "chimera": Layout(
        contract="test/recon/CryticTester.sol:CryticTester",
        bug=PROPERTY,
        calls=5_000,
        told=f"Echidna; reads echidna.yaml, not medusa.json or foundry.toml {OTHERS}.",
    ),
    "chimera as medusa": Layout(
        contract="test/recon/CryticTester.sol:CryticTester",
        bug=PROPERTY,
        calls=5_000,
        told=f"Medusa; reads medusa.json, not echidna.yaml or foundry.toml {OTHERS}.",
        words=("--as", "medusa"),
    ),
    "echidna": Layout(
        contract="contracts/MarketFuzz.sol:MarketFuzz",
        bug="echidna_everything_is_paid",
        calls=5_000,
        told="Echidna; reads echidna.yaml.",
    ),
    "foundry": Layout(
        contract="test/TurnstileFuzz.sol:TurnstileFuzz",
        bug="echidna_those_who_left_are_counted",
        calls=5_000,
        told="Foundry; reads foundry.toml.",
    ),
    "hardhat": Layout(
        contract="contracts/test/ClubFuzz.sol:ClubFuzz",
        bug="echidna_members_add_up",
        calls=5_000,
        told=f"Hardhat; does not read hardhat.config.ts {OTHERS}.",
    ),
    "medusa": Layout(
        contract="GateFuzz.sol:GateFuzz",
        bug="property_not_too_many_inside",
        calls=5_000,
        told="Medusa; reads medusa.json.",
    ),
    "vyper": Layout(contract="Purse.vy:Purse", bug="echidna_total", calls=5_000),
}

every_layout = pytest.mark.parametrize("name", PROJECTS_BY_LAYOUT)


def enter(name: str, monkeypatch: pytest.MonkeyPatch) -> Layout:
    """Go into a project."""
    monkeypatch.chdir(LAYOUTS / name.partition(" ")[0])
    return PROJECTS_BY_LAYOUT[name]


@every_layout
def test_the_plan_names_project_and_contract(monkeypatch, name):
    layout = enter(name, monkeypatch)
    done = invoke("run", ".", "--dry-run", *layout.words)
    assert done.code == 0, done
    assert f"{layout.contract} at 0x" in done.out
    lines = [each for each in done.err.splitlines() if each.startswith("Project: ")]
    assert lines == ([f"Project: {layout.told}"] if layout.told else [])


@every_layout
def test_the_bug_of_a_project_is_found(tmp_path, monkeypatch, tell, name):
    layout = enter(name, monkeypatch)
    done = fuzz(".", tmp_path / "c", layout.calls, *layout.words)
    assert done.code == 1, done
    assert {k for k, v in done.statuses.items() if v == "falsified"} == {layout.bug}
    assert done.found_at is not None
    assert not done.silent
    tell += [
        f"{len(done.succeeded)} functions exercised in {done.calls:,} calls",
        f"bug found within {done.found_at:,} calls",
    ]


@every_layout
def test_backends_agree_on_a_project(tmp_path, monkeypatch, tell, name):
    layout = enter(name, monkeypatch)
    one, other = (
        fuzz(
            *(".", tmp_path / backend, 200, *layout.words),
            *("--backend", backend, "--round-budget", 100_000),
        )
        for backend in ("native", "py-evm")
    )
    assert one == other
    tell.append("digests equal")


def test_what_hardhat_has_built_is_read(tmp_path, monkeypatch):
    layout = enter("hardhat", monkeypatch)
    node = require_node("projects")
    hardhat = require_package(PROJECTS, "hardhat", "projects")
    try:
        command = [node, hardhat / "dist" / "src" / "cli.js", "build"]
        done = subprocess.run(command, capture_output=True, check=False, timeout=300)
        assert done.returncode == 0, done
        plan = invoke("run", ".", "--dry-run")
        assert f"{layout.contract} at 0x" in plan.out
        assert "artifacts is fresh: nothing was compiled." in plan.err
        built = fuzz("artifacts", tmp_path / "c", layout.calls)
        assert built.statuses == {layout.bug: "falsified"}
    finally:
        for folder in ("artifacts", "cache"):
            shutil.rmtree(folder, ignore_errors=True)


def test_what_crytic_compile_has_exported_is_fuzzed(tmp_path):
    paths = ("contracts/Market.sol", "contracts/MarketFuzz.sol")
    texts = {path: (LAYOUTS / "echidna" / path).read_text("utf-8") for path in paths}
    output = standard_output(standard_input(texts))
    # Crytic-compile writes absolute paths of the sources of the project.
    for path, text in texts.items():
        save(tmp_path / path, text)
    export = tmp_path / "crytic-export" / "combined_solc.json"
    save(export, crytic_export(tmp_path, output, {}))
    config = LAYOUTS / "echidna" / "echidna.yaml"
    done = fuzz(export, tmp_path / "c", 5_000, "--config", config)
    assert done.statuses == {"echidna_everything_is_paid": "falsified"}
    assert not done.silent
