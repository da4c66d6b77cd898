"""Text to the shape of a Solidity-like call, before any type is known."""

from __future__ import annotations

from echidna_mcp.abi.lexer import Problem, Token, TokenKind, next_token
from echidna_mcp.abi.nodes import (
    BoundNode,
    CallNode,
    CastNode,
    FieldsNode,
    HexNode,
    HoleNode,
    ListNode,
    NameNode,
    Node,
    NumberNode,
    StringNode,
)

MAX_DEPTH = 64
"""How deep brackets may nest."""
MAX_LENGTH = 64 * 1024
"""How many characters a call may have."""

UNITS = {
    "wei": 1,
    "gwei": 10**9,
    "ether": 10**18,
    "seconds": 1,
    "minutes": 60,
    "hours": 3_600,
    "days": 86_400,
    "weeks": 604_800,
}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_SHOWN = 60


class Reader:
    """Reads tokens of one text, one ahead."""

    def __init__(self, source: str) -> None:
        if len(source) > MAX_LENGTH:
            raise Problem(
                f"the text has {len(source)} characters; {MAX_LENGTH} are allowed",
                MAX_LENGTH,
            )
        self.source = source
        self.last_end = 0
        self._token: Token | None = None

    @property
    def token(self) -> Token:
        """The present token. Read late, so that a broken one is met in its argument."""
        if self._token is None:
            self._token = next_token(self.source, self.last_end)
        return self._token

    def advance(self) -> Token:
        """Return the present token and go to the next."""
        token = self.token
        self.last_end = token.end
        self._token = None
        return token

    def at(self, mark: str) -> bool:
        """Whether the present token is this punctuation mark."""
        return self.token.kind == "mark" and self.token.text == mark

    def take(self, mark: str) -> bool:
        """Skip this punctuation mark if it is next; return whether it was."""
        if self.at(mark):
            self.advance()
            return True
        return False

    def expect(self, what: str, kind: TokenKind = "mark") -> Token:
        """Return the next token, which must be of this kind.

        Raises:
            Problem: it is something else. For a mark, `what` is the mark.
        """
        if self.token.kind != kind or (kind == "mark" and self.token.text != what):
            wanted = f"`{what}`" if kind == "mark" else what
            raise self.unexpected(wanted)
        return self.advance()

    def unexpected(self, wanted: str) -> Problem:
        """Return the complaint that something else was wanted here."""
        token = self.token
        found = "the text ends" if token.kind == "end" else f"`{token.text[:_SHOWN]}`"
        verb = "" if token.kind == "end" else " stands"
        return Problem(
            f"{found}{verb} at position {token.position} where {wanted} is expected",
            token.position,
        )

    def finish(self) -> None:
        """Make sure that nothing follows.

        Raises:
            Problem: something does.
        """
        if self.token.kind != "end":
            raise self.unexpected("the end")


def read_call(source: str) -> CallNode:
    """Return the shape of `name(argument, …)`.

    Raises:
        Problem: the text is no call.
    """
    parser = _Parser(source)
    reader = parser.reader
    name = reader.expect("the name of a function", "name")
    reader.expect("(")
    try:
        items = parser.arguments()
    except Problem as problem:
        problem.function = name.text
        raise
    reader.finish()
    return CallNode(position=name.position, text=source, name=name.text, items=items)


class _Parser:
    """Recursive descent; `depth` counts open brackets."""

    def __init__(self, source: str) -> None:
        self.reader = Reader(source)
        self.depth = 1

    def arguments(self) -> tuple[Node, ...]:
        """Return the arguments of the call; complaints name the argument."""
        items: list[Node] = []
        number = 1
        try:
            if not self.reader.take(")"):
                items.append(self.value())
                while not self.reader.take(")"):
                    # What is missing at the end is missing behind the one before.
                    number = len(items) + (self.reader.token.kind != "end")
                    self._separator(")")
                    number = len(items) + 1
                    items.append(self.value())
        except Problem as problem:
            problem.argument = number
            raise
        return tuple(items)

    def items(self, closing: str) -> tuple[Node, ...]:
        """Return values up to the closing bracket, and skip it."""
        items: list[Node] = []
        if not self.reader.take(closing):
            items.append(self.value())
            while not self.reader.take(closing):
                self._separator(closing)
                items.append(self.value())
        return tuple(items)

    def value(self) -> Node:
        """Return one value."""
        token = self.reader.token
        start = token.position
        if token.kind == "string":
            return StringNode(
                position=start, text=token.text, data=self.reader.advance().data
            )
        if token.kind == "hex":
            return HexNode(
                position=start, text=token.text, data=self.reader.advance().data
            )
        if token.kind == "name":
            return self._named(start)
        if token.kind == "number" or self.reader.at("-"):
            return self._number(start)
        if self.reader.take("?"):
            return HoleNode(position=start, text="?")
        if token.kind == "mark" and token.text in _CLOSING:
            return self._bracketed(start, token.text)
        raise self.reader.unexpected("a value")

    def _bracketed(self, start: int, opening: str) -> Node:
        self._enter(start)
        self.reader.advance()
        if opening == "{":
            names, items = self._fields()
        else:
            items = self.items(_CLOSING[opening])
        self.depth -= 1
        text = self._since(start)
        if opening == "{":
            return FieldsNode(position=start, text=text, names=names, items=items)
        return ListNode(position=start, text=text, items=items, round=opening == "(")

    def _fields(self) -> tuple[tuple[str, ...], tuple[Node, ...]]:
        fields: dict[str, Node] = {}
        while not self.reader.take("}"):
            if fields:
                self._separator("}")
            name = self.reader.expect("the name of a field", "name")
            if name.text in fields:
                raise Problem(
                    f"`{name.text}` at position {name.position} is given twice",
                    name.position,
                )
            self.reader.expect(":")
            fields[name.text] = self.value()
        return tuple(fields), tuple(fields.values())

    def _named(self, start: int) -> Node:
        name = self.reader.advance().text
        if name == "type" and self.reader.at("("):
            return self._bound(start)
        while self.reader.take("."):
            name += "." + self.reader.expect("a name", "name").text
        if not self.reader.at("("):
            return NameNode(position=start, text=self._since(start))
        self._enter(start)
        self.reader.advance()
        items = self.items(")")
        self.depth -= 1
        return CastNode(position=start, text=self._since(start), name=name, items=items)

    def _bound(self, start: int) -> Node:
        self.reader.expect("(")
        type_name = self.reader.expect("the name of an integer type", "name").text
        self.reader.expect(")")
        self.reader.expect(".")
        which = self.reader.expect("`max` or `min`", "name")
        if which.text not in ("max", "min"):
            raise Problem(
                f"`{which.text}` at position {which.position} is neither `max` nor "
                "`min`",
                which.position,
            )
        return BoundNode(
            position=start,
            text=self._since(start),
            type_name=type_name,
            maximum=which.text == "max",
        )

    def _number(self, start: int) -> Node:
        negative = self.reader.take("-")
        word = self.reader.expect("a number", "number").text
        unit = 1
        if self.reader.token.kind == "name" and self.reader.token.text in UNITS:
            unit = UNITS[self.reader.advance().text]
        return NumberNode(
            position=start,
            text=self._since(start),
            word=word,
            negative=negative,
            unit=unit,
        )

    def _enter(self, start: int) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Problem(
                f"the brackets at position {start} nest deeper than {MAX_DEPTH} levels",
                start,
            )

    def _separator(self, closing: str) -> None:
        if not self.reader.take(","):
            raise self.reader.unexpected(f"`,` or `{closing}`")

    def _since(self, start: int) -> str:
        return self.reader.source[start : self.reader.last_end]
