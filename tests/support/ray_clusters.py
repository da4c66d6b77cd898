"""Ray clusters of several nodes on this machine, and what is left of them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest

from live_server import until
from ray.cluster_utils import Cluster

RAY_PROGRAMS = ("raylet", "gcs_server", "ray::", "ray/_private", "ray/dashboard")


def ray_processes() -> set[int]:
    """Return the processes of Ray on this machine that have not ended."""
    listed = subprocess.run(
        ["ps", "-eo", "pid=,stat=,args="], capture_output=True, text=True, check=True
    )
    found = set()
    for line in listed.stdout.splitlines():
        pid, state, words = line.strip().split(maxsplit=2)
        if state[0] != "Z" and any(each in words for each in RAY_PROGRAMS):
            found.add(int(pid))
    return found


@contextmanager
def nothing_left() -> Iterator[None]:
    """Require that all of Ray that is started meanwhile ends as well."""
    before = ray_processes()
    yield
    until(lambda: ray_processes() <= before, "the processes of Ray to end")


@contextmanager
def cluster_of(
    *cpus: int, variables: Sequence[Mapping[str, str]] = ()
) -> Iterator[Cluster]:
    """Start a cluster of nodes that have so many CPUs; end all of it.

    Args:
        cpus: of each node.
        variables: what each has in its environment, if it is not what this process has.
    """
    nodes = [
        {"num_cpus": count, "object_store_memory": 128 << 20, "env_vars": dict(each)}
        for count, each in zip_longest(cpus, variables, fillvalue={})
    ]
    head = {**nodes[0], "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    try:
        for node in nodes[1:]:
            cluster.add_node(**node)
        yield cluster
    finally:
        cluster.shutdown()
