"""Literals to values of types without parts: numbers, addresses, bytes, casts."""

from __future__ import annotations

import re
from fractions import Fraction

from echidna_mcp.abi.lexer import Problem
from echidna_mcp.abi.nodes import (
    BoundNode,
    CastNode,
    HexNode,
    HoleNode,
    ListNode,
    NameNode,
    Node,
    NumberNode,
    StringNode,
)
from echidna_mcp.abi.type_program import (
    KIND_ADDRESS,
    KIND_BOOL,
    KIND_BYTES,
    KIND_BYTES_FIXED,
    KIND_FUNCTION,
    KIND_INT,
    KIND_STRING,
    KIND_UINT,
)
from echidna_mcp.abi.types import (
    AbiType,
    Elementary,
    bounds,
    parse_parameter,
    type_name,
)
from echidna_mcp.errors import TargetError

_HEX = re.compile(r"0x([0-9a-fA-F]*)\Z")
_HEX_NUMBER = re.compile(r"0x[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*\Z")
_DECIMAL = re.compile(
    r"(?P<whole>[0-9]+(?:_[0-9]+)*)?(?:\.(?P<part>[0-9]+(?:_[0-9]+)*))?"
    r"(?:[eE](?P<exponent>[-+]?[0-9]+))?\Z"
)
_MAX_DIGITS = 200
"""More than any 256-bit number needs; keeps arithmetic on hostile text small."""

_WANTED = {
    KIND_UINT: "write a number",
    KIND_INT: "write a number",
    KIND_ADDRESS: "write 0x and 40 hex digits",
    KIND_BOOL: "write true or false",
    KIND_FUNCTION: "write 0x and 48 hex digits, an address and a selector",
    KIND_BYTES: "write 0x and two hex digits for each byte",
    KIND_STRING: 'write a string in quotes, "…"',
}


def literal(node: Node, abi_type: Elementary, *, natural: bool = False) -> int | bytes:
    """Return the value of an elementary type that `node` writes.

    Raises:
        Problem: it writes none.
    """
    node = ungrouped(node)
    if isinstance(node, CastNode):
        return _cast(node, abi_type)
    return _plain(node, abi_type, natural=natural)


def elementary_type(name: str) -> Elementary | None:
    """Return the type called `name`, or None if that is no elementary type."""
    try:
        found = parse_parameter({"type": "address" if name == "payable" else name})
    except (TargetError, ValueError):  # ValueError: digits beyond what int() reads
        return None
    return found if isinstance(found, Elementary) else None


def ungrouped(node: Node) -> Node:
    """Return what stands in round brackets around a single value."""
    while isinstance(node, ListNode) and node.round and len(node.items) == 1:
        node = node.items[0]
    return node


def _plain(node: Node, abi_type: Elementary, *, natural: bool) -> int | bytes:
    match abi_type.kind:
        case k if k in (KIND_UINT, KIND_INT):
            if not (natural and _is_address(node)):
                return _integer(node, abi_type)
        case k if k == KIND_ADDRESS:
            return _address(node, abi_type, natural=natural)
        case k if k == KIND_BOOL:
            if isinstance(node, NameNode) and node.text in ("true", "false"):
                return node.text == "true"
        case k if k == KIND_STRING:
            if isinstance(node, StringNode):
                return node.data
            if isinstance(node, HexNode) and not natural:
                return node.data
        case _:
            return _bytes(node, abi_type, natural=natural)
    raise mismatch(node, abi_type, _WANTED[abi_type.kind])


def _integer(node: Node, abi_type: Elementary) -> int:
    value: Fraction | int | None = None
    if isinstance(node, BoundNode):
        bounded = elementary_type(node.type_name)
        if bounded is None or bounded.kind not in (KIND_INT, KIND_UINT):
            raise Problem(
                f"{node.shown} asks for the bounds of `{node.type_name[:32]}`, which "
                "is no integer type",
                node.position,
                expected=abi_type.name,
            )
        value = bounds(bounded)[node.maximum]
    elif isinstance(node, NumberNode):
        value = _number(node, abi_type)
    if value is None:
        raise mismatch(node, abi_type, _WANTED[abi_type.kind])
    if value.denominator != 1:
        raise Problem(
            f"{node.shown} is not a whole number", node.position, expected=abi_type.name
        )
    return _in_range(node, int(value), abi_type)


def _in_range(node: Node, value: int, abi_type: Elementary) -> int:
    low, high = bounds(abi_type)
    if not low <= value <= high:
        raise _out_of_range(node, abi_type)
    return value


def _number(node: NumberNode, abi_type: Elementary) -> Fraction | int | None:
    """Return the exact value, or None if the word is no number."""
    sign = -node.unit if node.negative else node.unit
    if _HEX_NUMBER.match(node.word):
        return sign * int(node.word.replace("_", ""), 16)
    decimal = _DECIMAL.match(node.word)
    if decimal is None:
        return None
    whole = (decimal["whole"] or "").replace("_", "").lstrip("0")
    part = (decimal["part"] or "").replace("_", "").rstrip("0")
    digits = (decimal["exponent"] or "0").lstrip("+-").lstrip("0") or "0"
    if not (whole or part):
        return 0
    if len(whole) > _MAX_DIGITS or len(part) > _MAX_DIGITS or len(digits) > 3:
        raise _out_of_range(node, abi_type)
    exponent = int(digits)
    if (decimal["exponent"] or "").startswith("-"):
        exponent = -exponent
    mantissa = int(whole + part)
    return sign * mantissa * Fraction(10) ** (exponent - len(part))


def _is_address(node: Node) -> bool:
    """Whether Solidity would take the literal for an address and for nothing else."""
    digits = _HEX.match(node.word) if isinstance(node, NumberNode) else None
    return digits is not None and len(digits[1]) == 40


def _address(node: Node, abi_type: Elementary, *, natural: bool) -> int:
    if isinstance(node, NumberNode) and not node.negative and node.text == node.word:
        digits = _HEX.match(node.word)
        shortest = 40 if natural else 1
        if digits and shortest <= len(digits[1]) <= 40:
            return int(digits[1], 16)
    raise mismatch(node, abi_type, _WANTED[KIND_ADDRESS])


def _bytes(node: Node, abi_type: Elementary, *, natural: bool) -> bytes:
    size = abi_type.size if abi_type.kind != KIND_BYTES else None
    wanted = (
        f"write 0x and {2 * abi_type.size} hex digits"
        if abi_type.kind == KIND_BYTES_FIXED
        else _WANTED[abi_type.kind]
    )
    data: bytes | None = None
    if isinstance(node, HexNode):
        data = node.data
    elif isinstance(node, NumberNode) and node.text == node.word:
        digits = _HEX.match(node.word)
        if digits and len(digits[1]) % 2 == 0:
            data = bytes.fromhex(digits[1])
    elif isinstance(node, StringNode) and not natural:
        data = node.data
        if abi_type.kind == KIND_BYTES_FIXED:
            # Solidity pads a string literal on the right, and nothing else.
            data = data.ljust(abi_type.size, b"\0")
    if data is None or (size is not None and len(data) != size):
        raise mismatch(node, abi_type, wanted)
    return data


def _cast(node: CastNode, abi_type: Elementary) -> int | bytes:
    """Return the value of `T(x)`, where T must be the type that is expected."""
    target = elementary_type(node.name)
    if target is None and abi_type.kind == KIND_ADDRESS:
        target = abi_type  # a contract type, `IERC20(0x…)`, is an address to the ABI
    if target != abi_type:
        raise Problem(
            f"{node.shown} is not of type {abi_type.name}",
            node.position,
            expected=abi_type.name,
        )
    if len(node.items) != 1:
        raise Problem(
            f"{node.shown} must have exactly one value in its brackets",
            node.position,
            expected=abi_type.name,
        )
    inner = ungrouped(node.items[0])
    number = _cast_number(inner, abi_type)
    if number is None:
        return literal(inner, abi_type)
    if abi_type.kind != KIND_BYTES_FIXED:
        return _in_range(inner, number, abi_type)
    if not 0 <= number < 1 << (8 * abi_type.size):
        raise _out_of_range(inner, abi_type)
    return number.to_bytes(abi_type.size, "big")


def _cast_number(inner: Node, abi_type: Elementary) -> int | None:
    """Return the integer inside `address(0)` or `bytes32(uint256(1))`, if it is one."""
    if abi_type.kind not in (KIND_ADDRESS, KIND_BYTES_FIXED, KIND_INT, KIND_UINT):
        return None
    if isinstance(inner, CastNode):
        source = elementary_type(inner.name)
        value = literal(inner, source) if source else None
        return value if isinstance(value, int) else None
    if abi_type.kind == KIND_BYTES_FIXED and isinstance(inner, NumberNode):
        digits = _HEX.match(inner.word)
        if digits and len(digits[1]) == 2 * abi_type.size:
            return None
    if isinstance(inner, (NumberNode, BoundNode)):
        wide = abi_type
        if abi_type.kind in (KIND_ADDRESS, KIND_BYTES_FIXED):
            wide = Elementary(KIND_UINT, 256, abi_type.name)
        return _integer(inner, wide)
    return None


def _out_of_range(node: Node, abi_type: Elementary) -> Problem:
    bits = abi_type.size * (8 if abi_type.kind == KIND_BYTES_FIXED else 1)
    span = f"0 to 2^{bits}-1"
    if abi_type.kind == KIND_INT:
        span = f"-2^{bits - 1} to 2^{bits - 1}-1"
    return Problem(
        f"{node.shown} is out of range for {abi_type.name}; write a number from {span}",
        node.position,
        expected=abi_type.name,
    )


def mismatch(node: Node, abi_type: AbiType, wanted: str) -> Problem:
    """Return the complaint that `node` does not write an `abi_type`."""
    name = type_name(abi_type)
    if isinstance(node, HoleNode):
        text = f"{node.shown} is only part of an argument; `?` stands for a whole one"
        return Problem(text, node.position, expected=name)
    article = "an" if name[0] in "aei" else "a"
    return Problem(
        f"{node.shown} is not {article} {name}; {wanted}", node.position, expected=name
    )
