"""All solcs that can be used here, in the order in which compilers are asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from echidna_mcp.errors import CompilerUnavailableError
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.solidity.compilation import (
    compile_solidity,
    named_entries,
)
from echidna_mcp_plugins.compilers.solidity.npm_solc import npm_solcs
from echidna_mcp_plugins.compilers.solidity.project import SolidityProject
from echidna_mcp_plugins.compilers.solidity.solc_binary import (
    installed_solcs,
    solc_on_path,
)
from echidna_mcp_plugins.compilers.solidity.solcs import Solc


def compile_with(
    own: Sequence[Solc],
    project: SolidityProject,
    request: CompileRequest,
    lacking: Callable[[Sequence[str]], CompilerUnavailableError],
) -> Program:
    """Compile with some compilers, if they suit anything that is to be compiled.

    Files that want other versions are left to the compilers of other places.

    Args:
        own: the compilers, the preferred ones first.
        lacking: returns the error for version ranges that none of them suits.

    Raises:
        CompilerUnavailableError, CompilationError, TargetError: see
            `compile_solidity`.
    """
    named = named_entries(project, request)
    entries = project.entries if named is None else named
    ranges = [project.ranges(project.closure([entry])) for entry in entries]
    if not any(solc.suits(each) for each in ranges for solc in own):
        raise lacking(project.ranges(project.closure(entries)))
    solcs = list(own)
    if not all(any(solc.suits(each) for solc in own) for each in ranges):
        solcs += _others(request)
    return compile_solidity(project, request, solcs)


def _others(request: CompileRequest) -> Iterator[Solc]:
    places: list[Callable[[], Sequence[Solc]]] = [
        lambda: [solc_on_path()],
        lambda: installed_solcs(Path.home()),
        lambda: npm_solcs(request.target),
    ]
    for place in places:
        try:
            yield from place()
        except CompilerUnavailableError:
            continue
