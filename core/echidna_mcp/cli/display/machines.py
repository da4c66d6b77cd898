"""What each machine did for a campaign, in lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echidna_mcp.wording import counted

if TYPE_CHECKING:
    from echidna_mcp.campaign.executor import ExecutorStatistics


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
