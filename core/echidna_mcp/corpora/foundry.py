"""Foundry's files: the corpus of a test, and the failures that forge remembers.

A corpus entry is a JSON array of calls on one line, each with `sender`, `target` and
`calldata`, before them `warp` and `roll` if time passes, behind them `value` if any is
sent; forge compresses large ones. A failure of an invariant is an object whose
`call_sequence` is told in another way, that of a fuzz test is one such call.

Source: what forge 1.7.1 writes (`corpus_dir`, and `failures` in its cache).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from echidna_mcp.corpora.json_text import read_json
from echidna_mcp.corpora.model import (
    MOST_ADDRESS,
    MOST_WORD,
    EntryError,
    StoredCall,
    hex_bytes,
    hex_number,
    member,
)


def read_sequence(text: str) -> tuple[StoredCall, ...]:
    """Return the calls of a file, a corpus entry or a failure.

    Raises:
        EntryError: it holds no sequence of this format.
    """
    found = read_json(text)
    if isinstance(found, Mapping):
        found = found.get("call_sequence", [found])
    return read_calls(found)


def read_calls(data: Any) -> tuple[StoredCall, ...]:
    """Return the calls of a JSON array.

    Raises:
        EntryError: it is none, or one of them is no call.
    """
    if not isinstance(data, list):
        raise EntryError("it is no JSON array of calls")
    return tuple(_read_call(each) for each in data)


def write_sequence(calls: Iterable[StoredCall]) -> str:
    """Return the text of a corpus entry.

    Raises:
        EntryError: a call has no sender or no target, or only passes time.
    """
    return json.dumps(calls_json(calls), separators=(",", ":"))


def calls_json(calls: Iterable[StoredCall]) -> list[dict[str, str]]:
    """Return calls as a JSON array has them; raises as `write_sequence`."""
    return [_call_json(call) for call in calls]


def _read_call(data: Any) -> StoredCall:
    calldata = hex_bytes(member(data, "calldata"), "the calldata")
    target = "target" if "target" in data else "addr"
    return StoredCall(
        sender=_number(data, "sender", MOST_ADDRESS),
        target=_number(data, target, MOST_ADDRESS),
        calldata=calldata,
        value=_number(data, "value", MOST_WORD) or 0,
        time_delay=_number(data, "warp", MOST_WORD) or 0,
        block_delay=_number(data, "roll", MOST_WORD) or 0,
    )


def _number(data: Mapping[str, Any], name: str, most: int) -> int | None:
    given = data.get(name)
    return None if given is None else hex_number(given, most, name)


def _call_json(call: StoredCall) -> dict[str, str]:
    if call.kind != "call":
        raise EntryError("Foundry has calls only, no waiting and no creation")
    if call.sender is None or call.target is None:
        raise EntryError("a call has no sender or no target, and Foundry wants both")
    told = {"warp": call.time_delay, "roll": call.block_delay}
    return {
        **{name: f"{number:#x}" for name, number in told.items() if number},
        "sender": f"0x{call.sender:040x}",
        "target": f"0x{call.target:040x}",
        "calldata": f"0x{call.calldata.hex()}",
        **({"value": f"{call.value:#x}"} if call.value else {}),
    }
