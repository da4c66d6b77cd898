"""Medusa's files: a JSON array of calls, indented by one blank.

Arguments are JSON values beside the signature (`dataAbiValues`), and calldata (`data`)
as well. Where both are there the arguments count, as in Medusa. Structs are objects,
whose order only the ABI tells.

Source: Medusa 1.4. What does nothing here (gasFeeCap, gasTipCap, AccessList and the
skipped checks) is written as Medusa writes it by default.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from echidna_mcp.abi.types import parse_tuple
from echidna_mcp.corpora.json_text import read_array
from echidna_mcp.corpora.medusa_values import (
    UnnamedError,
    UnwritableError,
    read_value,
    value_json,
)
from echidna_mcp.corpora.model import (
    MOST_ADDRESS,
    MOST_DELAY,
    MOST_WORD,
    EntryError,
    Interfaces,
    StoredCall,
    StoredFunction,
    encoded,
    hex_bytes,
    hex_number,
    member,
    whole_number,
)
from echidna_mcp.errors import TargetError

GAS: Final = 12_500_000
"""What a call has for want of another limit."""
_ESCAPED: Final = {ord(each): f"\\u{ord(each):04x}" for each in "<>&\u2028\u2029"}
"""What Go's encoder escapes beside what JSON demands; it stands in strings only."""


def read_sequence(text: str, interfaces: Interfaces) -> tuple[StoredCall, ...]:
    """Return the calls of a file.

    Args:
        text: of the file.
        interfaces: known functions, for the order of struct members.

    Raises:
        EntryError: it holds no sequence of this format.
    """
    return tuple(_read_element(each, interfaces) for each in read_array(text))


def write_sequence(calls: Iterable[StoredCall]) -> str:
    """Return the text of a file; nonces that are not known count from 0 by sender.

    Raises:
        EntryError: a call has no sender, or only passes time.
    """
    nonces: dict[int, int] = {}
    found = [_element_json(call, nonces) for call in calls]
    return json.dumps(found, indent=1, ensure_ascii=False).translate(_ESCAPED)


def _read_element(data: Any, interfaces: Interfaces) -> StoredCall:
    call = member(data, "call")
    target = member(call, "to")
    function, calldata = _read_what(call, interfaces)
    return StoredCall(
        kind="create" if target is None else "call",
        sender=hex_number(member(call, "from"), MOST_ADDRESS, "the sender"),
        target=None
        if target is None
        else hex_number(target, MOST_ADDRESS, "the target"),
        function=function,
        calldata=calldata,
        value=hex_number(call.get("value", "0x0"), MOST_WORD, "the value"),
        time_delay=_delay(data, "blockTimestampDelay"),
        block_delay=_delay(data, "blockNumberDelay"),
        gas=whole_number(call.get("gasLimit", GAS), MOST_DELAY, "the gas"),
        gas_price=hex_number(call.get("gasPrice", "0x0"), MOST_WORD, "the gas price"),
        nonce=whole_number(call.get("nonce", 0), MOST_DELAY, "the nonce"),
    )


def _delay(data: Mapping[str, Any], name: str) -> int:
    return whole_number(data.get(name, 0), MOST_DELAY, name)


def _read_what(
    call: Mapping[str, Any], interfaces: Interfaces
) -> tuple[StoredFunction | None, bytes]:
    """Return the function and the calldata of a call."""
    sent, values = call.get("data"), call.get("dataAbiValues")
    calldata = b"" if sent is None else hex_bytes(sent, "the data")
    if values is None:
        return None, calldata
    signature, items = member(values, "methodSignature"), values.get("inputValues")
    function = _function(str(signature), interfaces)
    given = items or []
    if not isinstance(given, list) or len(given) != len(function.inputs.members):
        raise EntryError(f"the values are not those of {function.signature}")
    pairs = zip(function.inputs.members, given, strict=True)
    try:
        return function, encoded(function, [read_value(*pair) for pair in pairs])
    except UnnamedError:
        if calldata[:4] == function.selector:
            return function, calldata
        raise EntryError(
            f"{function.signature} takes a struct, and no contract of the target has "
            "that function to say in which order its members are"
        ) from None


def _function(signature: str, interfaces: Interfaces) -> StoredFunction:
    name, bracket, rest = signature.partition("(")
    known = interfaces.with_signature(signature)
    if known is not None:
        return StoredFunction(known.name, known.inputs)
    try:
        function = StoredFunction(name, parse_tuple(bracket + rest))
    except (TargetError, RecursionError):
        function = None
    if function is None or function.signature != signature:
        raise EntryError(f"{signature[:80]} is no signature of a function")
    return function


def _element_json(call: StoredCall, nonces: dict[int, int]) -> dict[str, Any]:
    if call.kind == "wait":
        raise EntryError("Medusa has no entry for time that passes alone")
    if call.sender is None:
        raise EntryError("a call has no sender, and Medusa wants one")
    nonce = nonces.get(call.sender, 0) if call.nonce is None else call.nonce
    nonces[call.sender] = nonce + 1
    values = _values_json(call)
    return {
        "call": {
            "from": f"0x{call.sender:040x}",
            "to": None if call.target is None else f"0x{call.target:040x}",
            "nonce": nonce,
            "value": f"{call.value:#x}",
            "gasLimit": GAS if call.gas is None else call.gas,
            "gasPrice": f"{call.gas_price:#x}",
            "gasFeeCap": "0x0",
            "gasTipCap": "0x0",
            **({"data": f"0x{call.calldata.hex()}"} if call.calldata else {}),
            **({} if values is None else {"dataAbiValues": values}),
            "AccessList": None,
            "SkipNonceChecks": False,
            "SkipFromEOACheck": False,
        },
        "blockNumberDelay": call.block_delay,
        "blockTimestampDelay": call.time_delay,
    }


def _values_json(call: StoredCall) -> dict[str, Any] | None:
    """Return `dataAbiValues`; None where only calldata says what is sent."""
    function, arguments = call.function, call.arguments
    if function is None or arguments is None or not function.name:
        return None
    pairs = zip(function.inputs.members, arguments, strict=True)
    try:
        values = [value_json(*pair) for pair in pairs]
    except UnwritableError:
        return None
    return {"methodSignature": function.signature, "inputValues": values}
