"""Traces of findings are what forge says of the same findings as Foundry tests.

In 21 projects: proxies, clones and libraries of OpenZeppelin, solady, solmate and
Uniswap, and contracts for what those have not: all kinds of calls, creations that fail,
calls that run out of gas, self-destructs, cheatcodes, structs in structs. In each of
them a campaign finds something, and exports it; forge runs all that at once.

Forge is silent, or its trace is another one, in this: the gas of cheatcodes; the caller
behind a prank; creations and calls that never began, which we do not tell; what gas is
left after a halt, of which forge has no account; the heir of a self-destruct.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from command_line import invoke
from forge_verdicts import forge_test, forge_traces, write_compiler
from node_packages import require_package
from raw_traces import Arena, our_messages
from told_exports import forge_lines, our_lines

HERE: Final = Path(__file__).parent
SOURCES: Final = HERE / "traced"
PROJECTS: Final = sorted(file.stem for file in (SOURCES / "src").glob("*.sol"))
_FUNDED: Final = frozenset(["Bank", "Deaths", "Gas", "Governed", "Raw"])
"""Targets that need money of their own."""
_TRACE: Final = re.compile(r"^  \[\d+\] (\w+)::test_\w+\(", re.MULTILINE)
_WEI: Final = 10**21


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project with a campaign on each target and its exports."""
    project = tmp_path_factory.mktemp("traced") / "project"
    shutil.copytree(SOURCES, project)
    uniswap = require_package(HERE, "@uniswap/v4-core", "foundry")
    solady = require_package(HERE, "solady", "foundry")
    for place, sources in (
        ("openzeppelin-contracts/contracts", uniswap / "lib/openzeppelin-contracts"),
        ("solmate/src", uniswap / "lib/solmate"),
        ("v4-core/src", uniswap),
        ("solady/src", solady),
    ):
        folder = place.partition("/")[2]
        ignored = shutil.ignore_patterns("test", "mocks")
        shutil.copytree(sources / folder, project / "lib" / place, ignore=ignored)
    write_compiler(project, HERE, "foundry")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project)
        patch.setenv("SOLCJS", str(require_package(HERE, "solc", "foundry")))
        for name in PROJECTS:
            find(name)
    return project


def find(name: str) -> None:
    """Run a campaign until its limit, and export what it has found."""
    config = Path(f"{name}.yaml")
    money = f"balanceContract: {_WEI}\n" if name in _FUNDED else ""
    config.write_text(f"coverageFormats: []\n{money}", "utf-8")
    outcome = invoke(
        *("run", f"src/{name}.sol", "--contract", name, "--config", config),
        *("--test-mode", "property,assertion", "--seed", 3, "--test-limit", 5_000),
        *("--executor", "inline", "--workers", 1, "--format", "text"),
        *("--corpus-dir", f"campaigns/{name}", "--export-foundry", f"exported/{name}"),
    )
    assert outcome.code == 1, outcome


@pytest.fixture(scope="module")
def forge_results(traced: Path) -> dict[str, Any]:
    """Return what forge says of the finding of each project, by its name."""
    found = {}
    for suite, ran in forge_test(traced, HERE, "foundry", "-vvvv").items():
        (result,) = ran["test_results"].values()
        found[Path(suite).parent.name] = result
    return found


@pytest.fixture(scope="module")
def forge_texts(traced: Path) -> dict[str, str]:
    """Return forge's trace of the finding of each project as it prints it."""
    output = forge_traces(traced, HERE, "foundry", "", "-vvvvv")
    return {
        match[1].partition("_")[0]: output[match.start() :].partition("\n\n")[0]
        for match in _TRACE.finditer(output)
    }


@pytest.fixture(scope="module")
def our_traces(traced: Path) -> dict[str, Mapping[str, Any]]:
    """Return our trace of the finding of each project, by its name."""
    found = {}
    for name in PROJECTS:
        campaign = traced / "campaigns" / name
        outcome = invoke("show", campaign, "--deployment", "--json")
        assert outcome.code == 0, outcome
        (found[name],) = json.loads(outcome.out)["traces"]
    return found


def test_there_is_a_finding_in_each_project(forge_results: Mapping[str, Any]):
    assert len(PROJECTS) > 20
    assert sorted(forge_results) == PROJECTS
    assert {each["status"] for each in forge_results.values()} == {"Success"}


@pytest.mark.parametrize("name", PROJECTS)
def test_calls_logs_and_endings_are_those_of_forge(
    name: str, forge_results: Mapping[str, Any], our_traces: Mapping[str, Any]
):
    (_, trace), *_ = (
        each for each in forge_results[name]["traces"] if each[0] == "Execution"
    )
    assert our_messages(our_traces[name]) == Arena(trace["arena"]).messages()


@pytest.mark.parametrize("name", PROJECTS)
def test_messages_cost_what_forge_says(
    name: str, forge_results: Mapping[str, Any], our_traces: Mapping[str, Any]
):
    (_, trace), *_ = (
        each for each in forge_results[name]["traces"] if each[0] == "Execution"
    )
    document = our_traces[name]
    asked = [document["question"]] if document["question"] else []
    ours = [each["gasUsed"] for each in (*document["calls"], *asked)]
    costs = Arena(trace["arena"]).costs()
    assert len(ours) == len(costs)
    told = [pair for pair in zip(ours, costs, strict=True) if pair[1] is not None]
    assert told
    assert [mine for mine, _ in told] == [theirs for _, theirs in told]


@pytest.mark.parametrize("name", PROJECTS)
def test_values_errors_logs_and_storage_are_told_as_forge_tells_them(
    name: str, forge_texts: Mapping[str, str], our_traces: Mapping[str, Any]
):
    document = our_traces[name]
    forge = forge_lines(forge_texts[name], document)
    assert our_lines(document, forge) == forge
