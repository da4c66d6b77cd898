"""Whether a campaign has the right number of logical workers for what runs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from echidna_mcp.cli.console.output import show
from echidna_mcp.config.workers import MOST_WORKERS
from echidna_mcp.plugins.selection import make_executor

if TYPE_CHECKING:
    from echidna_mcp.campaign.executor import Executor
    from echidna_mcp.cli.request.campaign import Settings

_IDLE_PERCENT: Final = 25
"""So much of a machine may be idle without a word."""
_TURNS: Final = 32
"""Tasks of a round that one physical worker may have. With more of them the first
rounds last seconds each: every worker finds for itself what is easy to find."""


def tell_misuse(settings: Settings, executor: Executor | None = None) -> None:
    """Print a warning if the logical workers waste the machine.

    Args:
        settings: what is asked for.
        executor: the campaign's; None to make one for the question. One that uses a
            cluster connects to it then.

    Raises:
        UsageError: there is no such cluster.
    """
    if settings.options.quiet:
        return
    if executor is not None:
        physical = executor.physical_workers
    else:
        asked = make_executor(settings.plugins.executors, settings.options.executor)
        try:
            physical = asked.physical_workers
        finally:
            asked.close()
    text = misuse(settings.loaded.campaign.workers, physical)
    if text:
        show(f"Warning: {text}", err=True)


def misuse(workers: int, physical: int) -> str:
    """Return a sentence about what is wasted; empty if little is.

    Args:
        workers: logical workers: tasks of a round.
        physical: tasks that run at once.
    """
    turns = -(-workers // physical)
    places = turns * physical
    idle = 100 * (places - workers) // places
    if idle >= _IDLE_PERCENT:
        # A multiple of the one that is no more than the other can have.
        better = min(turns, MOST_WORKERS // physical) * physical
        return (
            f"A round has a task for each of {workers} logical workers, which leaves "
            f"{physical} physical ones idle for {idle} % of the time; --workers "
            f"{better} keeps them busy."
        )
    if turns > _TURNS:
        return (
            f"Of {workers} logical workers {physical} at most run at once, so a round "
            f"takes {turns} turns, and what one finds reaches the others late; "
            f"--workers {_TURNS * physical} or fewer are enough here."
        )
    return ""
