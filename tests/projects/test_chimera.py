"""Suites in Chimera's style on released packages: all fuzzers' readings of them.

Each of `chimera/test/recon` has actors and assets whose managers prank, ghosts, asserts
with reasons, canaries, and one bug. `NameTester` is what Echidna and Medusa run,
`NameToFoundry` what Foundry runs; what forge says of the latter holds for us as well.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Mapping
from pathlib import Path

import pytest
from command_line import invoke
from forge_verdicts import forge_statuses, our_statuses, write_compiler
from real_projects import PROJECTS, Campaign, fuzz

CALLS = 10_000
"""After so many, each of them has fallen."""
SUITES: Mapping[str, Collection[str]] = {
    "Auction": {"canary_refunded()", "property_all_bids_are_owed()"},
    "Market": {"canary_three_were_sold()", "property_two_each()"},
    "Permit": {"canary_permitted()", "coin_mint(uint256)"},
    "Proxy": {"canary_upgraded()", "property_the_total_is_there()"},
    "Stream": {"canary_paid()", "stream_adjust(uint256)"},
    "Timelock": {"canary_executed()", "lock_execute()"},
    "Vault": {"canary_deposited_twice()", "vault_deposit(uint256)"},
    "Vesting": {"canary_half()", "property_all_goes_to_the_first()"},
}
"""What falls, beside the canary that always does: a canary, and the bug."""
SILENT: Mapping[str, Collection[str]] = {"Vault": {"doomsday_everyone_leaves()"}}
"""Functions that always revert, as Chimera's `stateless` does: not exercised."""

every_suite = pytest.mark.parametrize("name", SUITES)


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project, with packages and a compiler."""
    project = tmp_path_factory.mktemp("chimera") / "project"
    shutil.copytree(PROJECTS / "chimera", project)
    (project / "node_modules").symlink_to(PROJECTS / "node_modules")
    write_compiler(project, PROJECTS, "projects")
    return project


@pytest.fixture(scope="session")
def verdicts(project: Path) -> dict[str, str]:
    """Return forge's verdicts, by "Contract.test"."""
    return forge_statuses(project, PROJECTS, "projects")


def fuzz_suite(
    project: Path, name: str, directory: Path, calls: int, *words: object
) -> Campaign:
    """Run what Echidna and Medusa run."""
    allowed = ("--allow-paths", PROJECTS / "node_modules")
    return fuzz(
        *(project, directory, calls, "--contract", f"{name}Tester", *allowed),
        *("--workers", 4, "--shrink-limit", 200, "--executor", "inline", *words),
    )


@every_suite
@pytest.mark.parametrize("reading", ["echidna", "medusa"])
def test_canaries_and_the_bug_fall(project, tmp_path, tell, name, reading):
    done = fuzz_suite(project, name, tmp_path / "c", CALLS, "--as", reading)
    fell = {test for test, status in done.statuses.items() if status == "falsified"}
    assert fell == {"canary_falls()", *SUITES[name]}
    rest = {k: v for k, v in done.statuses.items() if k not in fell}
    silent = SILENT.get(name, set())
    assert {k for k, v in rest.items() if v == "not exercised"} == silent
    assert {v for k, v in rest.items() if k not in silent} == {"passing"}
    tell.append(f"{len(fell)} tests fell in {done.calls:,} calls as {reading} reads it")


@every_suite
def test_backends_agree_on_a_suite(project, tmp_path, tell, name):
    one, other = (
        fuzz_suite(
            *(project, name, tmp_path / backend, 250, "--as", "echidna"),
            *("--backend", backend, "--round-budget", 300_000),
        )
        for backend in ("native", "py-evm")
    )
    assert one == other
    tell.append("digests equal")


def test_of_each_test_of_foundry_we_say_what_forge_says(
    project, tmp_path, monkeypatch, verdicts
):
    monkeypatch.chdir(project)
    done = invoke(
        *("run", ".", "--as", "foundry", "--seed", 7, "--format", "json"),
        *("--corpus-dir", tmp_path / "c"),
        *("--allow-paths", PROJECTS / "node_modules", "--solc", "./solc"),
    )
    assert done.code == 1, done
    ours = our_statuses(done.out)
    assert len(verdicts) == 3 * len(SUITES)
    assert {name: ours.get(name) for name in verdicts} == verdicts
