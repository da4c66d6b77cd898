"""ABI types, and their compilation to the flat type program of `abi.type_program`.

Source: Solidity ABI specification v2. A parameter of the JSON ABI becomes an `AbiType`
tree; `compile_types` flattens trees so that fuzzing code never follows objects.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from echidna_mcp.abi.type_program import (
    KIND_ADDRESS,
    KIND_ARRAY,
    KIND_ARRAY_FIXED,
    KIND_BOOL,
    KIND_BYTES,
    KIND_BYTES_FIXED,
    KIND_FUNCTION,
    KIND_INT,
    KIND_STRING,
    KIND_TUPLE,
    KIND_UINT,
    NODE_HEAD,
    NODE_NEXT,
    NODE_WORDS,
)
from echidna_mcp.errors import TargetError
from echidna_mcp.kernel.language.memory import Words, words


@dataclass(frozen=True, slots=True)
class Elementary:
    """A type without parts: `kind` is a `KIND_*`, `size` its bits, bytes or 0."""

    kind: int
    size: int
    name: str


@dataclass(frozen=True, slots=True)
class Array:
    """`T[]` if `length` is None, else `T[length]`."""

    element: AbiType
    length: int | None


@dataclass(frozen=True, slots=True)
class Tuple:
    """A struct, or the parameters of a function. `names` may be empty strings."""

    members: tuple[AbiType, ...]
    names: tuple[str, ...]


AbiType = Elementary | Array | Tuple

_NUMBERED = re.compile(r"(uint|int|bytes)(\d+)\Z")
_ARRAY = re.compile(r"(.*)\[(\d*)\]\Z", re.DOTALL)
_LONGEST_NAME = 256
_MOST_DEPTH = 64
_MOST_STRUCTS = 10  # More than contracts have; the codec would take them all.
_PLAIN = {
    "address": Elementary(KIND_ADDRESS, 160, "address"),
    "bool": Elementary(KIND_BOOL, 8, "bool"),
    "bytes": Elementary(KIND_BYTES, 0, "bytes"),
    "string": Elementary(KIND_STRING, 0, "string"),
    "function": Elementary(KIND_FUNCTION, 24, "function"),
    "uint": Elementary(KIND_UINT, 256, "uint256"),
    "int": Elementary(KIND_INT, 256, "int256"),
}


def parse_parameter(
    parameter: Mapping[str, Any], depth: int = 0, structs: int = 0
) -> AbiType:
    """Return the type of one entry of `inputs` or `outputs` in a JSON ABI.

    Args:
        depth: how many arrays and structs it is in.
        structs: how many of these are structs.

    Raises:
        TargetError: the ABI names a type that does not exist, or one that has more
            parts in one another than any contract has.
    """
    name = str(parameter["type"])
    if len(name) > _LONGEST_NAME:
        raise TargetError(f"The ABI names a type of {len(name)} characters.")
    return _parse(name, parameter.get("components", ()), depth, structs)


def parse_parameters(
    parameters: Sequence[Mapping[str, Any]], depth: int = 0, structs: int = 0
) -> Tuple:
    """Return the types of a parameter list, in so many others, as one tuple."""
    return Tuple(
        tuple(parse_parameter(p, depth, structs) for p in parameters),
        tuple(str(p.get("name", "")) for p in parameters),
    )


def parse_tuple(text: str) -> Tuple:
    """Return the types of a list in parentheses, as `type_name` writes it.

    Raises:
        TargetError: it names a type that does not exist.
    """
    members = tuple(map(_parse_written, _split_list(text)))
    return Tuple(members, ("",) * len(members))


def _parse_written(text: str) -> AbiType:
    if array := _ARRAY.match(text):
        element, length = array.groups()
        return Array(_parse_written(element), int(length) if length else None)
    return parse_tuple(text) if text.startswith("(") else _parse(text, (), 0, 0)


def _split_list(text: str) -> list[str]:
    """Return what stands between the outermost commas."""
    parts, depth, start = [], 0, 1
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if (character == "," and depth == 1) or not depth:
            parts.append(text[start:at])
            start = at + 1
    return [part for part in parts if part]


def _parse(
    name: str, components: Sequence[Mapping[str, Any]], depth: int, structs: int
) -> AbiType:
    if depth > _MOST_DEPTH:
        raise TargetError(
            f"The ABI uses more than {_MOST_DEPTH} arrays and structs in one another."
        )
    if array := _ARRAY.match(name):
        element, length = array.groups()
        return Array(
            _parse(element, components, depth + 1, structs),
            int(length) if length else None,
        )
    if name == "tuple":
        if structs == _MOST_STRUCTS:
            raise TargetError(
                f"The ABI uses more than {_MOST_STRUCTS} structs in one another."
            )
        return parse_parameters(components, depth + 1, structs + 1)
    if plain := _PLAIN.get(name):
        return plain
    if numbered := _NUMBERED.match(name):
        return _parse_numbered(numbered[1], int(numbered[2]), name)
    if name == "decimal":  # Vyper's fixed-point number travels as int168 in the ABI.
        return Elementary(KIND_INT, 168, "int168")
    raise TargetError(f"The ABI uses the type {name!r}, which is not an ABI type.")


def _parse_numbered(base: str, size: int, name: str) -> Elementary:
    if base == "bytes" and 1 <= size <= 32:
        return Elementary(KIND_BYTES_FIXED, size, name)
    if base != "bytes" and size % 8 == 0 and 8 <= size <= 256:
        return Elementary(KIND_UINT if base == "uint" else KIND_INT, size, name)
    raise TargetError(f"The ABI uses the type {name!r}, which is not an ABI type.")


def type_name(abi_type: AbiType) -> str:
    """Return the canonical name, as used in signatures: `(uint256,address[])[2]`."""
    match abi_type:
        case Elementary(name=name):
            return name
        case Array(element=element, length=length):
            return f"{type_name(element)}[{'' if length is None else length}]"
        case Tuple(members=members):
            return f"({','.join(type_name(m) for m in members)})"
        case _:
            assert_never(abi_type)


def bounds(abi_type: Elementary) -> tuple[int, int]:
    """Return the least and the greatest integer of a type, by its size in bits."""
    if abi_type.kind == KIND_INT:
        return -(1 << abi_type.size - 1), (1 << abi_type.size - 1) - 1
    return 0, (1 << abi_type.size) - 1


def compile_types(types: Sequence[AbiType]) -> tuple[Words, tuple[int, ...]]:
    """Return a type program and the node index of each of `types` in it."""
    program: list[int] = []
    nodes = tuple(_emit(abi_type, program) for abi_type in types)
    return words(program), nodes


def _emit(abi_type: AbiType, program: list[int]) -> int:
    node = len(program)
    program.extend([0] * NODE_WORDS)
    match abi_type:
        case Elementary(kind=kind, size=size):
            arg = size
            head = 0 if kind in (KIND_BYTES, KIND_STRING) else 32
        case Array(element=element, length=length):
            child = _emit(element, program)
            kind = KIND_ARRAY if length is None else KIND_ARRAY_FIXED
            arg = length or 0
            head = arg * program[child + NODE_HEAD]
        case Tuple(members=members):
            children = [_emit(member, program) for member in members]
            kind, arg = KIND_TUPLE, len(members)
            heads = [program[child + NODE_HEAD] for child in children]
            head = sum(heads) if all(heads) else 0
        case _:
            assert_never(abi_type)
    program[node : node + NODE_WORDS] = [kind, arg, 0, head]
    program[node + NODE_NEXT] = len(program)
    return node


def is_of_fixed_size(abi_type: AbiType) -> bool:
    """Whether the ABI encodes a type in place, without an offset."""
    program, (node,) = compile_types([abi_type])
    return is_static(program, node)


def is_static(program: Words, node: int) -> bool:
    """Whether the ABI encodes the type at `node` in place, without an offset."""
    return program[node + NODE_HEAD] != 0
