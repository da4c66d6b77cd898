"""Tool `show_coverage`: lines, branches and bytecode of each contract (FR-002)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from echidna_mcp._generated import outputs
from echidna_mcp._generated.tools import show_coverage_tool
from echidna_mcp.errors import InvalidInputError
from echidna_mcp.plugins import hookimpl
from echidna_mcp.tools.display import shown
from echidna_mcp.tools.size import ANSWER_BYTES, fitting, json_size
from echidna_mcp.wording import listed
from echidna_mcp_plugins.tools.function_calls import ROOM, function_calls

if TYPE_CHECKING:
    from echidna_mcp._generated.inputs import ShowCoverageInput
    from echidna_mcp.reports.lines import ContractCoverage, CoverageReport
    from echidna_mcp.tools.tool import Tool, ToolContext

_SHOWN: Final = 20


async def handle(
    args: ShowCoverageInput, context: ToolContext
) -> outputs.ShowCoverageOutput:
    """Return the contracts that take part in the campaign, or the one asked for.

    `overallCoverage` is always that of the campaign.

    Raises:
        InvalidInputError: there is no contract of that name.
    """
    views = context.views
    report = context.reports.report(views.coverage)
    contracts = (
        report.contracts
        if args.contract is None
        else _named(args.contract, report, context)
    )
    times = Counter(contract.name for contract in contracts)
    answers = [
        _contract(contract, unique=times[contract.name] == 1) for contract in contracts
    ]
    return outputs.ShowCoverageOutput(
        contracts=_abridged(answers, context),
        overallCoverage=report.line_percent,
        bytecodeCoverage=report.bytecode_percent,
        points=views.coverage.points,
        codes=views.coverage.codes,
        round=views.progress.round,
        functionCalls=function_calls(context),
        functionCallsSince=views.progress.steady_since,
    )


def _named(
    name: str, report: CoverageReport, context: ToolContext
) -> Sequence[ContractCoverage]:
    """Return the contracts that `Name` or `path:Name` means.

    One that never ran is shown if it has code, so that 0 % is an answer.
    """
    found = [c for c in report.contracts if name in (c.name, c.qualified_name)] or [
        context.reports.contract(contract, context.views.coverage)
        for contract in context.views.target.program.contracts
        if contract.runtime_code and name in (contract.name, contract.qualified_name)
    ]
    if found:
        return found
    names = sorted({contract.name for contract in report.contracts})
    more = [f"{len(names) - _SHOWN} more"] if len(names) > _SHOWN else []
    raise InvalidInputError(
        f"There is no contract {shown(name)} with code; "
        f"the campaign runs {listed([*names[:_SHOWN], *more])}.",
        argument="contract",
        contracts=names,
    )


def _contract(contract: ContractCoverage, *, unique: bool) -> outputs.ContractCoverage:
    return outputs.ContractCoverage(
        name=contract.name if unique else contract.qualified_name,
        lineCoverage=contract.line_percent,
        branchCoverage=contract.branch_percent,
        file=contract.qualified_name.rpartition(":")[0],
        coveredLines=len(contract.covered_lines),
        totalLines=len(contract.lines),
        coveredBranches=sum(b.fell_through + b.jumped for b in contract.branches),
        totalBranches=2 * len(contract.branches),
        bytecodeCoverage=contract.bytecode_percent,
        coveredInstructions=contract.points,
        totalInstructions=contract.instructions,
        functions=[
            outputs.FunctionCoverage(
                signature=function.signature,
                lineCoverage=function.line_percent,
                coveredLines=function.covered_lines,
                totalLines=function.lines,
            )
            for function in contract.functions
        ],
    )


def _abridged(
    contracts: list[outputs.ContractCoverage], context: ToolContext
) -> list[outputs.ContractCoverage]:
    """Return as many contracts as one answer holds, and of their functions as many."""
    functions = [contract.pop("functions") for contract in contracts]
    shown = fitting(contracts, ANSWER_BYTES // 2)
    left = sum(map(len, functions))
    room = ANSWER_BYTES - ANSWER_BYTES // 2 - ROOM
    for contract, all_of_it in zip(shown, functions, strict=False):
        contract["functions"] = fitting(all_of_it, room) if room > 0 else []
        room -= json_size(contract["functions"])
        left -= len(contract["functions"])
    if len(shown) < len(contracts) or left:
        context.warnings.append(
            f"One answer holds {len(shown)} of {len(contracts)} contracts and leaves "
            f"out {left} functions; name a contract to see more of it."
        )
    return shown


@hookimpl
def register_tools() -> Sequence[Tool]:
    """Offer the tool (hook)."""
    return (show_coverage_tool(handle),)
