"""A task has one result, whatever the replica has run before."""

from __future__ import annotations

from itertools import permutations

import pytest
from campaigns import small_config

from echidna_mcp.demo import load_demo
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.rounds.call_codec import CallCodec
from echidna_mcp.rounds.engine import Engine
from echidna_mcp.rounds.exploration import explored_target
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.rounds.round import run_round
from echidna_mcp.views.campaign import CampaignViews


@pytest.mark.parametrize("seed", [7, 8, 9])
def test_what_another_task_asked_of_properties_is_forgotten(seed):
    backend = PluginManager.load().backends["native"]
    config = small_config(workers=5, seed=seed)
    target = explored_target(load_demo(), config, backend)
    setup = WorkerSetup(target, backend)
    tasks = Engine(CampaignViews(target), CallCodec(target)).plan().tasks
    alone = [run_round(Replica(setup), task).digest for task in tasks]
    for first, second in permutations(range(len(tasks)), 2):
        replica = Replica(setup)
        run_round(replica, tasks[first])
        assert run_round(replica, tasks[second]).digest == alone[second]
