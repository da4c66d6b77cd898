"""Running a compiler that is a program of its own."""

from __future__ import annotations

import atexit
import subprocess
from collections.abc import Sequence
from pathlib import Path

from echidna_mcp.errors import CompilerUnavailableError

_running: set[subprocess.Popen[bytes]] = set()


@atexit.register
def _kill_running() -> None:
    """Leave no compiler behind: who has left waits for no result."""
    for process in list(_running):
        process.kill()


def run(command: Sequence[str], *, text: str = "", cwd: Path | None = None) -> str:
    """Return what `command` prints, given `text` as its input.

    Raises:
        CompilerUnavailableError: it can't be started, or it fails.
    """
    program = command[0]
    try:
        process = subprocess.Popen(  # noqa: S603 - the user's own compiler
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
        )
    except OSError as error:
        raise CompilerUnavailableError(
            f"{program} can't be started: {error.strerror}."
        ) from error
    _running.add(process)
    try:
        with process:
            try:
                output, errors = process.communicate(text.encode())
            except BaseException:
                process.kill()  # Whoever is interrupted wants no result.
                raise
    finally:
        _running.discard(process)
    if process.returncode:
        lines = errors.decode(errors="replace").strip().splitlines()
        reason = lines[-1] if lines else f"exit code {process.returncode}"
        raise CompilerUnavailableError(f"{program} fails: {reason}")
    return output.decode(errors="replace")
