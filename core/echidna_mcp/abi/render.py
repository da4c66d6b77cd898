"""Calls and values as Solidity-like text; `abi.call_text` reads it without loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, assert_never

from echidna_mcp.abi.encoding import decode_call
from echidna_mcp.abi.function import AbiFunction
from echidna_mcp.abi.type_program import (
    KIND_ADDRESS,
    KIND_BOOL,
    KIND_INT,
    KIND_STRING,
    KIND_UINT,
)
from echidna_mcp.abi.types import AbiType, Array, Elementary, Tuple
from echidna_mcp.abi.values import Hole, Value

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def render_call(function: AbiFunction, calldata: bytes, instance: int = 0) -> str:
    """Return a call as text: `transfer(0x00…010000, 100)`, qualified as its signature.

    Fallback and receive are `fallback(0x…)`, with the raw calldata, and `receive()`.

    Args:
        function: what is called.
        calldata: what is sent.
        instance: which of the contracts that the sequence has created is called,
            from 0; `Pair#n` becomes `Pair#1` and so on.

    Raises:
        InvalidInputError: the calldata is no call of `function`.
    """
    return render_arguments(function, decode_call(function, calldata), instance)


def render_arguments(
    function: AbiFunction, arguments: Sequence[Value | Hole], instance: int = 0
) -> str:
    """Return a call of `function` with decoded arguments; a hole is `?`."""
    name = function.full_name.replace("#n.", f"#{instance + 1}.")
    return f"{name}({render_list(function.inputs, arguments)})"


def render_address(address: int) -> str:
    """Return an address as 0x and 40 lower-case hex digits."""
    return f"0x{address:040x}"


Naming: TypeAlias = Callable[[int], str]
"""Returns what is written for an address."""


def render_list(
    types: Tuple, values: Sequence[Value | Hole], naming: Naming = render_address
) -> str:
    """Return values separated by commas, without brackets around them."""
    return ", ".join(
        value.value
        if isinstance(value, Hole)
        else render_value(abi_type, value, naming)
        for abi_type, value in zip(types.members, values, strict=True)
    )


def render_value(
    abi_type: AbiType, value: Value, naming: Naming = render_address
) -> str:
    """Return one value as text.

    Addresses and bytes are lower-case hex, strings are quoted, arrays are `[1, 2]`,
    structs are `(1, true)`.

    Args:
        abi_type: its type.
        value: it.
        naming: what is written for addresses instead.
    """
    match abi_type:
        case Elementary(kind=kind):
            return _elementary(kind, value, naming)
        case Array(element=element):
            assert isinstance(value, tuple)
            items = (render_value(element, item, naming) for item in value)
            return f"[{', '.join(items)}]"
        case Tuple():
            assert isinstance(value, tuple)
            return f"({render_list(abi_type, value, naming)})"
        case _:
            assert_never(abi_type)


def _elementary(kind: int, value: Value, naming: Naming) -> str:
    if isinstance(value, bytes):
        return quote(value) if kind == KIND_STRING else "0x" + value.hex()
    assert isinstance(value, int)
    if kind == KIND_BOOL:
        return "true" if value else "false"
    assert kind in (KIND_ADDRESS, KIND_INT, KIND_UINT)
    return naming(value) if kind == KIND_ADDRESS else str(value)


def quote(data: bytes) -> str:
    r"""Return the bytes of a string as a quoted literal on one line.

    Printable UTF-8 stays readable; every other byte becomes `\xNN`, so that any bytes
    survive.
    """
    text = data.decode("utf-8", "surrogateescape")
    return f'"{"".join(map(_escape, text))}"'


def _escape(character: str) -> str:
    if escape := _ESCAPES.get(character):
        return escape
    if character.isprintable():
        return character
    raw = character.encode("utf-8", "surrogateescape")
    return "".join(f"\\x{byte:02x}" for byte in raw)
