"""What coverage does not count, because no sequence is to get there.

Coverage is what sequences execute. It is not recorded while properties are asked and
`setUp()` runs, so that their code would look as if nothing reached it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from echidna_mcp.program.callees import never_called
from echidna_mcp.program.creatable import creatable
from echidna_mcp.program.foundry_tests import is_foundry_test

if TYPE_CHECKING:
    from echidna_mcp.program.model import Contract, Span
    from echidna_mcp.program.target import FuzzTarget


def uncovered_functions(target: FuzzTarget) -> frozenset[Span]:
    """Return where the functions stand that have no coverage of their own.

    They are properties, what a test contract of Foundry has for Foundry alone, and the
    constructors of what only `setUp()` creates.
    """
    by_callee = (
        function.span
        for callee in target.callees
        for signatures in [never_called(callee.contract, target.config)]
        for function in callee.contract.functions
        if function.signature in signatures
    )
    by_set_up = (
        function.span
        for contract in _created_by_set_up(target)
        for function in contract.functions
        if function.signature == "constructor"
    )
    return frozenset((*by_callee, *by_set_up))


def uncalled_contracts(target: FuzzTarget) -> frozenset[str]:
    """Return the qualified names of contracts that no sequence is to call.

    That is a test contract of Foundry whose handlers are called instead of it. It takes
    part if they call it.
    """
    main = target.callees[0]
    alone = is_foundry_test(main.contract) and not main.functions
    return frozenset({main.contract.qualified_name} if alone else ())


def _created_by_set_up(target: FuzzTarget) -> Iterator[Contract]:
    """Yield what `setUp()` may create, and no sequence."""
    if not target.plan.set_up:
        return
    program, main = target.program, target.program.main
    called = [c.contract.runtime_code for c in target.callees if c.functions]
    later = {each.qualified_name for each in creatable(program, called)}
    for contract in creatable(program, [program.main_contract.runtime_code]):
        if contract.qualified_name not in {main, *later}:
            yield contract
