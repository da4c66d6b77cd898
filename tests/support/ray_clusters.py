"""Ray clusters of several nodes on this machine, and what is left of them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

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
def cluster_of(*cpus: int) -> Iterator[Cluster]:
    """Start a cluster of nodes that have so many CPUs; end all of it."""
    small = {"object_store_memory": 128 << 20, "include_dashboard": False}
    first, *others = cpus
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": first, **small})
    try:
        for count in others:
            cluster.add_node(num_cpus=count, object_store_memory=128 << 20)
        yield cluster
    finally:
        cluster.shutdown()
