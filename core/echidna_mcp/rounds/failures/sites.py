"""Sites: where a call failed, so that two bugs of one function are two findings.

A site is the statement in which the innermost frame failed whose failure is that of the
call, the statement of the function that was called from outside if the first is that of
another, the contracts on the way, and what the failure says, numbers left out. For all
that a harness asserts through a library, or through a `t(bool, string)` of its own,
fails in one statement. Rather is one bug told twice than two as one.

Which frame failed is seen by the trail of the call: a frame that has entered no more
than two blocks since its callee ended only passed on what that did.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from echidna_mcp.abi.encoding import decode_arguments
from echidna_mcp.abi.function import selector_of
from echidna_mcp.abi.types import parse_tuple
from echidna_mcp.errors import InvalidInputError
from echidna_mcp.events import payloads
from echidna_mcp.evm.backend import CallResult, Log, Status, TrailBlock
from echidna_mcp.program.model import Contract, Program, Span
from echidna_mcp.program.source_lines import SourceLines
from echidna_mcp.program.statements import Statements

_PASSING_ON: Final = 2
"""Blocks in which compiled code looks at the result of a call and reverts with it."""
_NUMBERS: Final = re.compile(r"0x[0-9a-fA-F]+|\d+")
_MOST_MESSAGE: Final = 200
"""Characters of a message that are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where and with what message a call failed.

    Attributes:
        contract: qualified name of the contract whose code failed; empty if unknown.
        source: path of the source of the statement; empty if it is unknown.
        line: its line, from 1; 0 if it is unknown.
        text: its first line.
        message: what the failure says.
        path: names of the contracts whose calls led there.
        place: tells the site from others of this program, the message left out.
        lasting: the same by what an edit elsewhere leaves as it is.
    """

    contract: str
    source: str
    line: int
    text: str
    message: str
    path: tuple[str, ...]
    place: str
    lasting: str

    @property
    def key(self) -> str:
        """What two failures at one site have in common."""
        return f"{self.place}\n{_plain(self.message)}"

    def identity(self, contract: str, test: str) -> str:
        """Return the id of a finding of a test of a target at this site."""
        return finding_id(contract, test, self.lasting, _plain(self.message))

    def to_json(self) -> payloads.Site:
        """Return it as events have it."""
        return {
            "contract": self.contract,
            "source": self.source,
            "line": self.line,
            "text": self.text,
            "message": self.message,
            "path": list(self.path),
            "key": self.key,
        }


def finding_id(contract: str, test: str, *site: str) -> str:
    """Return the id of a finding, the same in any campaign and version.

    It is made from names and texts alone: the same bug keeps it after an edit
    elsewhere, and after a file was moved.

    Args:
        contract: name of the target.
        test: name of the test.
        site: what tells it from other findings of the test, if it may have others.
    """
    text = "\n".join((contract, test, *site))
    return hashlib.sha256(text.encode()).hexdigest()[:8]


class SiteFinder:
    """Finds sites.

    Args:
        program: the program.
        key: returns the coverage key of a code by its hash.
    """

    def __init__(self, program: Program, key: Callable[[bytes], str]) -> None:
        self._contracts = program.named
        self._sources = program.sources
        self._key = key
        self._lines = SourceLines(program)
        self._statements = Statements(program)

    def site(self, result: CallResult, reason: str) -> Site:
        """Return where a call failed.

        Args:
            result: of the call, with its trail.
            reason: why the test fails.
        """
        message = _told(result.logs, result.dropped_logs) or reason
        message = message[:_MOST_MESSAGE]
        if result.status.succeeded:
            # It has only told of it, and gone on.
            return _nowhere(message)
        frames = failing_frames(result)
        if not frames:
            return _nowhere(message)
        names = [self._name(frame) for frame in frames]
        return self._place(frames[-1], message, tuple(names))

    def _place(
        self, frame: Sequence[TrailBlock], message: str, path: tuple[str, ...]
    ) -> Site:
        contract, creates = self._contract(frame)
        blocks = [each.last for each in reversed(frame)]
        if contract is None:
            place = f"{self._key(frame[-1].code_hash)} {blocks[:2]}"
            return _nowhere(message, path, place)
        spans: list[Span] = []
        for span in self._statements.of_blocks(contract, blocks, creates=creates):
            own = _is_entered(span, contract)
            if not spans or own:
                spans.append(span)
            if own:
                break
        if not spans:
            return _nowhere(message, path, f"{contract.qualified_name} {blocks[:2]}")
        first = spans[0]
        texts = [self._statements.text(span) for span in spans]
        number = self._statements.number(spans[-1], contract)
        return Site(
            contract=contract.qualified_name,
            source=self._sources[first.file].path,
            line=self._lines.line(first.file, first.start),
            text=texts[0],
            message=message,
            path=path,
            place=f"{path} {[(each.file, each.start) for each in spans]}",
            lasting=f"{path} {texts} {number}",
        )

    def _contract(self, frame: Sequence[TrailBlock]) -> tuple[Contract | None, bool]:
        name, _, part = self._key(frame[-1].code_hash).rpartition("/")
        return self._contracts.get(name), part == "create"

    def _name(self, frame: Sequence[TrailBlock]) -> str:
        contract, _ = self._contract(frame)
        return "unknown" if contract is None else contract.name


def failing_frames(result: CallResult) -> list[list[TrailBlock]]:
    """Return the blocks of the frames whose failure is that of a call, outermost first.

    Of each those that are in the trail.
    """
    found: list[list[TrailBlock]] = []
    trail = list(result.trail)
    depth = 0
    while True:
        own = [each for each in trail if each.depth == depth]
        if not own or trail[-1].depth != depth:
            return found
        found.append(own)
        tail = list(takewhile(lambda each: each.depth == depth, reversed(trail)))  # noqa: B023 (used at once)
        before = trail[: -len(tail)]
        passes_on = result.status is Status.REVERT and len(tail) <= _PASSING_ON
        if not passes_on or not before or before[-1].depth != depth + 1:
            return found
        # What was called before has nothing to do with it.
        deeper = takewhile(lambda each: each.depth > depth, reversed(before))  # noqa: B023 (likewise)
        trail = list(deeper)[::-1]
        depth += 1


def _is_entered(span: Span, contract: Contract) -> bool:
    """Whether a statement is one of a function that can be called from outside."""
    functions = (each for each in contract.functions if "(" in each.signature)
    return any(function.span.holds(span) for function in functions)


def _nowhere(message: str, path: tuple[str, ...] = (), place: str = "") -> Site:
    return Site(
        contract="",
        source="",
        line=0,
        text="",
        message=message,
        path=path,
        place=place,
        lasting=f"{path}",
    )


_LOG: Final = selector_of("Log(string)")
_STRING: Final = parse_tuple("(string)")


def _told(*groups: Sequence[Log]) -> str:
    """Return the text of the last `Log(string)`: harnesses say so what has failed."""
    for log in (each for group in reversed(groups) for each in reversed(group)):
        if log.topics and log.topics[0][:4] == _LOG:
            try:
                (text,) = decode_arguments(_STRING, log.data)
            except InvalidInputError:
                continue
            assert isinstance(text, bytes), "a string is bytes"
            return text.decode("utf-8", "replace")
    return ""


def _plain(message: str) -> str:
    """Return a message without its numbers, which differ from failure to failure."""
    return _NUMBERS.sub("N", message)
