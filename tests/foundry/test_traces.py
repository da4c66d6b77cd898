"""Our traces of failing tests are forge's: the same calls, logs, endings and gas."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from forge_verdicts import forge_traces
from trace_trees import Node, forge_nodes, our_node, told

HERE = Path(__file__).parent
CONTRACTS = "TracesTest"
TESTS = ("Assertion", "Caught", "Console", "CustomError", "Panic")

_TRACE = re.compile(r"^  \[\d+\] (\w+)::(\w+)\(", re.MULTILINE)


@pytest.fixture(scope="module")
def forge_trees(project: Path) -> dict[str, Node]:
    """Return forge's trace of each test, by its name."""
    output = forge_traces(project, HERE, "foundry", CONTRACTS)
    found = {}
    for match in _TRACE.finditer(output):
        text = output[match.start() :].partition("\n\n")[0]
        (found[match[2]],) = forge_nodes(text.splitlines())
    return found


@pytest.fixture(scope="module")
def our_report(project: Path) -> Mapping[str, Any]:
    """Return the report of `run --trace all`."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "echidna_mcp.cli", "run", ".", "--solc", "./solc"),
            *("--seed", "1", "--format", "json", "--trace", "all", "--allow-ffi"),
            *("--match-contract", CONTRACTS),
        ],
        cwd=project,
        env={k: v for k, v in os.environ.items() if "FOUNDRY" not in k},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    (campaign,) = json.loads(done.stdout)["campaigns"]
    return campaign


@pytest.fixture(scope="module")
def our_trees(our_report: Mapping[str, Any]) -> dict[str, Node]:
    """Return our trace of each test, by its name."""
    found = {}
    for trace in our_report["traces"]:
        (call,) = trace["calls"]
        node = our_node(call["trace"])
        assert node is not None
        found[trace["subject"].partition("(")[0]] = node
    return found


@pytest.mark.parametrize("test", TESTS)
def test_what_a_test_does_is_what_forge_says(
    test: str, forge_trees: Mapping[str, Node], our_trees: Mapping[str, Node]
):
    name = f"test_Fails_{test}"
    assert [*told(our_trees[name])] == [*told(forge_trees[name])]


def test_what_set_up_does_is_what_forge_says(
    forge_trees: Mapping[str, Node], our_report: Mapping[str, Any]
):
    *_, set_up = our_report["traces"][0]["deployment"]
    node = our_node(set_up["trace"])
    assert node is not None
    assert [*told(node)] == [*told(forge_trees["setUp"])]
