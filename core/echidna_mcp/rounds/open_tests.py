"""The tests of a task that have not been falsified, by when they are judged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from echidna_mcp.program.target import TestCase
from echidna_mcp.rounds.caller import Called


class OpenTests:
    """Indices of tests, each group ascending.

    Attributes:
        every: all of them.
        asked: those that are asked about the state, after each call that succeeded.
        values: those whose value is maximized: they are asked after every call.
        at_end: those that are asked at the end of a whole sequence.
    """

    def __init__(self, tests: Sequence[TestCase], found: Iterable[int]) -> None:
        self._tests = tests
        self.every = list(found)
        self.asked: list[int] = []
        self.values: list[int] = []
        self.at_end: list[int] = []
        self._of_any: list[int] = []
        self._of_calls: dict[tuple[int, bytes], int] = {}
        for index in self.every:
            test = tests[index]
            match test.kind:
                case "property" | "invariant":
                    self.asked.append(index)
                case "optimization":
                    self.values.append(index)
                case "after_invariant":
                    self.at_end.append(index)
                case "assertion":
                    self._of_calls[test.callee, test.selector] = index
                case _:
                    self._of_any.append(index)

    def of_call(self, call: Called) -> list[int]:
        """Return those that are about what a call does."""
        own = self.assertion(call)
        return self._of_any if own is None else [own, *self._of_any]

    def assertion(self, call: Called) -> int | None:
        """Return the assertion test of the function that is called, if it is open."""
        return self._of_calls.get((call.callee, call.data[:4]))

    def remove(self, index: int) -> None:
        """Take out a test that has been falsified."""
        for group in (self.every, self.asked, self.at_end, self._of_any):
            if index in group:
                group.remove(index)
        test = self._tests[index]
        self._of_calls.pop((test.callee, test.selector), None)
