"""Solver `bitwuzla` (MIT): bit-vectors, with a budget that is counted.

Bitwuzla asks a terminator whether to go on, at the same moments of the same query on
every machine. So the number of its questions is a budget without a clock.
"""

from __future__ import annotations

from collections.abc import Sequence

from echidna_mcp.plugins import hookimpl
from echidna_mcp.solving.solver import Solution, SolverPlugin


class _Budget:
    """Ends a query after so many questions."""

    def __init__(self, most: int) -> None:
        self.spent = 0
        self._most = most

    def __call__(self) -> bool:
        self.spent += 1
        return self.spent > self._most


def solve(text: str, names: Sequence[str], budget: int) -> Solution:
    """Return an answer to a script; see `echidna_mcp.solving.solver.Solve`."""
    import bitwuzla  # noqa: PLC0415 (an extra, and slow)

    terms, options = bitwuzla.TermManager(), bitwuzla.Options()
    options.set(bitwuzla.Option.PRODUCE_MODELS, value=True)
    parser = bitwuzla.Parser(terms, options)
    parser.parse(text, True, False)
    solver, counted = parser.bitwuzla(), _Budget(budget)
    solver.configure_terminator(counted)
    result = solver.check_sat()
    if result == bitwuzla.Result.UNSAT:
        return Solution("unsat", work=counted.spent)
    if result != bitwuzla.Result.SAT:
        return Solution("unknown", work=counted.spent)
    constants = {term.symbol(): term for term in parser.get_declared_funs()}
    model = {
        name: int(solver.get_value(constants[name]).value(16), 16) for name in names
    }
    return Solution("sat", model, counted.spent)


BITWUZLA = SolverPlugin("bitwuzla", solve, package="bitwuzla", module="bitwuzla")


@hookimpl
def register_solvers() -> list[SolverPlugin]:
    """Offer it, whether it is installed or not."""
    return [BITWUZLA]
