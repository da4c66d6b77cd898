"""Echidna's files: a JSON array of transactions.

On one line, keys in alphabetical order, as Echidna 2.3.3 writes it. Arguments carry
their types, so a file needs no ABI. The form of older versions, with `_call` and `_src`
for `call` and `src`, is read as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from echidna_mcp.abi.foundry_text import address_text
from echidna_mcp.abi.types import Tuple
from echidna_mcp.corpora.echidna_values import read_value, value_json
from echidna_mcp.corpora.haskell_text import read_bytes, show_bytes
from echidna_mcp.corpora.json_text import read_array
from echidna_mcp.corpora.model import (
    MOST_ADDRESS,
    MOST_DELAY,
    MOST_WORD,
    CallKind,
    EntryError,
    StoredCall,
    StoredFunction,
    encoded,
    hex_number,
    member,
    whole_number,
)

GAS: Final = 12_500_000
"""What a call has for want of another limit."""
_OLDER: Final = {
    "call": "_call",
    "src": "_src",
    "dst": "_dst",
    "gas": "_gas'",
    "gasprice": "_gasprice'",
    "value": "_value",
    "delay": "_delay",
}
_NOTHING: Final = StoredFunction("", Tuple((), ()))


def read_sequence(text: str) -> tuple[StoredCall, ...]:
    """Return the calls of a file.

    Raises:
        EntryError: it holds no sequence of this format.
    """
    return tuple(_read_call(each) for each in read_array(text))


def write_sequence(calls: Iterable[StoredCall]) -> str:
    """Return the text of a file.

    Raises:
        EntryError: a call lacks sender or target.
    """
    found = [_call_json(call) for call in calls]
    return json.dumps(found, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _read_call(data: Any) -> StoredCall:
    if isinstance(data, Mapping) and "_call" in data:
        data = {new: data[old] for new, old in _OLDER.items() if old in data}
        gas = hex_number(member(data, "gas"), MOST_DELAY, "the gas")
    else:
        gas = whole_number(member(data, "gas"), MOST_DELAY, "the gas")
    call, delay = member(data, "call"), member(data, "delay")
    if not isinstance(delay, list) or len(delay) != 2:
        raise EntryError("the delay is no pair of seconds and blocks")
    kind, function, calldata = _read_what(call)
    return StoredCall(
        kind=kind,
        sender=hex_number(member(data, "src"), MOST_ADDRESS, "the sender"),
        target=hex_number(member(data, "dst"), MOST_ADDRESS, "the target"),
        function=function,
        calldata=calldata,
        value=hex_number(member(data, "value"), MOST_WORD, "the value"),
        time_delay=hex_number(delay[0], MOST_WORD, "the delay"),
        block_delay=hex_number(delay[1], MOST_WORD, "the delay"),
        gas=gas,
        gas_price=hex_number(member(data, "gasprice"), MOST_WORD, "the gas price"),
    )


def _read_what(call: Any) -> tuple[CallKind, StoredFunction | None, bytes]:
    """Return the kind, the function and the calldata of a call."""
    tag = member(call, "tag")
    match tag, call.get("contents"):
        case "NoCall", None | []:
            return "wait", None, b""
        case "SolCall", [str(name), list(items)]:
            pairs = [read_value(each) for each in items]
            types = tuple(each for each, _ in pairs)
            function = StoredFunction(name, Tuple(types, ("",) * len(types)))
            if not name and types:
                raise EntryError("a call of no function has arguments")
            return "call", function, encoded(function, [each for _, each in pairs])
        case "SolCalldata", str(text):
            return "call", None, read_bytes(text)
        case "SolCreate", str(text):
            return "create", None, read_bytes(text)
        case _:
            raise EntryError(f"a call {str(tag)[:40]} can't be read")


def _call_json(call: StoredCall) -> dict[str, Any]:
    if call.sender is None or call.target is None:
        raise EntryError("a call has no sender or no target, and Echidna wants both")
    return {
        "call": _what_json(call),
        "delay": [_word(call.time_delay), _word(call.block_delay)],
        "dst": address_text(call.target),
        "gas": GAS if call.gas is None else call.gas,
        "gasprice": _word(call.gas_price),
        "src": address_text(call.sender),
        "value": _word(call.value),
    }


def _what_json(call: StoredCall) -> dict[str, Any]:
    if call.kind == "wait":
        return {"tag": "NoCall"}
    if call.kind == "create":
        return {"tag": "SolCreate", "contents": show_bytes(call.calldata)}
    function = call.function or (None if call.calldata else _NOTHING)
    arguments = call.arguments if call.function else ()
    if function is None or arguments is None:
        return {"tag": "SolCalldata", "contents": show_bytes(call.calldata)}
    pairs = zip(function.inputs.members, arguments, strict=True)
    values = [value_json(*pair) for pair in pairs]
    return {"tag": "SolCall", "contents": [function.name, values]}


def _word(number: int) -> str:
    return f"0x{number:064x}"
