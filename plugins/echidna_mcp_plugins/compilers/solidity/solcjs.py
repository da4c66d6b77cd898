"""The npm package `solc`: solc compiled to WebAssembly, run by node."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from echidna_mcp.errors import CompilerUnavailableError
from echidna_mcp.plugins.hookspecs import hookimpl
from echidna_mcp.program.compiler import CompileRequest, CompilerPlugin
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.cache import digest_of_files
from echidna_mcp_plugins.compilers.files import has_source_files
from echidna_mcp_plugins.compilers.process import run
from echidna_mcp_plugins.compilers.solidity.project import load_project
from echidna_mcp_plugins.compilers.solidity.standard_json import Answer, compile_project
from echidna_mcp_plugins.compilers.solidity.version_range import (
    parse_version,
    short_version,
)

_SCRIPT = """
const solc = require(process.argv[1]);
const input = require('fs').readFileSync(0, 'utf8');
process.stdout.write(solc.version() + '\\n' + solc.compile(input));
"""


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
            CompilerUnavailableError: node or the package is missing, or the version
                does not suit the pragmas.
            CompilationError, TargetError: see `CompilerPlugin.compile`.
        """
        project = load_project(request)
        node = shutil.which("node")
        if node is None:
            raise CompilerUnavailableError(
                "There is no node on PATH; install Node.js, then `npm install solc`."
            )
        package = find_package(request.target)
        if package is None:
            raise CompilerUnavailableError(
                "The npm package solc is not installed; run `npm install solc`."
            )
        number = _package_version(package)
        version = parse_version(number)
        if version is None or not project.allows(version):
            raise CompilerUnavailableError(
                f"The npm package solc is {number}, but the source wants "
                f"{project.wanted}; run `npm install solc@VERSION`."
            )
        command = [node, "-e", _SCRIPT, str(package)]
        files = [package / "package.json", *sorted(package.glob("*.js"))]
        return compile_project(
            project,
            request,
            identity=f"solcjs {number} {digest_of_files(files)}",
            version=version,
            run=lambda text: _answer(run(command, text=text)),
        )


def _answer(text: str) -> Answer:
    version, _, output = text.partition("\n")
    return Answer(short_version(version), output)


def find_package(target: Path) -> Path | None:
    """Return the directory of the npm package, or None.

    Looked for: the environment variable SOLCJS (the package, or a node_modules that
    holds it), node_modules from `target` upwards, from the working directory upwards,
    the global packages of npm.
    """
    for candidate in _candidates(target):
        for package in (candidate, candidate / "solc"):
            if (package / "soljson.js").is_file():
                return package.absolute()
    return None


def _candidates(target: Path) -> Iterator[Path]:
    if given := os.environ.get("SOLCJS"):
        yield Path(given)
    for start in (target.absolute(), Path.cwd()):
        for directory in (start, *start.parents):
            yield directory / "node_modules"
    if npm := shutil.which("npm"):
        try:
            yield Path(run([npm, "root", "-g"]).strip())
        except CompilerUnavailableError:
            return


def _package_version(package: Path) -> str:
    try:
        return str(json.loads((package / "package.json").read_text("utf-8"))["version"])
    except (OSError, ValueError, KeyError) as error:
        raise CompilerUnavailableError(
            f"The npm package in {package} is damaged; run `npm install solc`."
        ) from error


@hookimpl
def register_compilers() -> Sequence[CompilerPlugin]:
    """Offer the npm package."""
    return (SolcJs(),)
