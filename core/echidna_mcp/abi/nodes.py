"""The pieces of a Solidity-like call, before any type is known."""

from __future__ import annotations

from dataclasses import dataclass

_SHOWN = 60
"""How many characters of a piece a message quotes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A piece of syntax: where it stands, and how it is written."""

    position: int
    text: str

    @property
    def shown(self) -> str:
        """The text as a message quotes it, with its position."""
        short = self.text if len(self.text) <= _SHOWN else self.text[:_SHOWN] + "…"
        return f"`{short}` at position {self.position}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberNode(Node):
    """A word that starts with a digit; `unit` is what to multiply it with."""

    word: str
    negative: bool
    unit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StringNode(Node):
    """`"…"` or `unicode"…"`."""

    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class HexNode(Node):
    """`hex"…"`."""

    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class NameNode(Node):
    """`true`, `false`, or a name that means nothing here (`msg.sender`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundNode(Node):
    """`type(uint8).max` or `.min`."""

    type_name: str
    maximum: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HoleNode(Node):
    """`?`: the fuzzer chooses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListNode(Node):
    """`[…]`, or `(…)` if `round`."""

    items: tuple[Node, ...]
    round: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldsNode(Node):
    """`{a: …, b: …}`; names are distinct."""

    names: tuple[str, ...]
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CastNode(Node):
    """`uint8(…)`, or a struct by name: `Point(1, 2)`, `Point({x: 1, y: 2})`."""

    name: str
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallNode(Node):
    """A whole call."""

    name: str
    items: tuple[Node, ...]
