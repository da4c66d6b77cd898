"""Programs that `ffi` runs, if the user lets it: in the project, without a shell."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from echidna_mcp.evm.outside import Reply

MOST_SECONDS: Final = 60.0
"""How long a program may run."""
MOST_OUTPUT: Final = 4 << 20
"""Bytes that it may print."""
_CHUNK: Final = 1 << 16
_KILLED: Final = 69
"""The exit code that Foundry gives a program which a signal has ended."""


def run_program(
    command: Sequence[str], directory: Path, environment: Mapping[bytes, bytes]
) -> Reply:
    """Run a program without input, and wait for it.

    Args:
        command: its name or path, and its arguments.
        directory: where it runs.
        environment: all of its variables.

    Returns:
        Exit code, output and errors; or why it could not be run, or not to the end.
    """
    try:
        process = subprocess.Popen(  # noqa: S603 - what the user allows
            command,
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # What it starts ends with it, and an interrupt of ours is none of its.
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return Reply(error=_not_run(command, directory, error))
    with process:
        try:
            output, errors, refusal = _communicate(process)
        finally:
            _end(process)
    if refusal:
        return Reply(refusal=f"runs {Path(command[0]).name}, which {refusal}")
    code = process.returncode if process.returncode >= 0 else _KILLED
    return Reply(values=(str(code).encode(), output, errors))


def _communicate(process: subprocess.Popen[bytes]) -> tuple[bytes, bytes, str]:
    """Return output and errors of a program, and why it is not waited for, if so."""
    found = {process.stdout: bytearray(), process.stderr: bytearray()}
    deadline = time.monotonic() + MOST_SECONDS
    late = f"takes more than {MOST_SECONDS:.0f} seconds."
    with selectors.DefaultSelector() as selector:
        for pipe in found:
            assert pipe is not None, "it has pipes"
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(max(deadline - time.monotonic(), 0))
            if not ready:
                return b"", b"", late
            for key, _ in ready:
                chunk = os.read(key.fd, _CHUNK)
                if not chunk:
                    selector.unregister(key.fileobj)
                found[key.fileobj] += chunk  # type: ignore[index]
            if sum(map(len, found.values())) > MOST_OUTPUT:
                return b"", b"", "prints more than 4 MiB."
    try:
        process.wait(max(deadline - time.monotonic(), 0))
    except subprocess.TimeoutExpired:
        return b"", b"", late
    return bytes(found[process.stdout]), bytes(found[process.stderr]), ""


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program, and what it has started and left behind."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)


def _not_run(command: Sequence[str], directory: Path, error: Exception) -> str:
    """Return why a program could not be started, in Foundry's words."""
    words = " ".join(f'"{word}"' for word in command)
    reason = str(error)
    if isinstance(error, OSError):
        reason = f"{os.strerror(error.errno or 0)} (os error {error.errno})"
    return f'failed to execute command cd "{directory}" && {words}: {reason}'
