"""From a target on disk to a `Program`, with whatever compiler is here."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from echidna_mcp.errors import CompilerUnavailableError, TargetError
from echidna_mcp.program.compiler import CompileRequest, CompilerPlugin
from echidna_mcp.program.model import Program
from echidna_mcp.wording import closest, did_you_mean


def compile_target(
    request: CompileRequest, compilers: Iterable[CompilerPlugin]
) -> Program:
    """Compile with the first compiler that accepts the target and can run.

    Compilers are tried in order of rank, then name.

    Raises:
        TargetError: the target does not exist, is of no known kind, or holds no
            contract that can be fuzzed.
        CompilerUnavailableError: no compiler that accepts the target can run here; the
            message says of each what it lacks.
        CompilationError: the compiler refused the source.
    """
    target = request.target
    try:
        str(target).encode()
    except UnicodeEncodeError:
        raise TargetError(
            f"The name of {str(target)!a} is not UTF-8; rename the file or directory."
        ) from None
    if not target.exists():
        near = closest(target.name, _names_beside(target), 1)
        beside = [str(target.with_name(name)) for name in near]
        hint = f"; {did_you_mean(beside, '')}" if near else "."
        raise TargetError(f"No such file or directory: {target}{hint}")
    lacking: list[tuple[str, str]] = []
    for compiler in sorted(compilers, key=lambda c: (c.rank, c.name)):
        if not compiler.accepts(request):
            continue
        try:
            return compiler.compile(request)
        except CompilerUnavailableError as error:
            lacking.append((compiler.name, error.message))
    if lacking:
        reasons = " ".join(f"[{name}] {message}" for name, message in lacking)
        raise CompilerUnavailableError(
            f"No compiler here can compile {target}: {reasons}", tried=dict(lacking)
        )
    if target.is_dir():
        raise TargetError(f"There is no .sol or .vy file in the directory {target}.")
    raise TargetError(
        f"{target} is no contract; give a .sol or .vy file, a directory of them, or a "
        "compiled artifact (.json)."
    )


def _names_beside(target: Path) -> list[str]:
    """Return what lies where a target was looked for; nothing if that can't be read."""
    try:
        return sorted(each.name for each in target.parent.iterdir())
    except OSError:
        return []
