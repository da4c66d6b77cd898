"""Commands that run for a given time of the processor, whatever else the machine does.

A wall clock would measure the machine: on two busy cores the same command gets half as
far.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import tempfile
import time
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Watched:
    """A command that has run.

    Attributes:
        output: what it wrote to its standard output.
        seconds: of processor time.
        samples: (time since 1970, processor time till then), both ascending.
    """

    output: str
    seconds: float
    samples: Sequence[tuple[float, float]]

    def at(self, moment: float) -> float:
        """Return the processor time till a moment, in seconds since 1970."""
        after = bisect_left(self.samples, (moment, 0.0))
        if after == 0:
            return 0.0
        if after == len(self.samples):
            return self.seconds
        (begin, low), (end, high) = self.samples[after - 1 : after + 1]
        return low + (high - low) * (moment - begin) / (end - begin)


def run_for(words: Sequence[str], folder: Path, seconds: float) -> tuple[str, float]:
    """Run a command until it ends or has had its time; return its output and time."""
    watched = watch_for(words, folder, seconds)
    return watched.output, watched.seconds


def watch_for(
    words: Sequence[str],
    folder: Path,
    seconds: float,
    env: Mapping[str, str] | None = None,
) -> Watched:
    """Run a command until it ends or has had its time.

    Args:
        env: variables that it has beside ours.
    """
    # What a shell has started in the background ignores it, and so do its children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    before = _of_ended()
    with tempfile.TemporaryFile("w+") as output:
        samples = [(time.time(), 0.0)]
        process = subprocess.Popen(
            words,
            cwd=folder,
            env={**os.environ, **(env or {})},
            stdout=output,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        spent = 0.0
        while process.poll() is None:
            time.sleep(0.2)
            spent = max(spent, _spent(process.pid))
            samples.append((time.time(), spent))
            if spent >= seconds:
                os.kill(process.pid, signal.SIGINT)
                try:
                    process.wait(60)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
        # What it has had since the last look, if it has waited for all of its own.
        spent = max(spent, _of_ended() - before)
        samples.append((time.time(), spent))
        output.seek(0)
        return Watched(output.read(), spent, samples)


def _of_ended() -> float:
    """Return the processor time of all our processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


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
