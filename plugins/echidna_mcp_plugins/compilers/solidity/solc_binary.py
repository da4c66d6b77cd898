"""Binaries of solc, given with `--solc`, found on PATH or installed."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from echidna_mcp.errors import CompilerUnavailableError
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.cache import digest_of_files
from echidna_mcp_plugins.compilers.process import run
from echidna_mcp_plugins.compilers.solidity.project import SolidityProject
from echidna_mcp_plugins.compilers.solidity.standard_json import Answer, compile_project
from echidna_mcp_plugins.compilers.solidity.version_range import (
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
    binary: Path,
    project: SolidityProject,
    request: CompileRequest,
    version: tuple[Version, str],
) -> Program:
    """Compile with a solc binary, whose version is that of `binary_version`.

    Raises:
        CompilerUnavailableError, CompilationError, TargetError: see `compile_project`.
    """
    command = [str(binary.absolute()), "--standard-json"]

    def answer(text: str) -> Answer:
        # The sources are in the text. Whatever else an import names, solc looks for
        # below its working directory, so that holds nothing.
        with TemporaryDirectory(prefix="echidna-mcp-") as empty:
            confined = [*command, "--allow-paths", empty]
            return Answer(version[1], run(confined, text=text, cwd=Path(empty)))

    # solc-select puts a script in the place of solc: then the version tells them apart.
    identity = f"solc {version[1]} {digest_of_files([binary])}"
    return compile_project(
        project, request, identity=identity, version=version[0], run=answer
    )
