"""Where the results of a round differ between two backends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import islice
from pathlib import Path

from campaigns import started

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.program.model import Program
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.rounds.round import run_round
from echidna_mcp.rounds.tasks import RoundResult

_MOST = 10
_LONGEST_VALUE = 160


def result_differences(
    directory: Path,
    program: Program,
    config: CampaignConfig,
    backends: tuple[BackendPlugin, BackendPlugin],
    number: int,
) -> list[str]:
    """Run all rounds before `number` on the left, and that one on both sides.

    Returns:
        Each part of a result that differs with its two values; some, if there are many.
    """
    left, _ = backends
    with started(directory, program, config, backend=left) as running:
        running.rounds(number - 1)
        target, past = running.views.target, running.events
        tasks = running.campaign.engine.plan().tasks
    sides: list[list[RoundResult]] = []
    for backend in backends:
        replica = Replica(WorkerSetup(target, backend))
        replica.fold(past)
        sides.append([run_round(replica, task) for task in tasks])
    return list(islice(_differences(*sides, "worker"), _MOST))


def _differences(left: object, right: object, where: str) -> Iterator[str]:
    if isinstance(left, (tuple, list)) and isinstance(right, (tuple, list)):
        if len(left) != len(right):
            yield f"{where}: {len(left)} entries against {len(right)}"
        for index, pair in enumerate(zip(left, right, strict=False)):
            yield from _differences(*pair, f"{where}[{index}]")
    elif is_dataclass(left) and type(left) is type(right):
        for field in fields(left):
            pair = getattr(left, field.name), getattr(right, field.name)
            yield from _differences(*pair, f"{where}.{field.name}")
    elif left != right:
        yield f"{where}: {_short(left)} against {_short(right)}"


def _short(value: object) -> str:
    # Sets of program counters are integers of many thousand bits.
    text = f"{value:#x}" if isinstance(value, int) else repr(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"
