"""What forge prints of an exported test (`-vvvvv`), beside what our trace says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from trace_trees import WHERE, Node, forge_nodes, our_node, told

_GAS = re.compile(r" gas \d+$")
_SELECTOR = re.compile(r"\.([0-9a-f]{8}) (\d+) \(")
_ADDRESS = re.compile(r"\b0x[0-9a-f]{40}\b")
_CALL = re.compile(r"( *\w+)\.(\w+) (\d+) \(.*\)( \w+)")
_UNKNOWN_LOG = re.compile(r"^[ │├└─]*(emit topic \d|topic \d|data): ")
_CREATION = f"{0xC0DE:#042x}"
"""Where an exported test puts creation code that a contract runs for another one."""


def forge_lines(text: str, document: Mapping[str, Any]) -> list[str]:
    """Return what forge says of the messages of a test.

    Args:
        text: its trace of the test.
        document: our trace, which has names for contracts that no creation made.
    """
    # Logs that nobody knows are several lines of bytes, which others compare.
    known = [each for each in text.splitlines() if not _UNKNOWN_LOG.search(each)]
    (root,) = forge_nodes(known)
    lines = [line for each in _messages(root) for line in _told(each)]
    return [
        _SELECTOR.sub(r".fallback \2 (\1", each) for each in _named(lines, document)
    ]


def our_lines(document: Mapping[str, Any], forge: list[str]) -> list[str]:
    """Return what our trace says of the same, where forge says something.

    Args:
        document: our trace, with its deployment and raw.
        forge: what it says.
    """
    lines = [
        line
        for message in document["deployment"]
        for line in _told(Node("constructor", _our(message).below[:-1]))
    ]
    asked = [document["question"]] if document["question"] else []
    for message in (*document["calls"], *asked):
        if message is not None:
            lines += _told(_our(message))
    named = [*_named(lines, document)]
    if len(named) != len(forge):
        return named
    return [*map(_silenced, named, forge)]


def _our(message: Mapping[str, Any]) -> Node:
    node = our_node(message["trace"], storage=True)
    assert node is not None
    return node


def _messages(root: Node) -> Iterator[Node]:
    for each in root.below:
        if each.what.startswith(("vm.", _CREATION, "returned", "@ ")):
            continue
        if ".construct " in each.what:
            (*_, run) = (child for child in each.below if _CREATION in child.what)
            yield Node("constructor", run.below[:-1])
        elif ".act " in each.what:
            _, call, *_ = each.below
            yield call
        else:
            yield each


def _told(node: Node) -> Iterator[str]:
    yield from (_GAS.sub("", line) for line in told(_plain(node)))


def _plain(node: Node) -> Node:
    """Return a tree with what both say of it.

    Of precompiles forge decodes what they are given, which we have as bytes. It lists
    words that a frame would have written if its gas had sufficed. The name of what is
    not created it takes from a contract that looks like that.
    """
    what, below = node
    if what.startswith(("precompile.", "PRECOMPILES.")):
        return Node("precompile")
    failed = bool(below) and below[-1].what.startswith(("halted", "failed"))
    if below and below[-1].what == "halted":
        below = tuple(each for each in below if not each.what.startswith("@ "))
    if failed and what.startswith("new "):
        return Node(re.sub(r"^new \S* ", "new ", what), (Node("failed"),))
    below = tuple(each for each in below if not each.what.startswith("emit None("))
    return Node(what, tuple(map(_plain, below)))


def _named(lines: list[str], document: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines with the names that we have for addresses."""
    names: dict[str, str] = {}
    asked = [document["question"]] if document["question"] else []
    for message in (*document["deployment"], *document["calls"], *asked):
        if message is not None:
            names |= _names(message["trace"])
    for line in lines:
        if not line.lstrip().startswith(("@ ", "new ")):
            yield _ADDRESS.sub(lambda m: names.get(m[0], m[0]), line)
        else:
            yield line


def _names(call: Mapping[str, Any]) -> dict[str, str]:
    if "inner" not in call:
        return {}
    found = (
        {call["callee"]: WHERE.sub("", call["contract"])} if call["contract"] else {}
    )
    for each in call["inner"]:
        found |= _names(each)
    return found


def _silenced(ours: str, forge: str) -> str:
    """Return a line of ours without what forge does not say."""
    if "<pk>" in forge:  # It keeps private keys to itself.
        return forge if ours.partition("(")[0] == forge.partition("(")[0] else ours
    if " new <unknown> " in forge or forge.startswith("new <unknown> "):
        return re.sub(r"new \w* ", "new <unknown> ", ours)
    theirs, mine = _CALL.fullmatch(forge), _CALL.fullmatch(ours)
    # One of the two does not know the function: forge that of a proxy, or of calldata
    # that are too long; we one of a library with a pointer into storage, which solc
    # leaves out of the ABI.
    unknown = theirs and mine and "fallback" in (theirs[2], mine[2])
    if unknown and theirs.group(1, 3, 4) == mine.group(1, 3, 4):
        return forge
    if re.fullmatch(r" *returned 0x(\w{64})+", forge) and " returned 0x" not in ours:
        return forge
    return ours
