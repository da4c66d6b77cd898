"""What a run has shown: the conditions of its path, and the code that it went to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, TypeAlias

from echidna_mcp.solving.code import Code
from echidna_mcp.solving.expressions import Graph, Node, Word, value_of
from echidna_mcp.solving.smtlib import Condition

ASIDE_STEPS: Final = 4_000
"""What a question about the end of a run may take."""

Place: TypeAlias = tuple[str, int]
"""A block: the key of its code, and the counter that it begins with."""


class TraceEnd(Exception):  # noqa: N818 - no error: the run goes no further
    """The run can't go on: something is not modelled, or its steps are spent."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A JUMPI that inputs have decided.

    Attributes:
        other: the counter to which it did not go.
        call: number of the call of the sequence.
    """

    code: Code
    counter: int
    other: int
    call: int

    @property
    def place(self) -> Place:
        """The block that it did not go to."""
        return self.code.key, self.other


@dataclass(frozen=True, slots=True)
class PathItem:
    """A condition that held.

    Attributes:
        soft: whether it holds only because a run has to be somewhere: of an offset or a
            slot that became a number.
        branch: the branch that it decided, if it is one.
    """

    condition: Condition
    soft: bool = False
    branch: Branch | None = None


@dataclass(slots=True)
class Trace:
    """A run.

    Attributes:
        left: steps that it has left.
        call: number of the call that runs.
        ended: why it went no further than that call; empty if it did.
    """

    graph: Graph
    left: int
    path: list[PathItem] = field(default_factory=list)
    visited: dict[Place, int] = field(default_factory=dict)
    """With the number of the call that was there first."""
    call: int = 0
    ended: str = ""
    _held: set[tuple[Node, bool]] = field(default_factory=set)

    def aside(self) -> Trace:
        """Return a run that goes on from here, beside this one."""
        return Trace(
            self.graph,
            ASIDE_STEPS,
            path=self.path.copy(),
            call=self.call,
            _held=self._held.copy(),
        )

    def visit(self, code: Code, counter: int) -> None:
        """Take note that a block was entered."""
        place = (code.key, counter)
        if place not in self.visited:
            self.visited[place] = self.call

    def require(self, word: Word, *, branch: Branch | None = None) -> None:
        """Take note that a word is zero, or is not, as it is in this run."""
        if isinstance(word, Node):
            word = self.graph.truth(word)
        if isinstance(word, int):
            return
        holds = word.value != 0
        if branch is None:
            if (word, holds) in self._held:
                return
            self._held.add((word, holds))
        self.path.append(PathItem(Condition(word, holds), branch=branch))

    def concrete(self, word: Word) -> int:
        """Return a word as the number that it is in this run."""
        if isinstance(word, int):
            return word
        same = self.graph.make("eq", word, word.value)
        if isinstance(same, Node) and (same, True) not in self._held:
            self._held.add((same, True))
            self.path.append(PathItem(Condition(same, holds=True), soft=True))
        return value_of(word)
