"""The functions of an ABI, in the order in which everything else lists them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from eth_hash.auto import keccak

from echidna_mcp.abi.types import Tuple, parse_parameters, type_name

FunctionKind: TypeAlias = Literal["function", "fallback", "receive"]
Mutability: TypeAlias = Literal["pure", "view", "nonpayable", "payable"]

_MUTABILITIES: tuple[Mutability, ...] = ("pure", "view", "nonpayable", "payable")

_ABI_TYPE = re.compile(
    r"((u?int|u?fixed|bytes)\d*|address|bool|string|function|tuple|decimal)\b[^ ]*\Z"
)
_RAW_DATA = ({"name": "data", "type": "bytes"},)


@dataclass(frozen=True, slots=True, kw_only=True)
class AbiFunction:
    """Something that a transaction can call.

    Attributes:
        name: name without types; `fallback` and `receive` for those two.
        inputs: parameters. The one parameter of `fallback` is the raw calldata.
        outputs: return values.
        mutability: Solidity's state mutability.
        selector: first four bytes of the calldata; empty for fallback and receive.
        signature: canonical text, `transfer(address,uint256)`; where several contracts
            are called it is qualified, `Token.transfer(address,uint256)`.
        kind: what it is; only a `function` has a selector.
        contract: name of the contract that is called; empty if that is unknown.
        qualifier: what stands before the name where several contracts are called: which
            of them it is (`Token`, `Token@0x…`); else empty.
    """

    name: str
    inputs: Tuple
    outputs: Tuple
    mutability: Mutability
    selector: bytes
    signature: str
    kind: FunctionKind = "function"
    contract: str = ""
    qualifier: str = ""

    @property
    def full_name(self) -> str:
        """The name, qualified where several contracts are called."""
        return f"{self.qualifier}.{self.name}" if self.qualifier else self.name

    @property
    def plain_signature(self) -> str:
        """The signature without a qualifier."""
        return self.signature[len(self.full_name) - len(self.name) :]

    def of(self, contract: str, qualifier: str = "") -> AbiFunction:
        """Return the same function as one of a contract; see the attributes."""
        prefix = f"{qualifier}." if qualifier else ""
        return replace(
            self,
            contract=contract,
            qualifier=qualifier,
            signature=prefix + self.plain_signature,
        )

    @property
    def payable(self) -> bool:
        """Whether a call may carry value."""
        return self.mutability == "payable"

    @property
    def read_only(self) -> bool:
        """Whether the ABI promises that a call changes nothing."""
        return self.mutability in ("pure", "view")


def signature_of(name: str, inputs: Tuple) -> str:
    """Return the canonical signature, `f((uint256,address)[],bool)`."""
    return name + type_name(inputs)


def selector_of(signature: str) -> bytes:
    """Return the first four bytes of the Keccak-256 hash of a canonical signature."""
    return keccak(signature.encode())[:4]


def functions_of(abi: Iterable[Mapping[str, Any]]) -> tuple[AbiFunction, ...]:
    """Return the functions of a JSON ABI in selector order.

    Fallback and receive follow at the end, in this order. Functions of libraries that
    take library types (storage pointers, enums by name) have no calldata encoding and
    are left out.

    Raises:
        TargetError: the ABI names a type that does not exist.
    """
    found: dict[bytes, AbiFunction] = {}
    special: dict[str, AbiFunction] = {}
    for entry in abi:
        kind = entry.get("type", "function")
        if kind == "function" and _is_callable(entry):
            function = _function(entry)
            found.setdefault(function.selector, function)
        elif kind in ("fallback", "receive"):
            special[kind] = _special(kind, entry)
    ordered = [found[selector] for selector in sorted(found)]
    ordered += [special[kind] for kind in ("fallback", "receive") if kind in special]
    return tuple(ordered)


def raw_fallback() -> AbiFunction:
    """Return the function that stands for calls of a contract that lists none."""
    return _special("fallback", {})


def constructor_of(abi: Iterable[Mapping[str, Any]]) -> AbiFunction:
    """Return the constructor, as a function without a selector.

    One that an ABI does not list takes nothing.

    Raises:
        TargetError: the ABI names a type that does not exist.
    """
    entries = [entry for entry in abi if entry.get("type") == "constructor"]
    entry = entries[0] if entries else {}
    inputs = parse_parameters(entry.get("inputs", ()))
    return AbiFunction(
        name="constructor",
        inputs=inputs,
        outputs=parse_parameters(()),
        mutability=_mutability(entry),
        selector=b"",
        signature=signature_of("constructor", inputs),
    )


def _function(entry: Mapping[str, Any]) -> AbiFunction:
    name = str(entry["name"])
    inputs = parse_parameters(entry.get("inputs", ()))
    signature = signature_of(name, inputs)
    return AbiFunction(
        name=name,
        inputs=inputs,
        outputs=parse_parameters(entry.get("outputs", ())),
        mutability=_mutability(entry),
        selector=selector_of(signature),
        signature=signature,
    )


def _special(
    kind: Literal["fallback", "receive"], entry: Mapping[str, Any]
) -> AbiFunction:
    return AbiFunction(
        name=kind,
        inputs=parse_parameters(_RAW_DATA if kind == "fallback" else ()),
        outputs=parse_parameters(()),
        mutability=_mutability(entry),
        selector=b"",
        signature=f"{kind}()",
        kind=kind,
    )


def _mutability(entry: Mapping[str, Any]) -> Mutability:
    stated = entry.get("stateMutability")
    for mutability in _MUTABILITIES:
        if stated == mutability:
            return mutability
    # Compilers before Solidity 0.4.16 print two booleans instead.
    if entry.get("payable"):
        return "payable"
    return "view" if entry.get("constant") else "nonpayable"


def _is_callable(entry: Mapping[str, Any]) -> bool:
    return all(
        _ABI_TYPE.match(str(parameter["type"]))
        for direction in ("inputs", "outputs")
        for parameter in entry.get(direction, ())
    )
