"""The seam between queries and solvers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Solution:
    """What a solver says of a query.

    Attributes:
        verdict: whether there is an answer; unknown if its budget was spent.
        model: an answer: what each symbol is, as an unsigned number.
        work: how much of its budget it took.
    """

    verdict: Literal["sat", "unsat", "unknown"]
    model: Mapping[str, int] = field(default_factory=dict)
    work: int = 0


Solve: TypeAlias = Callable[[str, Sequence[str], int], Solution]
"""Answers a script of SMT-LIB (`smtlib.query_of`).

Takes the script, the names of its symbols, and a budget: a number that one solver
spends alike on every machine. What takes Bitwuzla a second is 160,000 to 190,000 of it
without multipliers, and with them 20,000 down to 3,000, if they are of whole words.
"""


@dataclass(frozen=True, slots=True)
class SolverPlugin:
    """A named solver. Picklable: its function has a name.

    Attributes:
        solve: answers queries; imports the solver when it is first called.
        package: the installed package that is the solver, whose version is recorded.
        module: what is imported of it.
    """

    name: str
    solve: Solve
    package: str
    module: str

    @property
    def is_installed(self) -> bool:
        """Whether it can be used here."""
        return find_spec(self.module) is not None

    @property
    def version(self) -> str:
        """Version of the package; empty if unknown. Never part of a result."""
        try:
            return version(self.package)
        except PackageNotFoundError:
            return ""
