"""Solvers that break; processes import this module, so it is no test."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from echidna_mcp.solving.solver import Solution
from echidna_mcp_plugins.solvers.bitwuzla import BITWUZLA


def die_once(text: str, names: Sequence[str], budget: int) -> Solution:
    """Kill the process at the first query of all; then solve."""
    mark = Path(os.environ["DIED"])
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return BITWUZLA.solve(text, names, budget)


def lie(text: str, names: Sequence[str], budget: int) -> Solution:
    """Claim that everything has an answer: numbers that mean nothing."""
    wrong = {name: (len(text) << 300) - 7 * place for place, name in enumerate(names)}
    return Solution("sat", {**wrong, "c99a4": 5}, budget // 50)


def fail(text: str, names: Sequence[str], budget: int) -> Solution:
    """Break."""
    raise RuntimeError(text[:20])


def always_die(text: str, names: Sequence[str], budget: int) -> Solution:
    """Kill the process at each query."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def note_and_die(text: str, names: Sequence[str], budget: int) -> Solution:
    """Kill the process at each query, and take note of it."""
    _note()
    return always_die(text, names, budget)


def note_and_hang(text: str, names: Sequence[str], budget: int) -> Solution:
    """Never come to an end, whatever is asked."""
    _note()
    while True:
        time.sleep(60)


def _note() -> None:
    with Path(os.environ["DIED"]).open("a") as file:
        file.write("x")
