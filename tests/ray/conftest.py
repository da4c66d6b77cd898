"""A cluster of two nodes on this machine, for all tests of a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ray.cluster_utils import Cluster
from ray_clusters import cluster_of, nothing_left

from echidna_mcp_plugins.executors.ray.cluster import ADDRESS_VARIABLE


@pytest.fixture(scope="session", autouse=True)
def no_ray_is_left() -> Iterator[None]:
    """All processes of Ray have to be gone after the tests."""
    with nothing_left():
        yield


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Two nodes, with room for five actors."""
    with cluster_of(3, 2) as both:
        yield both


@pytest.fixture
def address(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let campaigns run on that cluster."""
    monkeypatch.setenv(ADDRESS_VARIABLE, cluster.address)
    return cluster.address
