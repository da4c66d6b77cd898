"""The inputs of a sequence as symbols, and the sequence that an answer makes of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

from echidna_mcp.abi.function import AbiFunction
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
from echidna_mcp.abi.types import AbiType, Array, Elementary, Tuple
from echidna_mcp.events import payloads
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.solving.bytestrings import ByteString, Mark
from echidna_mcp.solving.expressions import Graph, Symbol, Word
from echidna_mcp.solving.words import BITS

Calls: TypeAlias = tuple[payloads.Call, ...]
"""A sequence as events hold it."""

_WORD: Final = 32
_SELECTOR: Final = 4


def _head(kind: AbiType) -> int:
    """Return how many bytes a type has in place; 0 if it is elsewhere."""
    match kind:
        case Elementary(kind=number):
            return 0 if number in (KIND_BYTES, KIND_STRING) else _WORD
        case Array(element=element, length=length):
            return (length or 0) * _head(element)
        case Tuple(members=members):
            heads = [_head(member) for member in members]
            return sum(heads) if all(heads) else 0
    raise AssertionError


Leaf: TypeAlias = tuple[int, str, int]
"""Where a word of arguments begins, how bits become it, and how many they are."""


def leaves_of(kind: AbiType, data: bytes, at: int) -> Iterator[Leaf]:
    """Return the values in encoded arguments; lengths and offsets stay as they are.

    Args:
        kind: what is encoded.
        data: where.
        at: where it begins.
    """
    match kind:
        case Elementary(kind=number, size=size):
            if number in (KIND_BYTES, KIND_STRING):
                yield from _bytes(data, at)
            else:
                yield at, *_bits(number, size)
        case Array(element=element, length=None):
            yield from _items([element] * _number(data, at), data, at + _WORD)
        case Array(element=element, length=length):
            assert length is not None
            yield from _items([element] * length, data, at)
        case Tuple(members=members):
            yield from _items(members, data, at)


def _items(kinds: Sequence[AbiType], data: bytes, base: int) -> Iterator[Leaf]:
    at = base
    for kind in kinds:
        size = _head(kind)
        if size or (isinstance(kind, Tuple) and not kind.members):
            yield from leaves_of(kind, data, at)
            at += size
        else:
            yield from leaves_of(kind, data, base + _number(data, at))
            at += _WORD


def _number(data: bytes, at: int) -> int:
    # What is no encoding has few parts, not endlessly many.
    return min(int.from_bytes(data[at : at + _WORD], "big"), len(data))


def _bytes(data: bytes, at: int) -> Iterator[Leaf]:
    size = _number(data, at)
    for start in range(0, size, _WORD):
        yield at + _WORD + start, "high", 8 * min(_WORD, size - start)


def _bits(number: int, size: int) -> tuple[str, int]:
    match number:
        case _ if number == KIND_INT:
            return "signed", size
        case _ if number == KIND_BOOL:
            return "unsigned", 1
        case _ if number == KIND_BYTES_FIXED:
            return "high", 8 * size
        case _ if number == KIND_FUNCTION:
            return "high", 192
    assert number in (KIND_UINT, KIND_ADDRESS)
    return "unsigned", size


class Inputs:
    """The symbols of a sequence: `c0a4` are those of arguments, by call and byte."""

    def __init__(self, target: FuzzTarget, graph: Graph, calls: Calls) -> None:
        self._target = target
        self._graph = graph
        self._calls = calls

    def data(self, number: int) -> ByteString:
        """Return the calldata of a call."""
        call = self._calls[number]
        data = bytes.fromhex(call["calldata"][2:])
        marks: dict[int, Mark] = {}
        for at, kind, width in self._leaves(call, data):
            known = int.from_bytes(data[at : at + _WORD], "big")
            name = f"c{number}a{at}"
            symbol = Symbol(name, width, cast("Any", kind))
            node = self._graph.symbol(symbol, known)
            for byte in range(_WORD):
                marks[at + byte] = (node, byte)
        return ByteString(data, marks)

    def _leaves(self, call: payloads.Call, data: bytes) -> Iterator[Leaf]:
        function = self._function(call)
        if function.kind != "function":
            return  # Raw bytes, of which nobody knows what they are.
        for at, kind, width in leaves_of(function.inputs, data[_SELECTOR:], 0):
            if _SELECTOR + at + _WORD <= len(data):
                yield _SELECTOR + at, kind, width

    def _function(self, call: payloads.Call) -> AbiFunction:
        return self._target.functions[self._target.function_index[call["function"]]]

    def value(self, number: int) -> Word:
        """Return what a call pays."""
        call = self._calls[number]
        known, most = int(call["value"]), self._target.config.max_value
        if not self._function(call).payable or known > most or not most:
            return known
        symbol = Symbol(f"c{number}v", most.bit_length(), most=most)
        return self._graph.symbol(symbol, known)

    def sender(self, number: int) -> Word:
        """Return who sends a call."""
        known = int(self._calls[number]["sender"], 16)
        senders = self._target.senders
        if known not in senders or len(senders) == 1:
            return known
        symbol = Symbol(f"c{number}s", 160, among=senders)
        return self._graph.symbol(symbol, known)

    def delay(self, number: int, letter: str) -> Word:
        """Return after how many seconds (`t`) or blocks (`b`) a call comes."""
        call, config = self._calls[number], self._target.config
        if letter == "t":
            known, most = call["timeDelay"], config.max_time_delay
        else:
            known, most = call["blockDelay"], config.max_block_delay
        if not most or known > most:
            return known
        symbol = Symbol(f"c{number}{letter}", most.bit_length(), most=most)
        return self._graph.symbol(symbol, known)


def answered(
    calls: Calls, symbols: Mapping[str, Symbol], model: Mapping[str, int]
) -> Calls:
    """Return a sequence with the inputs that a solver has found.

    A value that has more bits than its symbol is cut: it was no answer.

    Args:
        calls: the sequence.
        symbols: its symbols, by name.
        model: values of some of them.
    """
    changed = [dict(call) for call in calls]
    for name, found in model.items():
        symbol = symbols[name]
        value = symbol.word(found & ((1 << symbol.width) - 1))
        number, letter, at = _parts(name)
        call = changed[number]
        match letter:
            case "a":
                data = bytearray.fromhex(str(call["calldata"])[2:])
                data[at : at + _WORD] = value.to_bytes(BITS // 8, "big")
                call["calldata"] = f"0x{data.hex()}"
            case "v":
                call["value"] = str(min(value, symbol.most or 0))
            case "s" if value in symbol.among:
                call["sender"] = f"0x{value:040x}"
            case "t":
                call["timeDelay"] = min(value, symbol.most or 0)
            case "b":
                call["blockDelay"] = min(value, symbol.most or 0)
    return tuple(cast("payloads.Call", call) for call in changed)


def _parts(name: str) -> tuple[int, str, int]:
    """Return call, letter and byte of the name of a symbol."""
    for letter in "avstb":
        number, found, at = name[1:].partition(letter)
        if found:
            return int(number), letter, int(at or 0)
    raise AssertionError(name)
