"""Commands that run for a given time of the processor, whatever else the machine does.

A wall clock would measure the machine: on two busy cores the same command gets half as
far.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def run_for(words: Sequence[str], folder: Path, seconds: float) -> tuple[str, float]:
    """Run a command until it ends or has had its time; return its output and time."""
    # What a shell has started in the background ignores it, and so do its children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            words,
            cwd=folder,
            stdout=output,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        spent = 0.0
        while process.poll() is None:
            time.sleep(0.2)
            spent = max(spent, _spent(process.pid))
            if spent >= seconds:
                os.kill(process.pid, signal.SIGINT)
                try:
                    process.wait(60)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
        output.seek(0)
        return output.read(), spent


def _spent(session: int) -> float:
    """Return the processor time of all processes of a session, ended ones included."""
    total = 0
    for each in Path("/proc").iterdir():
        if each.name.isdecimal():
            try:
                text = (each / "stat").read_text()
            except OSError:
                continue
            fields = text.rpartition(")")[2].split()
            if int(fields[3]) == session:
                total += sum(map(int, fields[11:15]))
    return total / TICKS
