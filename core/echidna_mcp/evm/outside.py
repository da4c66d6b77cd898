"""What cheatcodes ask the world outside of a campaign, and what it has answered.

Cheatcodes never look outside themselves. They ask for an answer that the campaign has
recorded; each is given once, by the process of the campaign (`echidna_mcp.outside`),
and is the same ever after: on every EVM, in every process, in a replay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

MOST_ANSWERS: Final = 20_000
"""Answers that a campaign records; it asks for no more."""
MOST_BYTES: Final = 64 << 20
"""Bytes of all values in them; the answer that exceeds it is the last one."""

RequestKind: TypeAlias = Literal[
    "variable", "root", "file", "entry", "metadata", "directory", "link", "program"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Something that is asked for; an equal request has an equal answer.

    Attributes:
        kind: what is to be found out: the value of an environment variable; the
            directory of the project; the content of a file; whether something is at a
            path, and what; its size and times; what a directory holds; where a link
            leads; what a program prints.
        arguments: a name; nothing; a path, of a directory also how deep (decimal) and
            whether links are followed (`1` or `0`); a program and its arguments.
        variables: names and values that `setEnv` has set, by name: a program sees them.
    """

    kind: RequestKind
    arguments: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """What is asked for, in a message."""
        return " ".join((self.kind, *map(repr, self.arguments)))

    def to_json(self) -> dict[str, Any]:
        """Return JSON values from which `from_json` makes an equal request."""
        told: dict[str, Any] = {"kind": self.kind, "arguments": [*self.arguments]}
        if self.variables:
            told["variables"] = [[*pair] for pair in self.variables]
        return told

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Request:
        """Return the request that `to_json` described; other members don't matter."""
        pairs = data.get("variables", ())
        return cls(
            kind=data["kind"],
            arguments=tuple(data["arguments"]),
            variables=tuple((name, value) for name, value in pairs),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What was found out.

    Attributes:
        values: the value of a variable, or nothing if it is not set; a path; a path and
            the content of the file; a path, and, if something is there, 1 or 0 for a
            directory; the same, 1 or 0 for a link, the size, 1 or 0 for what is
            read-only, and the seconds since 1970 at which it was changed, read and
            created (0 if nobody knows); of each entry an error, its path, its depth, 1
            or 0 for a directory and for a link; where a link leads; exit code, output
            and errors of a program. Numbers are decimal.
        error: why there is nothing, in the words of forge; empty if there is something.
        refusal: why that was not looked at, to follow the name of a cheatcode.
    """

    values: tuple[bytes, ...] = ()
    error: str = ""
    refusal: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return JSON values from which `from_json` makes an equal reply."""
        told: dict[str, Any] = {"values": [_told(value) for value in self.values]}
        if self.error:
            told["error"] = self.error
        if self.refusal:
            told["refusal"] = self.refusal
        return told

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Reply:
        """Return the reply that `to_json` described; other members don't matter."""
        return cls(
            values=tuple(_read(value) for value in data["values"]),
            error=data.get("error", ""),
            refusal=data.get("refusal", ""),
        )


def _told(value: bytes) -> str | dict[str, str]:
    """Return a value as JSON: text, or digits if it is none."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"data": f"0x{value.hex()}"}


def _read(value: str | Mapping[str, str]) -> bytes:
    return (
        value.encode() if isinstance(value, str) else bytes.fromhex(value["data"][2:])
    )


Source: TypeAlias = Callable[[Request], Reply]
"""Finds out what is asked for; only the process of a campaign has one."""


def nothing_outside(_request: Request) -> Reply:
    """Answer that nothing may be looked at: what is run has no outside."""
    return Reply(refusal="asks for what lies outside of the campaign, which has none.")


class UnansweredError(Exception):
    """A cheatcode asks for what nobody has found out yet."""


@dataclass(slots=True, init=False)
class Answers:
    """All that was found out in a campaign; it only ever grows."""

    _replies: dict[Request, Reply]
    _bytes: int

    def __init__(self, known: Iterable[tuple[Request, Reply]] = ()) -> None:
        self._replies, self._bytes = {}, 0
        for request, reply in known:
            self.add(request, reply)

    def add(self, request: Request, reply: Reply) -> None:
        """Remember an answer; one that is known stays what it is."""
        if request not in self._replies:
            self._replies[request] = reply
            self._bytes += sum(len(value) for value in reply.values)

    def get(self, request: Request) -> Reply | None:
        """Return what was found out; None if nothing was."""
        return self._replies.get(request)

    @property
    def full(self) -> bool:
        """Whether there is no room for more."""
        return len(self._replies) >= MOST_ANSWERS or self._bytes >= MOST_BYTES

    def __iter__(self) -> Iterator[tuple[Request, Reply]]:
        """Yield requests and replies, in the order in which they were added."""
        yield from self._replies.items()

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._replies)


class Outside:
    """What the cheatcodes of one EVM know of the outside.

    A request without an answer ends what its sequence can show. So no other one of the
    same sequence is looked at: what a contract does after a wrong answer must not run
    programs that it would not run otherwise.

    Attributes:
        answers: what is known; others may add to it.
        missing: the first request since `begin` that has no answer.
    """

    def __init__(
        self, answers: Answers | None = None, source: Source | None = None
    ) -> None:
        """Know some answers.

        Args:
            answers: none by default.
            source: answers what is not known, while the target is deployed.
        """
        self.answers = Answers() if answers is None else answers
        self.missing: Request | None = None
        self._source = source

    def begin(self) -> None:
        """Forget what was missing: another sequence begins."""
        self.missing = None

    def close(self) -> None:
        """Answer nothing from now on that is not known."""
        self._source = None

    def ask(self, request: Request) -> Reply | None:
        """Return what was found out; None if there is no room for more answers.

        Raises:
            UnansweredError: nobody has found that out.
        """
        known = self.answers.get(request)
        if known is not None:
            return known
        if self.answers.full:
            return None
        if self._source is None:
            self.missing = self.missing or request
            raise UnansweredError
        reply = self._source(request)
        self.answers.add(request, reply)
        return reply
