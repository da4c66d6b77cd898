"""Types of structs as text, and hashes of structs (EIP-712).

Source: EIP-712; alloy, `crates/dyn-abi/src/eip712`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from eth_hash.auto import keccak

from echidna_mcp.abi.type_program import KIND_BYTES, KIND_STRING
from echidna_mcp.abi.types import (
    AbiType,
    Array,
    Elementary,
    Tuple,
    parse_tuple,
)
from echidna_mcp.cheatcodes.errors import CheatError
from echidna_mcp.cheatcodes.handlers.formats.json_abi import Structs, encoded, typed
from echidna_mcp.cheatcodes.handlers.formats.text import quoted
from echidna_mcp.errors import TargetError

_STRUCT: Final = re.compile(r"\s*([A-Za-z_$][\w$]*)\s*\(([^()]*)\)", re.ASCII)
_FIELD: Final = re.compile(r"\s*(\S+)\s+([A-Za-z_$][\w$]*)\s*", re.ASCII)
_SUFFIX: Final = re.compile(r"(.*)\[(\d*)\]", re.ASCII)
_LONGEST: Final = 9
"""Digits of the length of an array."""
_DEEPEST: Final = 32
_DOMAIN: Final = (
    ("name", "string"),
    ("version", "string"),
    ("chainId", "uint256"),
    ("verifyingContract", "address"),
    ("salt", "bytes32"),
)

Fields = tuple[tuple[str, str], ...]
"""Names and types of the members of a struct."""


class StructTypes:
    """Structs that refer to each other.

    Attributes:
        structs: members by name.
    """

    def __init__(self, structs: Mapping[str, Fields]) -> None:
        self.structs = structs

    @classmethod
    def read(cls, text: str) -> StructTypes:
        """Return the structs of `Name(type name,…)Other(…)`.

        Raises:
            CheatError: the text is not of that form.
        """
        structs: dict[str, Fields] = {}
        at = 0
        while found := _STRUCT.match(text, at):
            structs[found[1]] = _fields(found[2])
            at = found.end()
        if not structs or text[at:].strip():
            raise CheatError(
                "type description should be a valid Solidity type or a EIP712 "
                "`encodeType` string"
            )
        return cls(structs)

    def main(self) -> str:
        """Return the struct that no other one has as a member.

        Raises:
            CheatError: there are several or none.
        """
        used = {other for name in self.structs for other in self._members_of(name)}
        found = [name for name in self.structs if name not in used]
        if len(found) != 1:
            raise CheatError("the type description has no single main type")
        return found[0]

    def encode_type(self, name: str) -> str:
        """Return the canonical text: the struct, then those it needs, sorted.

        Raises:
            CheatError: one of them is missing.
        """
        needed: dict[str, None] = {}
        self._need(name, needed)
        names = [name, *sorted(each for each in needed if each != name)]
        return "".join(f"{each}({self._written(each)})" for each in names)

    def abi_type(self, name: str, depth: int = 0) -> AbiType:
        """Return a type by its name, be it a struct, an array or any other.

        Raises:
            CheatError: there is none of the name, or structs have no end.
        """
        if depth > _DEEPEST:
            raise CheatError("the type description has structs in one another, no end")
        if array := _SUFFIX.fullmatch(name):
            length = int(array[2][:_LONGEST]) if array[2] else None
            return Array(self.abi_type(array[1], depth + 1), length)
        if name not in self.structs:
            return _plain(name)
        fields = self.structs[name]
        return Tuple(
            tuple(self.abi_type(kind, depth + 1) for _, kind in fields),
            tuple(field for field, _ in fields),
        )

    def hash_struct(self, name: str, value: Any) -> bytes:
        """Return the hash of a struct whose members are values of the ABI."""
        parts = [
            self._hash_member(kind, each)
            for (_, kind), each in zip(self.structs[name], value, strict=True)
        ]
        return keccak(keccak(self.encode_type(name).encode()) + b"".join(parts))

    def _hash_member(self, kind: str, value: Any) -> bytes:
        if array := _SUFFIX.fullmatch(kind):
            return keccak(b"".join(self._hash_member(array[1], e) for e in value))
        if kind in self.structs:
            return self.hash_struct(kind, value)
        abi_type = _plain(kind)
        if abi_type.kind in (KIND_BYTES, KIND_STRING):
            return keccak(value)
        return encoded(value, abi_type)

    def _need(self, name: str, needed: dict[str, None]) -> None:
        needed[name] = None
        for other in self._members_of(name):
            if other not in needed:
                self._need(other, needed)

    def _members_of(self, name: str) -> list[str]:
        """Return the structs among the types of the members of a struct.

        Raises:
            CheatError: a type is missing.
        """
        found = []
        for _, kind in self.structs[name]:
            base = kind.partition("[")[0]
            if base in self.structs:
                found.append(base)
            else:
                _plain(base)
        return found

    def _written(self, name: str) -> str:
        return ",".join(f"{kind} {field}" for field, kind in self.structs[name])


def resolve(text: str, structs: Structs) -> AbiType:
    """Return the type that a description names: `uint256[]`, or `Name(type name,…)`.

    Members of structs that the project has come in the order of their definition.

    Raises:
        CheatError: it names none.
    """
    plain = _plain_or_none(text)
    if plain is not None:
        return plain
    types = StructTypes.read(text)
    main = next(iter(types.structs))
    known = dict(structs)
    return StructTypes(
        {
            name: _ordered(name, fields, known.get(name))
            for name, fields in types.structs.items()
        }
    ).abi_type(main)


def signing_hash(document: Any) -> bytes:
    """Return the hash of typed data that a wallet signs (`eth_signTypedData_v4`).

    Args:
        document: of JSON, with `types`, `primaryType`, `domain` and `message`.

    Raises:
        CheatError: it has not these, or they do not fit each other.
    """
    try:
        types = StructTypes(
            {
                name: tuple((field["name"], field["type"]) for field in fields)
                for name, fields in document["types"].items()
            }
        )
        domain, message = document["domain"], document["message"]
        primary = document["primaryType"]
    except (AttributeError, KeyError, TypeError):
        raise CheatError("invalid typed data") from None
    separator = _hash_object(_domain_types(domain), "EIP712Domain", domain)
    if primary == "EIP712Domain":
        return keccak(b"\x19\x01" + separator)
    return keccak(b"\x19\x01" + separator + _hash_object(types, primary, message))


def _hash_object(types: StructTypes, name: Any, value: Any) -> bytes:
    if name not in types.structs:
        raise CheatError(f"missing type in type resolution: {name}")
    members = typed(value, types.abi_type(name))
    return types.hash_struct(name, members)


def _domain_types(domain: Any) -> StructTypes:
    present = domain if isinstance(domain, dict) else {}
    fields = tuple(each for each in _DOMAIN if present.get(each[0]) is not None)
    return StructTypes({"EIP712Domain": fields})


def _fields(text: str) -> Fields:
    fields = []
    for part in text.strip().removesuffix(",").split(",") if text.strip() else ():
        found = _FIELD.fullmatch(part)
        if found is None:
            raise CheatError(f"invalid member of a struct: {quoted(part)}")
        fields.append((found[2], found[1]))
    return tuple(fields)


def _ordered(name: str, fields: Fields, order: tuple[str, ...] | None) -> Fields:
    if order is None:
        return fields
    kinds = dict(fields)
    for field in order:
        if field not in kinds:
            raise CheatError(
                "mismatch between struct definition and type description: field "
                f"'{field}' not found in provided type for struct '{name}'"
            )
    return tuple((field, kinds[field]) for field in order)


def _plain(name: str) -> Elementary:
    found = _plain_or_none(name)
    if not isinstance(found, Elementary):
        raise CheatError(f"missing type in type resolution: {name}")
    return found


def _plain_or_none(text: str) -> AbiType | None:
    if text.count("(") > _DEEPEST or text.count("[") > _DEEPEST:
        return None
    try:
        found = parse_tuple(f"({text.strip()})").members
    except (TargetError, ValueError, IndexError):
        return None
    return found[0] if len(found) == 1 else None
