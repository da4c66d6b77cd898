"""Calls as events hold them, written by hand."""

from __future__ import annotations

from typing import Any

SENDER = f"0x{0x10000:040x}"


def stored_call(function: str, data: bytes = b"", *, blocks: int = 0) -> dict[str, Any]:
    """Return a call of a sequence, by the first sender and without wei."""
    return {
        "function": function,
        "calldata": f"0x{data.hex()}",
        "sender": SENDER,
        "value": "0",
        "timeDelay": 0,
        "blockDelay": blocks,
    }


def executed(call: dict[str, Any]) -> dict[str, Any]:
    """Return it as an entry of the corpus has it, if it ended well."""
    return {**call, "gasUsed": 1, "result": "STOP"}
