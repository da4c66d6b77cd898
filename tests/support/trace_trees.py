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
_SCIENTIFIC = re.compile(r" \[-?[\d.]+e\d+\]")
_LABELLED = re.compile(r"\b(\w+): \[0x\w{40}\]")
_STRUCT = re.compile(r"\b\w+\(\{ ")
_NAME = re.compile(r"(?<![\w\"])\w+: (?=[\w\"(\[-])")
WHERE = re.compile(r"@0x\w{4}…\w{4}")
"""What we tell contracts of one name apart by."""
_TEST_CONTRACT = "0x7fa9385be102ac3eac297483dd6233d62b3e1496"


_NEVER_BEGAN = "never began"
"""For want of money, or because there is something: we do not tell of it."""
_HALTED = "halted"
_NO_REASON = "no reason given"
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
        below = forge_nodes(lines[at + 1 : end])
        if _NEVER_BEGAN not in [each.what for each in below]:
            nodes.append(Node(forge_text(lines[at]), below))
        at = end
    changed = [each for each in nodes if each.what.startswith("@ ")]
    if changed:
        ending = nodes.pop()
        nodes = [each for each in nodes if each not in changed]
        nodes += [*sorted(changed), ending]
    return tuple(nodes)


def depth(line: str) -> int:
    text = line.lstrip(" │├└─")
    # Nothing is drawn to a change of storage.
    return len(line) - len(text) - text.startswith("@ ")


def forge_text(line: str) -> str:
    """Return a line of forge's in the form that both have."""
    text = line.lstrip(" │├└─")
    if text.startswith("@ "):
        return "@ {}: {} → {}".format(*map(word, re.split(": | → ", text[2:])))
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
    return ending(text)


def ending(text: str) -> str:
    how, _, rest = text.removeprefix("← [").partition("]")
    rest = rest.strip()
    match how:
        case "Return" | "Stop" | "SelfDestruct":
            return f"returned {values(rest)}"
        case "Revert":
            return f"failed {reason(rest)}"
        case "CreateCollision" | "OutOfFunds":
            return _NEVER_BEGAN
        case _:
            return _HALTED


def values(text: str) -> str:
    """Return values without what forge adds to them."""
    plain = _LABELLED.sub(r"\1", _SCIENTIFIC.sub("", text))
    if _STRUCT.search(plain):
        plain = _NAME.sub("", _STRUCT.sub("(", plain).replace(" })", ")"))
    plain = re.sub(r"0x\w+", lambda m: m[0].lower(), plain)
    return WHERE.sub("", plain).replace(_TEST_CONTRACT, "TracesTest")


def reason(text: str) -> str:
    if text in ("0x", "EvmError: Revert") or text.startswith("unrecognized function"):
        return _NO_REASON
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
    below = [node for node in told if node is not None]
    changed = [each for each in below if each.what.startswith("@ ")]
    if changed:
        # A word that holds several variables is told once for each of them.
        below = [each for each in below if each not in changed]
        below += sorted(set(changed))
    below.append(Node(our_ending(inner)))
    gas = inner["gasUsed"]
    if inner["kind"].startswith("create"):
        what = f"new {inner['contract']} {inner['address']} gas {gas}"
    else:
        kind = None if inner["kind"] == "call" else inner["kind"]
        name = f"{WHERE.sub('', inner['contract'])}.{inner['function']}"
        if inner["function"] == "fallback":
            arguments = arguments.removeprefix("0x")
        what = f"{name} {inner['value']} ({values(arguments)}) {kind} gas {gas}"
    return Node(what, tuple(below))


def change(inner: Mapping[str, Any]) -> str:
    slot, before, after = map(word, (inner["slot"], *inner["words"]))
    return f"@ {slot}: {before} → {after}"


def word(text: str) -> str:
    """Return a word in one form; forge has some in decimal."""
    return f"{int(text, 16 if text.startswith('0x') else 10):#x}"


def our_ending(call: Mapping[str, Any]) -> str:
    if call["reason"] is None:
        results = ", ".join(each["value"] for each in call["results"])
        return f"returned {values(results)}"
    if call["reason"].startswith("ended with "):
        return _HALTED
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
