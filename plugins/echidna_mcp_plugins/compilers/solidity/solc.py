"""The solc binary: given with `--solc`, else that of the project, else on PATH."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from echidna_mcp.errors import CompilerUnavailableError, ConfigError, UsageError
from echidna_mcp.plugins.hookspecs import hookimpl
from echidna_mcp.program.compiler import CompileRequest, CompilerPlugin
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.files import has_source_files
from echidna_mcp_plugins.compilers.solidity.any_version import compile_with
from echidna_mcp_plugins.compilers.solidity.compilation import compile_solidity
from echidna_mcp_plugins.compilers.solidity.project import load_project, own_solc
from echidna_mcp_plugins.compilers.solidity.solc_binary import (
    binary_solc,
    solc_on_path,
)
from echidna_mcp_plugins.compilers.solidity.solcs import Solc as Binary
from echidna_mcp_plugins.compilers.solidity.solcs import version_text, wanted


class Solc:
    """Compiles Solidity with a solc binary."""

    name = "solc"
    rank = 20

    def accepts(self, request: CompileRequest) -> bool:
        """Whether the target is Solidity."""
        return has_source_files(request.target, ".sol")

    def compile(self, request: CompileRequest) -> Program:
        """Compile; with the one on PATH only if the version suits the pragmas.

        Raises:
            UsageError: `--solc` names no solc that can be run.
            ConfigError: foundry.toml names none.
            CompilerUnavailableError: there is no solc on PATH, or of another version.
            CompilationError, TargetError: see `CompilerPlugin.compile`.
        """
        if request.solc is not None:
            project = load_project(request)
            return compile_solidity(project, request, [_given(request.solc)])
        if own := own_solc(request):
            return _compile_with(own, request)
        solc = solc_on_path()
        return compile_with(
            [solc],
            load_project(request),
            request,
            lambda ranges: CompilerUnavailableError(
                f"solc on PATH is {version_text(solc.version)}, but the source wants "
                f"{wanted(ranges)}."
            ),
        )


def _given(binary: Path) -> Binary:
    # The user named this compiler: to go on with another one would be a surprise.
    if not binary.is_file():
        raise UsageError(f"--solc names {binary}, which does not exist.")
    try:
        return binary_solc(binary, given=True)
    except CompilerUnavailableError as error:
        raise UsageError(f"--solc can't be used: {error.message}") from error


def _compile_with(own: Path, request: CompileRequest) -> Program:
    # Nor would it be what the project says.
    try:
        solc = binary_solc(own, given=True)
        program = compile_solidity(load_project(request), request, [solc])
    except CompilerUnavailableError as error:
        raise ConfigError(
            f"{own}, the solc of foundry.toml, can't be used: {error.message}"
        ) from error
    request.tell(f"{own} compiles, as foundry.toml says.")
    return program


@hookimpl
def register_compilers() -> Sequence[CompilerPlugin]:
    """Offer the solc binary."""
    return (Solc(),)
