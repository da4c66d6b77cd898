"""Values of ABI types as bytes and back.

Source: Solidity ABI specification v2, "Formal Specification of the Encoding". What may
be decoded is as in the strict mode of eth-abi: padding is checked, offsets lead forward
and into the data, what follows the encoding is ignored. Stored reasons and logs, and so
digests, depend on which data is refused; `tests/abi/test_abi_differential.py` compares.

Both directions take time in proportion to the values, and no more than a few frames of
Python's stack for each level of nesting.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any, assert_never

from echidna_mcp.abi.type_program import (
    KIND_BOOL,
    KIND_BYTES,
    KIND_BYTES_FIXED,
    KIND_FUNCTION,
    KIND_INT,
    KIND_STRING,
)
from echidna_mcp.abi.types import (
    AbiType,
    Array,
    Elementary,
    Tuple,
    bounds,
    type_name,
)
from echidna_mcp.abi.values import Value

_WORD = 32


class CodecError(Exception):
    """A value that does not fit its type, or data that encodes none."""


def encode(inputs: Tuple, values: Sequence[Value]) -> bytes:
    """Return the encoding of `values` as the members of `inputs`.

    Raises:
        CodecError: a value does not fit its type, or a type has no values.
    """
    _check_types(inputs.members)
    return _encode(inputs, values)


def decode(inputs: Tuple, data: bytes) -> tuple[Value, ...]:
    """Return the values of the members of `inputs` that `data` begins with.

    Raises:
        CodecError: it begins with none, or a type has no values.
    """
    _check_types(inputs.members)
    return _decode_struct(inputs, data, 0)


def _check_types(types: Iterable[AbiType]) -> None:
    """Refuse what takes no room: data of any size would hold any number of it."""
    for abi_type in types:
        match abi_type:
            case Array(length=0) | Tuple(members=()):
                raise CodecError(f"no value has the type {type_name(abi_type)}")
            case Array(element=element):
                _check_types((element,))
            case Tuple(members=members):
                _check_types(members)
            case Elementary():
                pass
            case _:
                assert_never(abi_type)


def _size(abi_type: AbiType) -> int | None:
    """Return the bytes of a type that is encoded in place, None if an offset is."""
    match abi_type:
        case Elementary(kind=kind):
            return None if kind in (KIND_BYTES, KIND_STRING) else _WORD
        case Array(element=element, length=length):
            size = _size(element)
            return None if size is None or length is None else length * size
        case Tuple(members=members):
            total = 0
            for member in members:
                size = _size(member)
                if size is None:
                    return None
                total += size
            return total
        case _:
            assert_never(abi_type)


def _encode(abi_type: AbiType, value: Any) -> bytes:
    match abi_type:
        case Elementary():
            return _encode_elementary(abi_type, value)
        case Array(element=element, length=length):
            items = _items(abi_type, value, length)
            types = repeat((element, _size(element)), len(items))
            count = _number_word(len(items)) if length is None else b""
            return count + _encode_parts(types, items)
        case Tuple(members=members):
            items = _items(abi_type, value, len(members))
            return _encode_parts(((each, _size(each)) for each in members), items)
        case _:
            assert_never(abi_type)


def _items(abi_type: AbiType, value: Any, length: int | None) -> Sequence[Any]:
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes, bytearray)):
        raise _misfit(abi_type, value)
    if length is not None and len(value) != length:
        raise CodecError(f"{type_name(abi_type)} has {length} parts, not {len(value)}")
    return value


def _encode_parts(
    types: Iterable[tuple[AbiType, int | None]], items: Sequence[Any]
) -> bytes:
    """Return heads and tails of values whose types have these sizes in place."""
    heads: list[bytes | None] = []
    tails: list[bytes] = []
    end_of_heads = 0
    for (abi_type, size), item in zip(types, items, strict=True):
        encoded = _encode(abi_type, item)
        if size is None:
            heads.append(None)
            tails.append(encoded)
        else:
            heads.append(encoded)
        end_of_heads += _WORD if size is None else size
    return b"".join([*_with_offsets(heads, tails, end_of_heads), *tails])


def _with_offsets(
    heads: Iterable[bytes | None], tails: Iterable[bytes], offset: int
) -> Iterable[bytes]:
    """Yield the heads; those that are None are offsets of the tails from `offset`."""
    remaining = iter(tails)
    for head in heads:
        if head is None:
            yield _number_word(offset)
            offset += len(next(remaining))
        else:
            yield head


def _encode_elementary(leaf: Elementary, value: Any) -> bytes:
    match leaf.kind:
        case k if k in (KIND_BYTES, KIND_STRING):
            data = _bytes(leaf, value)
            return _number_word(len(data)) + data + bytes(-len(data) % _WORD)
        case k if k in (KIND_BYTES_FIXED, KIND_FUNCTION):
            data = _bytes(leaf, value)
            if len(data) > leaf.size:
                raise CodecError(f"{len(data)} bytes are too many for {leaf.name}")
            return data.ljust(_WORD, b"\0")
        case k if k == KIND_BOOL:
            if not isinstance(value, bool):
                raise _misfit(leaf, value)
            return _number_word(value)
        case _:
            return _encode_integer(leaf, value)


def _encode_integer(leaf: Elementary, value: Any) -> bytes:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _misfit(leaf, value)
    least, greatest = bounds(leaf)
    if not least <= value <= greatest:
        raise CodecError(f"{leaf.name} is from {least} to {greatest}")
    return value.to_bytes(_WORD, "big", signed=leaf.kind == KIND_INT)


def _bytes(leaf: Elementary, value: Any) -> bytes:
    if not isinstance(value, (bytes, bytearray)):
        raise _misfit(leaf, value)
    return bytes(value)


def _number_word(number: int) -> bytes:
    return number.to_bytes(_WORD, "big")


def _misfit(abi_type: AbiType, value: Any) -> CodecError:
    # The value itself may be of any size, and an integer too long for text.
    return CodecError(f"a Python {type(value).__name__} is no {type_name(abi_type)}")


def _decode(abi_type: AbiType, data: bytes, at: int) -> Value:
    match abi_type:
        case Elementary(kind=kind):
            if kind in (KIND_BYTES, KIND_STRING):
                return _decode_bytes(data, at)
            return _decode_word(abi_type, data, at)
        case Array():
            return _decode_array(abi_type, data, at)
        case Tuple():
            return _decode_struct(abi_type, data, at)
        case _:
            assert_never(abi_type)


def _decode_array(array: Array, data: bytes, at: int) -> tuple[Value, ...]:
    length = array.length
    if length is None:
        length = _number(data, at)
        at += _WORD
    size = _size(array.element)
    # Before anything is made of the length: it may be any number.
    if length * (_WORD if size is None else size) > len(data) - at:
        raise CodecError(f"it ends within the array at byte {at}")
    types = repeat((array.element, size), length)
    return _decode_parts(types, length * _WORD, data, at)


def _decode_struct(struct: Tuple, data: bytes, at: int) -> tuple[Value, ...]:
    types = [(member, _size(member)) for member in struct.members]
    least = _WORD * sum(_counted(member, size) for member, size in types)
    return _decode_parts(types, least, data, at)


def _counted(member: AbiType, size: int | None) -> int:
    """Return the words that eth-abi takes a member of a struct for.

    A fixed array in place counts as its elements, all else as one word: an offset may
    lead into the head of a struct that has larger ones.
    """
    if isinstance(member, Array) and member.length is not None and size is not None:
        return member.length
    return 1


def _decode_parts(
    types: Iterable[tuple[AbiType, int | None]], least: int, data: bytes, frame: int
) -> tuple[Value, ...]:
    """Return values whose heads begin at `frame`, from where offsets count.

    An offset is at least `least`.
    """
    values: list[Value] = []
    at = frame
    for abi_type, size in types:
        if size is None:
            offset = _number(data, at)
            if offset < least or frame + offset >= len(data):
                raise CodecError(f"the offset at byte {at} leads out of the data")
            values.append(_decode(abi_type, data, frame + offset))
            at += _WORD
        else:
            values.append(_decode(abi_type, data, at))
            at += size
    return tuple(values)


def _decode_bytes(data: bytes, at: int) -> bytes:
    length = _number(data, at)
    begin = at + _WORD
    end = begin + length
    padding = -length % _WORD
    if end + padding > len(data):
        raise CodecError(f"it ends within the bytes at byte {begin}")
    if any(data[end : end + padding]):
        raise CodecError(f"the bytes at byte {begin} are not padded with zeros")
    return data[begin:end]


def _decode_word(leaf: Elementary, data: bytes, at: int) -> int | bytes:
    word = _word(data, at)
    if leaf.kind in (KIND_BYTES_FIXED, KIND_FUNCTION):
        if any(word[leaf.size :]):
            raise CodecError(f"no {leaf.name} is at byte {at}")
        return word[: leaf.size]
    number = int.from_bytes(word, "big", signed=leaf.kind == KIND_INT)
    least, greatest = (0, 1) if leaf.kind == KIND_BOOL else bounds(leaf)
    if not least <= number <= greatest:
        raise CodecError(f"no {leaf.name} is at byte {at}")
    return number == 1 if leaf.kind == KIND_BOOL else number


def _number(data: bytes, at: int) -> int:
    return int.from_bytes(_word(data, at), "big")


def _word(data: bytes, at: int) -> bytes:
    word = data[at : at + _WORD]
    if len(word) != _WORD:
        raise CodecError(f"it ends within the word at byte {at}")
    return word
