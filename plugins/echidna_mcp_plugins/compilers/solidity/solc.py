"""The solc binary: the one given with `--solc`, else the one on PATH."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from echidna_mcp.errors import CompilerUnavailableError, UsageError
from echidna_mcp.plugins.hookspecs import hookimpl
from echidna_mcp.program.compiler import CompileRequest, CompilerPlugin
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.files import has_source_files
from echidna_mcp_plugins.compilers.solidity.project import load_project
from echidna_mcp_plugins.compilers.solidity.solc_binary import (
    binary_version,
    compile_with_binary,
)
from echidna_mcp_plugins.compilers.solidity.version_range import Version


class Solc:
    """Compiles Solidity with a solc binary."""

    name = "solc"
    rank = 20

    def accepts(self, request: CompileRequest) -> bool:
        """Whether the target is Solidity."""
        return has_source_files(request.target, ".sol")

    def compile(self, request: CompileRequest) -> Program:
        """Compile; without `--solc` only if the version suits the pragmas.

        Raises:
            UsageError: `--solc` names no solc that can be run.
            CompilerUnavailableError: there is no solc on PATH, or of another version.
            CompilationError, TargetError: see `CompilerPlugin.compile`.
        """
        if request.solc is not None:
            project = load_project(request)
            return compile_with_binary(
                request.solc, project, request, _given_version(request.solc)
            )
        found = shutil.which("solc")
        if found is None:
            raise CompilerUnavailableError(
                "There is no solc on PATH; install one or give --solc PATH."
            )
        project = load_project(request)
        version = binary_version(Path(found))
        if not project.allows(version[0]):
            raise CompilerUnavailableError(
                f"solc on PATH is {version[1]}, but the source wants {project.wanted}."
            )
        return compile_with_binary(Path(found), project, request, version)


def _given_version(binary: Path) -> tuple[Version, str]:
    # The user named this compiler: to go on with another one would be a surprise.
    if not binary.is_file():
        raise UsageError(f"--solc names {binary}, which does not exist.")
    try:
        return binary_version(binary)
    except CompilerUnavailableError as error:
        raise UsageError(f"--solc can't be used: {error.message}") from error


@hookimpl
def register_compilers() -> Sequence[CompilerPlugin]:
    """Offer the solc binary."""
    return (Solc(),)
