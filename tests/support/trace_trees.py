"""Traces in words, of forge (`-vvvv`) and of ours (JSON), as trees to be compared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

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


_STORAGE = " storage changes:"
"""The changes of words that forge lists behind it (`-vvvvv`) are as deep as it is."""


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
        if lines[at].endswith(_STORAGE):
            at += 1
            continue
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
    if text.startswith("@ "):
        return text
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


def our_node(inner: Mapping[str, Any], *, storage: bool = False) -> Node | None:
    """Return what we say of a call or log.

    Args:
        inner: the call or log.
        storage: whether words that changed are wanted, which takes raw traces.

    Returns:
        None where forge is silent: of storage that is not wanted, of who gets what is
        left of a contract.
    """
    arguments = ", ".join(each["value"] for each in inner.get("arguments", ()))
    match inner["kind"]:
        case "storage":
            return Node(change(inner)) if storage else None
        case "selfdestruct":
            return None
        case "log":
            return Node(f"emit {inner['name']}({values(arguments)})")
    told = (our_node(each, storage=storage) for each in inner["inner"])
    # A word that holds several variables is told once for each of them.
    below = [*dict.fromkeys(node for node in told if node is not None)]
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


def change(inner: Mapping[str, Any]) -> str:
    slot, before, after = map(word, (inner["slot"], *inner["words"]))
    return f"@ {slot}: {before} → {after}"


def word(text: str) -> str:
    """Return a word as forge writes it: short ones in decimal."""
    number = int(text, 16)
    return str(number) if number < 1 << 64 else f"0x{number:064x}"


def our_ending(call: Mapping[str, Any]) -> str:
    if call["reason"] is None:
        results = ", ".join(each["value"] for each in call["results"])
        return f"returned {values(results)}"
    text = call["reason"].removeprefix("reverted: ")
    message = re.fullmatch(r'(?:Error|CheatcodeError)\("(.*)"\)', text)
    panic = re.fullmatch(r"Panic\((0x\w+)\): .*", text)
    return f"failed {(message or panic or {1: values(text)})[1]}"


# -------------------------------------------------------------------------------- both


def told(node: Node, level: int = 0) -> Iterator[str]:
    """Yield a tree as lines, which pytest compares well."""
    yield "  " * level + node.what
    for each in node.below:
        yield from told(each, level + 1)
