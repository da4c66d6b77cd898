"""Why a call failed, as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from echidna_mcp.abi.encoding import decode_arguments
from echidna_mcp.abi.function import selector_of, signature_of
from echidna_mcp.abi.render import Naming, render_address, render_list
from echidna_mcp.abi.types import Tuple, parse_parameters
from echidna_mcp.errors import InvalidInputError

PANIC_SELECTOR = bytes.fromhex("4e487b71")
"""`Panic(uint256)`: a check that the compiler inserted, or `assert`."""


def panic(code: int) -> bytes:
    """Return the revert data of a panic."""
    return PANIC_SELECTOR + code.to_bytes(32, "big")


PANIC_ASSERT = panic(0x01)
"""Revert data of an `assert` that failed."""
PANIC_OVERFLOW = panic(0x11)
"""Revert data of arithmetic whose result does not fit its type."""
MAX_REASON = 2048
"""Characters of a reason; longer ones are cut, since reasons are stored in events."""

# Source: Solidity documentation, "Panic via assert and Error via require".
_PANICS = {
    0x00: "compiler panic",
    0x01: "assertion failed",
    0x11: "arithmetic overflow or underflow",
    0x12: "division or modulo by zero",
    0x21: "value is not in the enum",
    0x22: "incorrectly encoded storage byte array",
    0x31: "pop from an empty array",
    0x32: "array index out of bounds",
    0x41: "too much memory or array too large",
    0x51: "call of an uninitialized internal function",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AbiError:
    """A custom error of an ABI; `selector` is the first four bytes of revert data."""

    name: str
    inputs: Tuple
    selector: bytes
    signature: str


def errors_of(abi: Iterable[Mapping[str, Any]]) -> tuple[AbiError, ...]:
    """Return the custom errors of a JSON ABI in selector order.

    Raises:
        TargetError: the ABI names a type that does not exist.
    """
    found = []
    for entry in abi:
        if entry.get("type") == "error":
            inputs = parse_parameters(entry.get("inputs", ()))
            signature = signature_of(str(entry["name"]), inputs)
            found.append(
                AbiError(
                    name=str(entry["name"]),
                    inputs=inputs,
                    selector=selector_of(signature),
                    signature=signature,
                )
            )
    return tuple(sorted(found, key=lambda error: error.selector))


def revert_reason(
    output: bytes, errors: Sequence[AbiError], naming: Naming = render_address
) -> str | None:
    """Return revert data as text, or None if there is none.

    `Error("message")`, the same of a cheatcode, `Panic(0x11): arithmetic overflow or
    underflow`, a custom error as `Name(arg, arg)`, else the data as hex.

    Args:
        output: the data.
        errors: custom ones that may be meant.
        naming: what is written for addresses.
    """
    if not output:
        return None
    text = _decoded(output, errors, naming) or "0x" + output.hex()
    return text if len(text) <= MAX_REASON else text[:MAX_REASON] + "…"


def _decoded(output: bytes, errors: Sequence[AbiError], naming: Naming) -> str | None:
    selector, data = output[:4], output[4:]
    if selector == PANIC_SELECTOR and len(data) == 32:
        return _panic(int.from_bytes(data, "big"))
    for error in (*_BUILTIN, *errors):
        if error.selector == selector:
            try:
                # Hand-written assembly often leaves out the padding of the last word.
                padded = data + bytes(-len(data) % 32)
                values = decode_arguments(error.inputs, padded)
            except InvalidInputError:
                continue
            return f"{error.name}({render_list(error.inputs, values, naming)})"
    return None


_BUILTIN = tuple(
    AbiError(
        name=name,
        inputs=parse_parameters([{"type": "string"}]),
        selector=selector_of(f"{name}(string)"),
        signature=f"{name}(string)",
    )
    for name in ("Error", "CheatcodeError")
)


def _panic(code: int) -> str:
    name = _PANICS.get(code, "unknown code")
    return f"Panic(0x{code:02x}): {name}"
