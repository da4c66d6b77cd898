"""Solver `z3` (MIT): in a context of its own for each query.

A context that queries share counts on from one to the next, and finds other models.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from echidna_mcp.plugins import hookimpl
from echidna_mcp.solving.solver import Solution, SolverPlugin

_RESOURCES: Final = 400
"""Units of z3's `rlimit` that take about as long as one of our budget."""


def solve(text: str, names: Sequence[str], budget: int) -> Solution:
    """Return an answer to a script; see `echidna_mcp.solving.solver.Solve`."""
    import z3  # noqa: PLC0415 (an extra, and slow)

    context = z3.Context()
    solver = z3.SolverFor("QF_BV", ctx=context)
    solver.set("rlimit", budget * _RESOURCES)
    solver.from_string(text.removesuffix("(check-sat)"))
    verdict = str(solver.check())
    statistics = solver.statistics()
    keys = statistics.keys()
    used = statistics.get_key_value("rlimit count") if "rlimit count" in keys else 0
    work = used // _RESOURCES
    if verdict == "unsat":
        return Solution("unsat", work=work)
    if verdict != "sat":
        return Solution("unknown", work=work)
    found = solver.model()
    model = {each.name(): found[each].as_long() for each in found.decls()}
    return Solution("sat", {name: model.get(name, 0) for name in names}, work)


Z3 = SolverPlugin("z3", solve, package="z3-solver", module="z3")


@hookimpl
def register_solvers() -> list[SolverPlugin]:
    """Offer it, whether it is installed or not."""
    return [Z3]
