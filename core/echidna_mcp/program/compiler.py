"""How a compiler is offered by a plugin."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from echidna_mcp.evm.fork import ForkName
from echidna_mcp.program.model import Program


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileRequest:
    """What to compile.

    Attributes:
        target: an existing file or directory.
        contract: `Name` or `path:Name` of the contract to fuzz; None lets the compiler
            plugin choose the first by qualified name that can be deployed.
        solc: path of a solc binary to use (`--solc`), or None.
        solc_args: further arguments for solc (`solcArgs`).
        evm_version: the hard fork to compile for, unless `solc_args` or the source says
            another one; None leaves it to the project and the compiler.
        prefix: prefix of test functions; a contract that has one is preferred.
        allow_paths: files and directories that may be read besides the project
            (`--allow-paths`), relative to the working directory.
    """

    target: Path
    contract: str | None = None
    solc: Path | None = None
    solc_args: str = ""
    evm_version: ForkName | None = None
    prefix: str = "echidna_"
    allow_paths: tuple[Path, ...] = ()


class CompilerPlugin(Protocol):
    """Turns a target into a `Program`.

    Compilers are tried in order of `rank`, then name. The first that accepts a target
    and is available compiles it.
    """

    @property
    def name(self) -> str:
        """Unique name, shown in messages."""
        ...

    @property
    def rank(self) -> int:
        """Position among the compilers; lower is tried first."""
        ...

    def accepts(self, request: CompileRequest) -> bool:
        """Whether this compiler is meant for such a target. Does not run anything."""
        ...

    def compile(self, request: CompileRequest) -> Program:
        """Compile.

        Raises:
            CompilerUnavailableError: this compiler can't run here; the next is tried.
            CompilationError: the compiler refused the source.
            TargetError: the target holds no contract that can be fuzzed.
        """
        ...
