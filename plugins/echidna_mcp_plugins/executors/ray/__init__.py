"""Executor `ray`: actors on the nodes of a Ray cluster, each with a replica.

One object holds what all actors need, one more for each round what has happened since;
both are put once and passed by reference. Actors that are idle pull tasks. What runs
where, and how often, is decided by clocks and accidents, and no result depends on it.

* `cluster` begins and ends the connection to Ray,
* `actor` is what runs on a node,
* `past` keeps the events as objects, for actors that lag or join later,
* `crew` are the actors as the campaign sees them: who lives, waits, works,
* `executor` hands out the tasks of a round, again if they are lost or late.

Ray is an extra (`echidna-mcp[ray]`), and is imported only when tasks are to run.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from echidna_mcp.campaign.executor import Executor, ExecutorPlugin
from echidna_mcp.errors import UsageError
from echidna_mcp.plugins import hookimpl


def make_ray_executor(physical_workers: int) -> Executor:
    """Return an executor on so many actors; 0: one a CPU of the cluster.

    Raises:
        UsageError: Ray is not installed, or its address is none.
    """
    if find_spec("ray") is None:
        raise UsageError(
            "The executor ray needs Ray, which is not installed here; run "
            "pip install 'echidna-mcp[ray]', or choose another --executor."
        )
    from echidna_mcp_plugins.executors.ray.executor import (  # noqa: PLC0415 (an extra)
        RayExecutor,
    )

    return RayExecutor(physical_workers)


@hookimpl
def register_executors() -> Sequence[ExecutorPlugin]:
    """Offer this executor, whether Ray is installed or not."""
    return [ExecutorPlugin("ray", make_ray_executor)]
