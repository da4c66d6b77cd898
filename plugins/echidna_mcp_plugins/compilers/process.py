"""Running a compiler that is a program of its own."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path

from echidna_mcp.background import begin
from echidna_mcp.errors import CompilerUnavailableError

_Started = tuple["subprocess.Popen[bytes]", Callable[[], None]]
"""A process, and what ends it and what it has started."""


def run(
    command: Sequence[str],
    *,
    text: str = "",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    explain: Callable[[str], str] | None = None,
) -> str:
    """Return what `command` prints, given `text` as its input.

    Args:
        env: environment, if not that of this process.
        explain: returns the reason in what a command that fails has printed; empty if
            it finds none. Without it the reason is the last line.

    Raises:
        CompilerUnavailableError: it can't be started, or it fails.
    """
    program = command[0]

    def start() -> _Started:
        process = subprocess.Popen(  # noqa: S603 - the user's own compiler
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=env,
            start_new_session=True,
        )
        # Whoever leaves waits for no result, and leaves nothing behind.
        kill = partial(_kill, process)
        atexit.register(kill)
        return process, kill

    try:
        process, kill = _uninterrupted(start)
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CompilerUnavailableError(
            f"{program} can't be started: {reason}."
        ) from error
    try:
        with process:
            try:
                output, errors = process.communicate(text.encode())
            except BaseException:
                kill()
                raise
    finally:
        atexit.unregister(kill)
    if process.returncode:
        told = errors.decode(errors="replace")
        lines = told.strip().splitlines()
        reason = lines[-1] if lines else f"exit code {process.returncode}"
        if explain:
            everything = f"{output.decode(errors='replace')}\n{told}"
            reason = explain(everything) or reason
        raise CompilerUnavailableError(f"{program} fails: {reason}")
    return output.decode(errors="replace")


def _uninterrupted(start: Callable[[], _Started]) -> _Started:
    """Return what `start` returns; an interrupt meanwhile leaves no process behind.

    In the main thread one may come between the start of a process and the moment at
    which anybody knows of it. Python raises none in another thread, and waits for this
    one at its end, before it calls what is registered for then.

    Raises:
        OSError: the process can't be started.
        RuntimeError: the thread can't.
    """
    started = begin(start, "echidna-mcp-compiler", awaited=True)
    try:
        return started.result()
    except BaseException:
        started.add_done_callback(_abandon)
        raise


def _abandon(started: Future[_Started]) -> None:
    """End a process that nobody waits for any more, if it has been started."""
    if started.exception() is None:
        _, kill = started.result()
        kill()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a compiler and what it has started, which may be the compiler itself."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
