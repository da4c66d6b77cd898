"""A campaign is a pure function of program, config, seed and commands (design §4)."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from campaigns import py_evm, small_config, started

from echidna_mcp.campaign.replay import ReplayedCommand, read_recording, replay
from echidna_mcp.demo import load_demo
from echidna_mcp.errors import ReplayDivergedError
from echidna_mcp.fuzz.kernels.loading import load_kernels
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.rounds.round import run_round
from echidna_mcp.rounds.tasks import RoundTask

ROUNDS = 6
RAY = ["ray:2"] if os.environ.get("ECHIDNA_MCP_RAY") == "1" else []
"""Ray is in `nox -s ray` only."""
COMMANDS = {
    2: [("prioritize_function", {"functionSignature": "setFee(uint256)"})],
    3: [
        (
            "inject_transaction",
            {"sequence": ["deposit()", "requestWithdrawal(?)"], "value": "1000"},
        ),
        ("prioritize_function", {"functionSignature": "onlyOwner()"}),
    ],
    5: [("clear_priorities", {})],
}


def digests_of(tmp_path: Path, executor: str, commands=COMMANDS, **config) -> list[str]:
    with started(
        tmp_path, load_demo(), small_config(**config), executor=executor
    ) as running:
        running.rounds(ROUNDS, commands)
        return running.digests()


@pytest.fixture(scope="module")
def reference(tmp_path_factory) -> list[str]:
    return digests_of(tmp_path_factory.mktemp("reference"), "inline")


@pytest.mark.parametrize(
    "executor", ["threads:1", "threads:2", "processes:1", "processes:2", *RAY]
)
def test_every_executor_gives_the_digest_of_inline(reference, tmp_path, executor):
    assert digests_of(tmp_path, executor) == reference


@pytest.mark.parametrize("mode", ["plain", "checked"])
def test_compiled_and_plain_kernels_give_the_same_digest(
    reference, tmp_path, monkeypatch, mode
):
    assert load_kernels().mode == "compiled"
    monkeypatch.setenv("ECHIDNA_MCP_KERNELS", mode)
    assert load_kernels().mode == mode
    assert digests_of(tmp_path, "inline") == reference


def test_every_round_has_a_digest_of_its_own(reference):
    assert len(set(reference)) == ROUNDS


def test_another_seed_gives_another_digest(reference, tmp_path):
    other = digests_of(tmp_path, "inline", seed=8)
    assert not set(other) & set(reference)


def test_another_number_of_logical_workers_gives_another_digest(reference, tmp_path):
    other = digests_of(tmp_path, "inline", workers=2)
    assert not set(other) & set(reference)


def test_a_command_moved_by_one_round_gives_another_digest(reference, tmp_path):
    moved = {2: COMMANDS[2], 4: COMMANDS[3], 5: COMMANDS[5]}
    other = digests_of(tmp_path, "inline", commands=moved)
    assert other[:2] == reference[:2]
    assert other[2:] != reference[2:]
    assert not set(other[2:]) & set(reference[2:])


@pytest.mark.parametrize("hash_seed", ["0", "77"])
def test_the_hash_seed_of_python_does_not_matter(reference, tmp_path, hash_seed):
    script = (
        "import json, sys; from pathlib import Path;"
        "import test_determinism as t;"
        "print(json.dumps(t.digests_of(Path(sys.argv[1]), 'inline')))"
    )
    paths = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "support")]
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        env={
            **os.environ,
            "PYTHONHASHSEED": hash_seed,
            "PYTHONPATH": os.pathsep.join(paths),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == reference


def test_a_task_gives_the_same_result_again_and_in_any_order():
    target = build_target(load_demo(), small_config())
    replica = Replica(WorkerSetup(target, py_evm()))
    tasks = [RoundTask(round=2, worker=w, budget=5_000) for w in range(3)]
    first = [run_round(replica, task).digest for task in tasks]
    again = [run_round(replica, task).digest for task in reversed(tasks)]
    assert first == again[::-1]
    assert len(set(first)) == 3


def record_with_random_commands(directory: Path, seed: int):
    """Run a campaign while another thread gives commands at random moments."""
    rng = random.Random(seed)
    pool = [
        ("prioritize_function", {"functionSignature": "payMany"}),
        (
            "inject_transaction",
            {"sequence": ["setFee(1)"], "sender": "0x" + "0" * 35 + "30000"},
        ),
        ("inject_transaction", {"sequence": ["payMany([(0x1, 5)])", "deposit(?)"]}),
        ("clear_priorities", {}),
    ]
    with started(directory, load_demo(), small_config(), "processes:2") as running:
        stop = threading.Event()

        def agent() -> None:
            while not stop.is_set():
                tool, args = rng.choice(pool)
                running.director.accept(tool, args, "at random")
                time.sleep(rng.uniform(0.0, 0.2))

        thread = threading.Thread(target=agent)
        thread.start()
        running.rounds(8)
        stop.set()
        thread.join()
        return read_recording(running.events), running.digests()


def again(recording, commands, executor="inline"):
    runner = make_executor(PluginManager.load().executors, executor)
    try:
        return replay(recording, commands, py_evm(), runner)
    finally:
        runner.close()


def test_a_replay_reproduces_commands_that_came_at_random_moments(tmp_path):
    recording, digests = record_with_random_commands(tmp_path, 3)
    assert len(recording.commands) >= 5
    views = again(recording, recording.commands)
    assert views.progress.state_digest == digests[-1]
    assert views.progress.round == len(digests)


def test_a_replay_names_the_first_round_and_worker_that_differ(tmp_path):
    with started(tmp_path, load_demo()) as running:
        running.rounds(ROUNDS, COMMANDS)
        recording = read_recording(running.events)
    moved = [
        ReplayedCommand(
            round=4 if command.round == 3 else command.round,
            tool=command.tool,
            args=command.args,
        )
        for command in recording.commands
    ]
    with pytest.raises(ReplayDivergedError) as caught:
        again(recording, moved)
    assert caught.value.details == {"round": 3, "worker": 0}
    assert "round 3" in caught.value.message


def test_a_replay_without_the_commands_diverges_where_the_first_took_effect(tmp_path):
    with started(tmp_path, load_demo()) as running:
        running.rounds(3, COMMANDS)
        recording = read_recording(running.events)
    with pytest.raises(ReplayDivergedError) as caught:
        again(recording, [])
    assert caught.value.details["round"] == 2
