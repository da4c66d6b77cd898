"""Running a compiler that is a program of its own."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from echidna_mcp.errors import CompilerUnavailableError


def run(command: Sequence[str], *, text: str = "", cwd: Path | None = None) -> str:
    """Return what `command` prints, given `text` as its input.

    Raises:
        CompilerUnavailableError: it can't be started, or it fails.
    """
    program = command[0]
    try:
        done = subprocess.run(  # noqa: S603 - the user's own compiler
            command,
            input=text.encode(),
            capture_output=True,
            check=False,
            cwd=cwd,
        )
    except OSError as error:
        raise CompilerUnavailableError(
            f"{program} can't be started: {error.strerror}."
        ) from error
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        reason = lines[-1] if lines else f"exit code {done.returncode}"
        raise CompilerUnavailableError(f"{program} fails: {reason}")
    return done.stdout.decode(errors="replace")
