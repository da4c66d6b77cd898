"""Foundry's files of frontiers: comparisons of which one outcome was never seen.

There is one file a test, `CONTRACT/TEST/branch-frontiers.json`: a JSON object with the
signature of the test and its frontiers, the most promising first. Each has the sequence
that came there, the number of the call that did, the instruction, and its operands.
Numbers of 256 bits are hexadecimal texts, all others JSON numbers.

SUB and XOR, if they decide a jump, are how compilers write `==`; forge passes over them
when it reads a file, and never writes them.

Source: `foundry:fuzz.branch-frontiers@v1`, which forge's fuzz tests write
(`--fuzz-frontier-dir`) and its symbolic tests read (`--symbolic-use-fuzz-frontiers`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from echidna_mcp.corpora.foundry import calls_json, read_calls
from echidna_mcp.corpora.json_text import read_json
from echidna_mcp.corpora.model import EntryError, StoredCall, member
from echidna_mcp.evm.sites import COMPARING, SiteComparison

FILE: Final = "branch-frontiers.json"
SCHEMA: Final = "foundry:fuzz.branch-frontiers@v1"
_VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontier:
    """A comparison whose other outcome no sequence has shown.

    Attributes:
        calls: a sequence; its last call makes the comparison.
        address: of the account in whose name it was made.
        comparison: the instruction and its operands.
        new_coverage: whether that call took an edge that no earlier sequence did.
    """

    calls: tuple[StoredCall, ...]
    address: int
    comparison: SiteComparison
    new_coverage: bool


def write_frontiers(test: str, limit: int, frontiers: Iterable[Frontier]) -> str:
    """Return the text of a file.

    Args:
        test: signature of the test.
        limit: the most frontiers that it could have.
        frontiers: the most promising first.

    Raises:
        EntryError: as `foundry.write_sequence`.
    """
    document = {
        "schema": SCHEMA,
        "version": _VERSION,
        # The second in which it was made; without one the same gives the same.
        "generated_at": 0,
        "test": test,
        "limit": limit,
        "frontiers": [_told(*each) for each in enumerate(frontiers)],
    }
    return json.dumps(document, separators=(",", ":"))


def _told(number: int, frontier: Frontier) -> dict[str, Any]:
    found = frontier.comparison
    return {
        "id": number,
        "new_coverage": frontier.new_coverage,
        "call_index": len(frontier.calls) - 1,
        "sequence": calls_json(frontier.calls),
        "site": {
            "address": f"0x{frontier.address:040x}",
            "pc": found.counter,
            "opcode": found.opcode,
            "opcode_name": COMPARING[found.opcode],
        },
        "operands": {
            "lhs": f"{found.left:#x}",
            "rhs": f"{found.right:#x}",
            "result": found.holds,
            "operand_delta": f"{found.distance:#x}",
        },
    }


def read_frontiers(text: str) -> Mapping[int, tuple[StoredCall, ...]]:
    """Return the sequences of a file, each once, by the number of its first frontier.

    Raises:
        EntryError: it is no such file.
    """
    document = read_json(text)
    if member(document, "schema") != SCHEMA:
        raise EntryError(f"its schema is not {SCHEMA}")
    if member(document, "version") != _VERSION:
        raise EntryError(f"its version is not {_VERSION}, the only one that is known")
    frontiers = member(document, "frontiers")
    if not isinstance(frontiers, list):
        raise EntryError("its frontiers are no JSON array")
    found: dict[tuple[StoredCall, ...], int] = {}
    for number, frontier in enumerate(frontiers):
        try:
            calls = read_calls(member(frontier, "sequence"))
        except EntryError as error:
            raise EntryError(f"frontier {number}: {error}") from None
        if calls:
            found.setdefault(calls, number)
    return {number: calls for calls, number in found.items()}
