"""What `--solc`, `solc` on PATH and installed versions of solc have in common."""

from __future__ import annotations

from pathlib import Path

from echidna_mcp.errors import CompilerUnavailableError
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.process import run
from echidna_mcp_plugins.compilers.project import SolidityProject
from echidna_mcp_plugins.compilers.standard_json import Answer, compile_project
from echidna_mcp_plugins.compilers.version_range import (
    Version,
    parse_version,
    short_version,
)


def binary_version(binary: Path) -> tuple[Version, str]:
    """Return the version of a solc binary, short and as it prints it.

    Raises:
        CompilerUnavailableError: it can't be run, or it is no solc.
    """
    for line in run([str(binary), "--version"]).splitlines():
        label, _, text = line.partition(": ")
        version = parse_version(text)
        if label == "Version" and version:
            return version, short_version(text)
    raise CompilerUnavailableError(f"{binary} does not print the version of a solc.")


def compile_with_binary(
    binary: Path, project: SolidityProject, request: CompileRequest, version: str
) -> Program:
    """Compile with a solc binary.

    Raises:
        CompilerUnavailableError, CompilationError, TargetError: see `compile_project`.
    """
    return compile_project(
        project,
        request,
        run=lambda text: Answer(
            version, run([str(binary), "--standard-json"], text=text)
        ),
    )
