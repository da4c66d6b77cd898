"""The npm package `solc`, in all versions that are there."""

from __future__ import annotations

from collections.abc import Sequence

from echidna_mcp.errors import CompilerUnavailableError
from echidna_mcp.plugins.hookspecs import hookimpl
from echidna_mcp.program.compiler import CompileRequest, CompilerPlugin
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.files import has_source_files
from echidna_mcp_plugins.compilers.solidity.any_version import compile_with
from echidna_mcp_plugins.compilers.solidity.npm_solc import npm_solcs
from echidna_mcp_plugins.compilers.solidity.project import load_project
from echidna_mcp_plugins.compilers.solidity.solcs import (
    version_for,
    version_text,
    wanted,
)


class SolcJs:
    """Compiles Solidity with the npm package `solc`."""

    name = "solcjs"
    rank = 40

    def accepts(self, request: CompileRequest) -> bool:
        """Whether the target is Solidity."""
        return has_source_files(request.target, ".sol")

    def compile(self, request: CompileRequest) -> Program:
        """Compile.

        Raises:
            CompilerUnavailableError: node or the package is missing, or no version
                suits the pragmas.
            CompilationError, TargetError: see `CompilerPlugin.compile`.
        """
        solcs = npm_solcs(request.target)
        if not solcs:
            raise CompilerUnavailableError(
                "The npm package solc is not installed; run `npm install solc`."
            )
        there = " and ".join(version_text(solc.version) for solc in solcs)
        return compile_with(
            solcs,
            load_project(request),
            request,
            lambda ranges: CompilerUnavailableError(
                f"The npm package solc is {there}, but the source wants "
                f"{wanted(ranges)}; run `npm install solc@{version_for(ranges)}`."
            ),
        )


@hookimpl
def register_compilers() -> Sequence[CompilerPlugin]:
    """Offer the npm package."""
    return (SolcJs(),)
