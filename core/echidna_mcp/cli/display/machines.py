"""What each machine did for a campaign, in lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from echidna_mcp.cli.console.printable import printable
from echidna_mcp.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from echidna_mcp.reports.machines import ExecutorStatistics

    Machines = Callable[[], ExecutorStatistics | None]
    """Tells what the machines of a campaign have done so far, if it has some."""

_MOST_NODES: Final = 6
_NAME: Final = 40
"""Characters of a node's name that are shown beside its figures."""


def no_machines() -> None:
    """Tell of none."""


def node_rows(statistics: ExecutorStatistics) -> list[tuple[str, str]]:
    """Return what a live display shows: nodes with what they do now, and the others.

    Nodes that have gone are told of together.
    """
    present = [(name, each) for name, each in statistics.nodes.items() if each.workers]
    rows = [
        (
            printable(name)[:_NAME],
            f"{counted(node.workers, 'worker')} · {node.rate:,} calls/s",
        )
        for name, node in present[:_MOST_NODES]
    ]
    if len(present) > _MOST_NODES:
        others = [node for _, node in present[_MOST_NODES:]]
        workers = counted(sum(node.workers for node in others), "worker")
        rate = sum(node.rate for node in others)
        rows.append(
            (f"… and {len(others)} more", f"{workers} · {rate:,} calls/s"),
        )
    gone = len(statistics.nodes) - len(present)
    lost = [counted(gone, "machine")] if gone else []
    lost += [counted(statistics.lost, "worker")] if statistics.lost else []
    if lost:
        rows.append(("Lost", ", ".join(lost)))
    return rows


def machine_lines(statistics: ExecutorStatistics) -> list[str]:
    """Return a line for each machine, and one for workers that were lost, if any were.

    Tasks a second are those of one worker while it works: a slow machine shows.
    """
    lines = []
    for name, node in statistics.nodes.items():
        rate = node.tasks / node.seconds if node.seconds else 0.0
        lines.append(
            f"{name}: {counted(node.tasks, 'task')}, {node.seconds:.1f} s of work, "
            f"{rate:.1f} a second"
        )
    if statistics.lost:
        lines.append(f"{counted(statistics.lost, 'worker')} lost, and replaced")
    return lines
