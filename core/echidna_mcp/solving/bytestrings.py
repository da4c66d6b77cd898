"""Byte strings and memory in which some bytes depend on inputs: byte by byte."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from echidna_mcp.solving.expressions import Graph, Node, Pieces, Template, Word

Mark: TypeAlias = tuple[Node, int]
"""A word, and which of its bytes, from its front."""


class ByteString:
    """Some bytes.

    Attributes:
        data: what they are in this run.
        marks: those that depend on inputs, by position.
    """

    __slots__ = ("data", "marks")

    def __init__(self, data: bytes = b"", marks: Mapping[int, Mark] = {}) -> None:
        self.data = data
        self.marks = marks

    def part(self, start: int, size: int) -> ByteString:
        """Return some of them; beyond the end there are zeros."""
        data = self.data[start : start + size].ljust(size, b"\0")
        if not self.marks:
            return ByteString(data)
        return ByteString(data, _moved(self.marks, start, size, 0))

    def word(self, graph: Graph, start: int) -> Word:
        """Return the word at a position; beyond the end there are zeros."""
        return _word(graph, self.data, self.marks, start)


class Memory:
    """The memory of a frame; it grows as it is used."""

    __slots__ = ("data", "marks")

    def __init__(self) -> None:
        self.data = bytearray()
        self.marks: dict[int, Mark] = {}

    def grow(self, end: int) -> None:
        """Make it hold so many bytes, in whole words."""
        if end > len(self.data):
            self.data += bytes(-(-end // 32) * 32 - len(self.data))

    def load(self, graph: Graph, start: int) -> Word:
        """Return the word at a position."""
        self.grow(start + 32)
        return _word(graph, self.data, self.marks, start)

    def store(self, start: int, word: Word) -> None:
        """Put a word at a position."""
        self.grow(start + 32)
        if isinstance(word, int):
            self.data[start : start + 32] = word.to_bytes(32, "big")
            if self.marks:
                self._forget(start, 32)
            return
        self.data[start : start + 32] = word.value.to_bytes(32, "big")
        for at in range(32):
            self.marks[start + at] = (word, at)

    def store_byte(self, start: int, word: Word) -> None:
        """Put the low byte of a word at a position."""
        self.grow(start + 1)
        self._forget(start, 1)
        if isinstance(word, int):
            self.data[start] = word & 0xFF
        else:
            self.data[start] = word.value & 0xFF
            self.marks[start] = (word, 31)

    def read(self, start: int, size: int) -> ByteString:
        """Return some of it."""
        if not size:
            return ByteString()
        self.grow(start + size)
        data = bytes(self.data[start : start + size])
        if not self.marks:
            return ByteString(data)
        return ByteString(data, _moved(self.marks, start, size, 0))

    def write(self, start: int, what: ByteString) -> None:
        """Put bytes at a position."""
        size = len(what.data)
        if not size:
            return
        self.grow(start + size)
        self.data[start : start + size] = what.data
        if self.marks:
            self._forget(start, size)
        for at, mark in what.marks.items():
            self.marks[start + at] = mark

    def _forget(self, start: int, size: int) -> None:
        marks = self.marks
        for at in range(start, start + size):
            marks.pop(at, None)


def _moved(
    marks: Mapping[int, Mark], start: int, size: int, to: int
) -> dict[int, Mark]:
    if size <= len(marks):
        places = range(start, start + size)
        return {at - start + to: marks[at] for at in places if at in marks}
    return {
        at - start + to: mark
        for at, mark in marks.items()
        if start <= at < start + size
    }


def _word(
    graph: Graph, data: bytes | bytearray, marks: Mapping[int, Mark], start: int
) -> Word:
    known = data[start : start + 32].ljust(32, b"\0")
    if not marks:
        return int.from_bytes(known, "big")
    first = marks.get(start)
    if first is not None and first[1] == 0:
        node = first[0]
        if all(marks.get(start + at) == (node, at) for at in range(1, 32)):
            return node
    return _joined(graph, known, marks, start, 32)


def _joined(
    graph: Graph,
    known: bytes | bytearray,
    marks: Mapping[int, Mark],
    start: int,
    size: int,
) -> Word:
    """Return some bytes as the low ones of a word; known ones count unless marked."""
    constant, at = 0, 0
    pieces: list[Word] = []
    while at < size:
        mark = marks.get(start + at)
        if mark is None:
            constant |= known[at] << (8 * (size - 1 - at))
            at += 1
            continue
        node, first = mark
        end = at + 1
        while end < size and marks.get(start + end) == (node, first + end - at):
            end += 1
        count = end - at
        piece = graph.make("shr", 8 * (32 - first - count), node)
        piece = graph.make("and", piece, (1 << 8 * count) - 1)
        pieces.append(graph.make("shl", 8 * (size - end), piece))
        at = end
    result: Word = 0
    for each in pieces:
        result = graph.make("or", result, each)
    return graph.make("or", result, constant)


def pieces_of(graph: Graph, what: ByteString) -> Pieces:
    """Return bytes as words, each of up to 32 of them, with its size."""
    pieces: list[tuple[Word, int]] = []
    for start in range(0, len(what.data), 32):
        known = what.data[start : start + 32]
        size = len(known)
        if what.marks:
            if size == 32:
                word = _word(graph, what.data, what.marks, start)
            else:
                word = _joined(graph, known, what.marks, start, size)
        else:
            word = int.from_bytes(known, "big")
        pieces.append((word, size))
    return tuple(pieces)


def template_of(what: ByteString) -> Template:
    """Return which of some bytes are known, and how the others go together."""
    data, marks = what.data, what.marks
    parts: list[bytes | int] = []
    at = 0
    while at < len(data):
        start, first = at, marks.get(at)
        at += 1
        if first is None:
            while at < len(data) and at not in marks:
                at += 1
            parts.append(data[start:at])
            continue
        node, byte = first
        while at < len(data) and marks.get(at) == (node, byte + at - start):
            at += 1
        parts.append(at - start)
    return tuple(parts)
