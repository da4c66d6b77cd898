"""Versions of solc that solc-select, py-solc-x, foundry or hardhat have installed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from echidna_mcp.errors import CompilerUnavailableError
from echidna_mcp.plugins.hookspecs import hookimpl
from echidna_mcp.program.compiler import CompileRequest, CompilerPlugin
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.files import has_source_files
from echidna_mcp_plugins.compilers.solidity.any_version import compile_with
from echidna_mcp_plugins.compilers.solidity.project import load_project
from echidna_mcp_plugins.compilers.solidity.solc_binary import installed_solcs
from echidna_mcp_plugins.compilers.solidity.solcs import version_for, wanted


class InstalledSolc:
    """Compiles Solidity with the newest installed versions that the pragmas allow."""

    name = "solc-select"
    rank = 30

    def accepts(self, request: CompileRequest) -> bool:
        """Whether the target is Solidity."""
        return has_source_files(request.target, ".sol")

    def compile(self, request: CompileRequest) -> Program:
        """Compile.

        Raises:
            CompilerUnavailableError: no installed version suits.
            CompilationError, TargetError: see `CompilerPlugin.compile`.
        """
        solcs = installed_solcs(Path.home())
        if not solcs:  # then the sources need not be read
            raise CompilerUnavailableError(
                "No solc is installed by solc-select, py-solc-x, foundry or hardhat; "
                "run `solc-select install VERSION`."
            )
        return compile_with(solcs, load_project(request), request, _lacking)


def _lacking(ranges: Sequence[str]) -> CompilerUnavailableError:
    version = version_for(ranges)
    return CompilerUnavailableError(
        f"No installed solc suits {wanted(ranges)}; run `solc-select install "
        f"{version}`, or `solcx.install_solc({version!r})` in Python."
    )


@hookimpl
def register_compilers() -> Sequence[CompilerPlugin]:
    """Offer installed versions of solc."""
    return (InstalledSolc(),)
