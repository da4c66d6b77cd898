"""Our traces of failing tests are forge's: the same calls, logs, endings and gas."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from forge_verdicts import forge_traces

HERE = Path(__file__).parent
CONTRACTS = "TracesTest"
TESTS = ("Assertion", "Caught", "Console", "CustomError", "Panic")

_TRACE = re.compile(r"^  \[\d+\] (\w+)::(\w+)\(", re.MULTILINE)
_CALL = re.compile(
    r"\[(\d+)\] (.+?)::(\w+)(?:\{value: (\d+)\})?\((.*)\)(?: \[(\w+)\])?"
)
_CREATION = re.compile(r"\[(\d+)\] → new (\S*)@(0x\w{40})")
_LOG = re.compile(r"emit (\w+)\((.*)\)")
_SCIENTIFIC = re.compile(r" \[[\d.]+e\d+\]")
_LABELLED = re.compile(r"(\w+): \[0x\w{40}\]")
_STRUCT = re.compile(r"\w+\(\{ (.*?) \}\)")
_NAME = re.compile(r"(?<![\w\"])\w+: (?=[\w\"(\[-])")
_WHERE = re.compile(r"@0x\w{4}…\w{4}")
"""What we tell contracts of one name apart by."""
_TEST_CONTRACT = "0x7fa9385be102ac3eac297483dd6233d62b3e1496"


class Node(NamedTuple):
    """A call, creation, log or ending, and what is below it."""

    what: str
    below: tuple[Node, ...] = ()


# ------------------------------------------------------------------------------- forge


def forge_nodes(lines: Sequence[str]) -> tuple[Node, ...]:
    """Return the tree that indented lines are."""
    nodes = []
    at = 0
    while at < len(lines):
        end = at + 1
        while end < len(lines) and depth(lines[end]) > depth(lines[at]):
            end += 1
        nodes.append(Node(forge_text(lines[at]), forge_nodes(lines[at + 1 : end])))
        at = end
    return tuple(nodes)


def depth(line: str) -> int:
    return len(line) - len(line.lstrip(" │├└─"))


def forge_text(line: str) -> str:
    text = line.lstrip(" │├└─")
    if match := _CREATION.fullmatch(text):
        gas, name, address = match.groups()
        return f"new {name} {address.lower()} gas {gas}"
    if match := _CALL.fullmatch(text):
        gas, contract, function, value, arguments, kind = match.groups()
        name = {"VM": "vm"}.get(contract, values(contract))
        called = f"{name}.{function} {value or 0} ({values(arguments)})"
        return f"{called} {kind} gas {gas}"
    if match := _LOG.fullmatch(text):
        return f"emit {match[1]}({_NAME.sub('', values(match[2]))})"
    how, _, rest = text.removeprefix("← ").partition("] ")
    failed = how.startswith("[Revert")
    return f"failed {reason(rest)}" if failed else f"returned {values(rest)}"


def values(text: str) -> str:
    """Return values without what forge adds to them."""
    plain = _LABELLED.sub(r"\1", _SCIENTIFIC.sub("", text))
    plain = _STRUCT.sub(lambda m: f"({_NAME.sub('', m[1])})", plain)
    plain = re.sub(r"0x\w+", lambda m: m[0].lower(), plain)
    return _WHERE.sub("", plain).replace(_TEST_CONTRACT, "TracesTest")


def reason(text: str) -> str:
    panic = re.fullmatch(r"panic: .* \((0x\w+)\)", text)
    return panic[1] if panic else values(text)


# -------------------------------------------------------------------------------- ours


def our_node(inner: Mapping[str, Any]) -> Node | None:
    """Return what we say of a call or log; None of storage: forge is silent."""
    arguments = ", ".join(each["value"] for each in inner.get("arguments", ()))
    match inner["kind"]:
        case "storage":
            return None
        case "log":
            return Node(f"emit {inner['name']}({values(arguments)})")
    below = [node for each in inner["inner"] if (node := our_node(each)) is not None]
    below.append(Node(our_ending(inner)))
    gas = inner["gasUsed"]
    if inner["kind"].startswith("create"):
        what = f"new {inner['contract']} {inner['address']} gas {gas}"
    else:
        kind = None if inner["kind"] == "call" else inner["kind"]
        name = f"{_WHERE.sub('', inner['contract'])}.{inner['function']}"
        if inner["function"] == "fallback":
            arguments = arguments.removeprefix("0x")
        what = f"{name} {inner['value']} ({values(arguments)}) {kind} gas {gas}"
    return Node(what, tuple(below))


def our_ending(call: Mapping[str, Any]) -> str:
    if call["reason"] is None:
        results = ", ".join(each["value"] for each in call["results"])
        return f"returned {values(results)}"
    text = call["reason"].removeprefix("reverted: ")
    message = re.fullmatch(r'(?:Error|CheatcodeError)\("(.*)"\)', text)
    panic = re.fullmatch(r"Panic\((0x\w+)\): .*", text)
    return f"failed {(message or panic or {1: values(text)})[1]}"


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


def told(node: Node, level: int = 0) -> Iterator[str]:
    """Yield a tree as lines, which pytest compares well."""
    yield "  " * level + node.what
    for each in node.below:
        yield from told(each, level + 1)
