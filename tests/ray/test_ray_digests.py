"""A campaign has one digest, on whatever nodes and whatever happens to them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from campaigns import small_config, started
from live_server import until

from echidna_mcp.campaign.reliable import ReliableExecutor
from echidna_mcp.demo import load_demo
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp_plugins.executors.ray import crew
from echidna_mcp_plugins.executors.ray.executor import RayExecutor

ROUNDS = 24
COMMANDS = {
    3: [("inject_transaction", {"sequence": ["deposit()"], "value": "1000"})],
    5: [("prioritize_function", {"functionSignature": "setFee(uint256)"})],
}
BACKENDS = ["py-evm", "native"]


def digests_of(place: Path, executor, backend: str) -> list[str]:
    config = small_config(workers=5)
    plugin = PluginManager.load().backends[backend]
    with started(place, load_demo(), config, executor, plugin) as running:
        running.rounds(ROUNDS, COMMANDS)
        return running.digests()


@pytest.fixture(scope="module")
def reference(tmp_path_factory) -> list[str]:
    return digests_of(tmp_path_factory.mktemp("reference"), "inline", "native")


@pytest.mark.parametrize("executor", ["threads:2", "processes:2"])
def test_executors_of_one_machine_agree(reference, tmp_path, executor):
    assert digests_of(tmp_path, executor, "native") == reference


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("actors", [1, 2, 5])
def test_any_number_of_actors_on_two_nodes_agrees(
    reference, tmp_path, address, actors, backend
):
    assert digests_of(tmp_path, f"ray:{actors}", backend) == reference


class Disturbed(RayExecutor):
    """Lets something happen in the midst of rounds: when the first task has its answer.

    `disturb` gets the executor and the number of the round.
    """

    def __init__(
        self, workers: int, disturb: Callable[[RayExecutor, int], None]
    ) -> None:
        super().__init__(workers)
        self._disturb = disturb

    def run(self, news, tasks):
        for number, answer in enumerate(super().run(news, tasks)):
            if number == 0:
                self._disturb(self, tasks[0].round)
            yield answer


def kill_one(executor: RayExecutor, number: int) -> None:
    """Kill an actor that works, or else one that waits for work."""
    if number % 10:
        return
    member = (executor._crew.working or executor._crew.idle)[0]
    with suppress(ProcessLookupError):
        os.kill(member.arrival.pid, signal.SIGKILL)


@pytest.fixture(params=[0, crew._MANY_AWAITED])
def awaited_at_once(request, monkeypatch) -> None:
    """With none all answers are taken that are there, as on a large cluster."""
    monkeypatch.setattr(crew, "_MANY_AWAITED", request.param)


@pytest.mark.usefixtures("awaited_at_once")
@pytest.mark.parametrize("actors", [1, 2])
def test_an_actor_that_is_killed_in_every_tenth_round_leaves_no_trace(
    reference, tmp_path, address, actors
):
    killed = Disturbed(actors, kill_one)
    lost = []
    reliable = ReliableExecutor(killed)
    reliable._elsewhere = None  # A lost task is Ray's to run again.

    def close() -> None:
        lost.append(killed.statistics.lost)
        RayExecutor.close(killed)

    killed.close = close
    assert digests_of(tmp_path, reliable, "native") == reference
    assert lost[0] >= 1


def test_nodes_that_join_and_leave_leave_no_trace(tmp_path, cluster, address):
    seen, joined, leaving = set(), [], []

    def come_and_go(executor: RayExecutor, number: int) -> None:
        seen.update(executor.statistics.nodes)
        if number == 4:
            joined.append(cluster.add_node(num_cpus=2, object_store_memory=128 << 20))
        if leaving:
            cluster.remove_node(leaving.pop(), allow_graceful=False)

    # More actors than there is room for: the others wait for nodes that join.
    reliable = ReliableExecutor(Disturbed(7, come_and_go))
    reliable._elsewhere = None
    config = small_config(workers=7)
    with started(tmp_path / "on ray", load_demo(), config, reliable) as running:

        def third_node_works() -> bool:
            running.rounds(1)
            return len(seen) == 3

        until(third_node_works, "an actor on the node that has joined")
        leaving += joined
        running.rounds(5)
        digests = running.digests()
    with started(tmp_path / "inline", load_demo(), config) as running:
        running.rounds(len(digests))
        assert running.digests() == digests
    assert not leaving
