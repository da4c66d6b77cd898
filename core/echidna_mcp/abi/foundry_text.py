"""Values as Foundry writes them."""

from __future__ import annotations

from typing import Any

from eth_hash.auto import keccak

_MOST_DECIMALS = 77
"""Those that a word has."""


def hex_text(data: bytes) -> str:
    """Return bytes in hexadecimal."""
    return f"0x{data.hex()}"


def address_text(address: int) -> str:
    """Return an address with its checksum (EIP-55)."""
    digits = f"{address:040x}"
    marks = keccak(digits.encode()).hex()
    return "0x" + "".join(
        digit.upper() if mark >= "8" else digit
        for digit, mark in zip(digits, marks, strict=False)
    )


def shown(value: Any, kind: str) -> str:
    """Return a value of a type, as messages of assertions have it."""
    if kind.endswith("[]"):
        return f"[{', '.join(shown(each, kind[:-2]) for each in value)}]"
    match kind:
        case "bool":
            return "true" if value else "false"
        case "address":
            return address_text(value)
        case "string":
            return bytes(value).decode("utf-8", "replace")
        case "bytes" | "bytes32":
            return hex_text(value)
        case _:
            return str(value)


def decimal_text(value: int, decimals: int) -> str:
    """Return a number of so many decimal places, one at least."""
    sign, digits = "-" if value < 0 else "", str(abs(value))
    if decimals > _MOST_DECIMALS:
        return sign + digits
    if decimals == 0:
        return f"{sign}{digits}.0"
    digits = digits.rjust(decimals + 1, "0")
    return f"{sign}{digits[:-decimals]}.{digits[-decimals:]}"
