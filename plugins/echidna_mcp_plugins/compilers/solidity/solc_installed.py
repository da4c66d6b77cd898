"""Versions of solc that solc-select or py-solc-x have installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from echidna_mcp.errors import CompilerUnavailableError
from echidna_mcp.plugins.hookspecs import hookimpl
from echidna_mcp.program.compiler import CompileRequest, CompilerPlugin
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.files import has_source_files
from echidna_mcp_plugins.compilers.solidity.project import load_project
from echidna_mcp_plugins.compilers.solidity.solc_binary import (
    binary_version,
    compile_with_binary,
)
from echidna_mcp_plugins.compilers.solidity.version_range import Version, parse_version


class InstalledSolc:
    """Compiles Solidity with the newest installed version that the pragmas allow."""

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
        project = load_project(request)
        installed = sorted(installed_versions(Path.home()), reverse=True)
        for version, binary in installed:
            if project.allows(version):
                return compile_with_binary(
                    binary, project, request, binary_version(binary)
                )
        raise CompilerUnavailableError(
            "Neither solc-select nor py-solc-x has installed a solc for "
            f"{project.wanted}; run `solc-select install VERSION`."
        )


def installed_versions(home: Path) -> Iterator[tuple[Version, Path]]:
    """Yield version and binary of each solc below the home directory `home`."""
    for pattern in (".solc-select/artifacts/solc-*/solc-*", ".solcx/solc-v*"):
        for path in home.glob(pattern):
            version = parse_version(path.name)
            # py-solc-x keeps a directory for versions that it built itself.
            binary = path / "bin" / "solc" if path.is_dir() else path
            if version and binary.is_file():
                yield version, binary


@hookimpl
def register_compilers() -> Sequence[CompilerPlugin]:
    """Offer installed versions of solc."""
    return (InstalledSolc(),)
