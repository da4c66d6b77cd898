"""Values as literals of Solidity, in syntax that compilers from 0.5.3 on have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from eth_hash.auto import keccak

from echidna_mcp.abi.encoding import decode_call, encode_call
from echidna_mcp.abi.type_program import (
    KIND_ADDRESS,
    KIND_BOOL,
    KIND_BYTES,
    KIND_BYTES_FIXED,
    KIND_INT,
    KIND_STRING,
    KIND_UINT,
)
from echidna_mcp.abi.types import Elementary

if TYPE_CHECKING:
    from echidna_mcp.abi.function import AbiFunction
    from echidna_mcp.abi.types import AbiType
    from echidna_mcp.abi.values import Value

_TYPED: Final = (
    *(KIND_ADDRESS, KIND_BOOL, KIND_BYTES, KIND_BYTES_FIXED),
    *(KIND_INT, KIND_STRING, KIND_UINT),
)
_PLAIN_TEXT: Final = re.compile(rb"[ !#-\[\]-~]*")
"""Printable ASCII without quotes and backslashes."""
_IDENTIFIER: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_LONGEST_NAME: Final = 80
_SMALL: Final = 1 << 64


def address_literal(address: int) -> str:
    """Return an address, with the checksum that compilers ask for (EIP-55).

    Small ones, which have no meaning as keys, are written without zeros before them.
    """
    if address < _SMALL:
        return f"address(0x{address:x})"
    digits = f"{address:040x}"
    marks = keccak(digits.encode()).hex()
    return "0x" + "".join(
        digit.upper() if int(mark, 16) >= 8 else digit
        for digit, mark in zip(digits, marks, strict=False)
    )


def bytes_literal(data: bytes) -> str:
    """Return bytes as a literal."""
    return f'hex"{data.hex()}"'


def text_literal(text: str) -> str:
    """Return a sentence for a person as a string of printable ASCII."""
    return '"' + one_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def one_line(text: str) -> str:
    """Return a text that can stand in a comment: printable ASCII, on one line.

    Solidity ends comments at more characters than editors show as ends of lines, and
    refuses those that change the direction of text.
    """
    return "".join(
        each
        if " " <= each <= "~"
        else each.encode("unicode_escape", "replace").decode()
        for each in text
    )


def identifier(text: str) -> str:
    """Return a name for something, such as `withdraw_uint256` for a signature."""
    words = re.findall(r"[A-Za-z0-9_]+", text)
    return "_".join(words)[:_LONGEST_NAME].strip("_") or "unnamed"


def is_identifier(text: str) -> bool:
    """Whether a compiler takes it for a name."""
    return _IDENTIFIER.fullmatch(text) is not None


def calldata_expression(function: AbiFunction, calldata: bytes) -> str:
    """Return an expression of the bytes that are sent.

    It names function and arguments where that gives exactly these bytes: where all
    arguments are elementary, since Solidity has no literals of dynamic arrays.
    """
    if (
        function.kind != "function"
        or not all(map(_is_typed, function.inputs.members))
        or not is_identifier(function.name)
    ):
        return bytes_literal(calldata)
    arguments = decode_call(function, calldata)
    if encode_call(function, arguments) != calldata:
        return bytes_literal(calldata)
    written = [
        _elementary(each, value)
        for each, value in zip(function.inputs.members, arguments, strict=True)
    ]
    signature = f'"{function.plain_signature}"'
    return f"abi.encodeWithSignature({', '.join((signature, *written))})"


def _is_typed(abi_type: AbiType) -> bool:
    return isinstance(abi_type, Elementary) and abi_type.kind in _TYPED


def _elementary(abi_type: AbiType, value: Value) -> str:
    """Return an argument whose encoding is that of the value."""
    assert isinstance(abi_type, Elementary)
    if isinstance(value, bytes):
        if abi_type.kind == KIND_BYTES_FIXED:
            return f"{abi_type.name}({bytes_literal(value)})"
        if abi_type.kind == KIND_STRING and _PLAIN_TEXT.fullmatch(value):
            return f'"{value.decode()}"'
        return f"bytes({bytes_literal(value)})"
    assert isinstance(value, int)
    if abi_type.kind == KIND_BOOL:
        return "true" if value else "false"
    return address_literal(value) if abi_type.kind == KIND_ADDRESS else str(value)
