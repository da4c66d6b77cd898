"""How a compiler is offered by a plugin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from echidna_mcp.evm.fork import ForkName
from echidna_mcp.program.model import Program


def _to_nobody(_: object) -> None:
    """Take what nobody wants."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileRequest:
    """What to compile.

    Attributes:
        target: an existing file or directory.
        contract: `Name` or `path:Name` of the contract to fuzz; None lets the compiler
            plugin choose, by the rules of `choose_main`.
        others: names, likewise, of contracts that the program needs besides
            (`deployContracts`, libraries).
        solc: path of a solc binary to use (`--solc`), or None.
        solc_args: further arguments for solc (`solcArgs`).
        evm_version: the hard fork to compile for, unless `solc_args` or the source says
            another one; None leaves it to the project and the compiler.
        prefix: prefixes of test functions, with commas between; a contract that has
            such a function is preferred.
        suite: whether all of Foundry's tests are meant rather than one contract; then
            any contract that has some will do. If none has it is as without.
        allow_paths: files and directories that may be read besides the project
            (`--allow-paths`), relative to the working directory.
        tell: takes each sentence that the user should read about how the target was
            compiled: what was chosen, what was left out, which artifacts were read.
        also: takes each further program that has tests of Foundry, if all of them are
            meant: what other compilers than that of the first test have made.
    """

    target: Path
    contract: str | None = None
    others: tuple[str, ...] = ()
    solc: Path | None = None
    solc_args: str = ""
    evm_version: ForkName | None = None
    prefix: str = "echidna_"
    suite: bool = False
    allow_paths: tuple[Path, ...] = ()
    tell: Callable[[str], None] = field(default=_to_nobody, compare=False)
    also: Callable[[Program], None] = field(default=_to_nobody, compare=False)


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
