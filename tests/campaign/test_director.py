"""What a campaign finds, what it records, and when it ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from dataclasses import replace

import pytest
from campaigns import PROVENANCE, py_evm, run_forever, small_config, started
from rivals import needs_linux, on_processor, rivals

from echidna_mcp.campaign.director import Director, StopReason
from echidna_mcp.campaign.start import calibrate, resume_campaign
from echidna_mcp.demo import load_demo
from echidna_mcp.errors import CampaignTerminatedError
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.views.properties import PropertyState

LONG = small_config(seed=2, seq_len=100, workers=8, round_budget=30_000)
"""A campaign that finds the demo's bug in a few rounds."""


def run_until_solved(running, most_rounds: int = 300) -> None:
    for _ in range(most_rounds):
        if running.views.properties.in_state(PropertyState.SOLVED):
            return
        running.rounds(1)
    pytest.fail("nothing was falsified and shrunk")


def test_a_three_step_bug_is_falsified_and_shrunk_to_exactly_three_calls(tmp_path):
    with started(tmp_path, load_demo(), LONG) as running:
        run_until_solved(running)
        records = running.views.properties.records
    solved = records["echidna_solvent"]
    assert solved.state is PropertyState.SOLVED
    names = [text.split("(")[0] for text in solved.counterexample]
    assert names == ["deposit", "requestWithdrawal", "cancelWithdrawal"]
    assert records["echidna_fee_is_bounded"].state is PropertyState.OPEN


def test_every_shrunk_call_is_as_simple_as_it_can_be(tmp_path):
    with started(tmp_path, load_demo(), LONG) as running:
        run_until_solved(running)
        calls = running.views.properties.records["echidna_solvent"].calls
    assert [call["timeDelay"] + call["blockDelay"] for call in calls] == [0, 0, 0]
    assert {call["sender"] for call in calls} == {"0x" + "0" * 35 + "10000"}
    assert calls[0]["value"] == "1"
    assert calls[1]["calldata"].endswith("1")
    assert calls[2]["calldata"].endswith("0" * 64)


def test_the_campaign_ends_at_its_test_limit(tmp_path):
    config = small_config(test_limit=200, test_mode="exploration")
    with started(tmp_path, load_demo(), config) as running:
        assert running.director.run() is StopReason.TestLimitReached
        last = running.events[-1]
        stopped = [e for e in running.events if e.type == "WorkerStopped"]
    assert last.type == "CampaignStopped"
    assert last.payload["reason"] == "TestLimitReached"
    assert last.payload["totalCalls"] >= 200
    assert [event.worker for event in stopped] == [0, 1, 2]


def test_the_campaign_ends_when_stop_on_fail_has_found_something(tmp_path):
    config = replace(LONG, stop_on_fail=True)
    with started(tmp_path, load_demo(), config) as running:
        assert running.director.run() is StopReason.FastFailed
        assert running.views.properties.in_state(PropertyState.SOLVED)


def test_a_time_limit_lets_reproducers_be_shrunk_first(tmp_path):
    with started(tmp_path, load_demo(), LONG) as running:
        while not running.views.properties.falsified:
            running.rounds(1)
        running.director.request_stop(StopReason.TimeLimitReached)
        assert running.director.run() is StopReason.TimeLimitReached
        assert running.views.properties.in_state(PropertyState.SOLVED)
        types = [event.type for event in running.events]
    assert types.count("StopRequested") == 1


def test_a_kill_ends_the_campaign_at_the_next_boundary(tmp_path):
    with started(tmp_path, load_demo()) as running:
        running.rounds(1)
        running.director.request_stop(StopReason.Killed)
        assert running.director.run() is StopReason.Killed
        assert running.views.progress.round == 1


def test_commands_are_refused_after_the_end(tmp_path):
    with started(tmp_path, load_demo()) as running:
        running.director.request_stop(StopReason.Killed)
        running.director.run()
        with pytest.raises(CampaignTerminatedError, match="Campaign stopped"):
            running.director.accept("clear_priorities", {}, "too late")
        assert running.events[-1].type == "CampaignStopped"


def test_an_injected_sequence_runs_on_every_worker_and_enters_the_corpus(tmp_path):
    inject = (
        "inject_transaction",
        {"sequence": ["deposit()", "setFee(501)"], "value": "5"},
    )
    with started(tmp_path, load_demo()) as running:
        running.rounds(3)
        before = len(running.views.corpus)
        running.rounds(1, {4: [inject], 5: [inject]})
        running.rounds(1, {5: [inject]})
        entries = [e for e in running.views.corpus.entries[before:] if e.injected]
        executed = [
            event.worker
            for event in running.events
            if event.type == "TransactionExecuted"
            and event.payload["injected"]
            and event.round == 4
            and event.payload["call"] == "setFee(501)"
        ]
    assert executed == [0, 1, 2]
    assert [entry.command for entry in entries] == [1, 2]
    assert [call["function"] for call in entries[0].calls] == [
        "deposit()",
        "setFee(uint256)",
    ]
    assert [call["value"] for call in entries[0].calls] == ["5", "0"]
    assert entries[0].calls[1]["result"] == "REVERT"


def test_a_hole_in_an_injected_call_is_filled_by_each_worker(tmp_path):
    inject = ("inject_transaction", {"sequence": ["requestWithdrawal(?)"]})
    with started(tmp_path, load_demo()) as running:
        running.rounds(1, {1: [inject]})
        calls = {
            event.payload["call"]
            for event in running.events
            if event.type == "TransactionExecuted" and event.payload["injected"]
        }
    assert len(calls) == 3
    assert all(call.startswith("requestWithdrawal(") for call in calls)


@pytest.mark.parametrize(
    ("request_text", "matched"),
    [
        ("setFee(uint256)", {"setFee(uint256)"}),
        ("deposit", {"deposit()", "deposit(address)"}),
        ("onlyOwner()", {"setFee(uint256)", "transferOwnership(address)"}),
    ],
)
def test_nine_calls_in_ten_are_prioritized(tmp_path, request_text, matched):
    command = ("prioritize_function", {"functionSignature": request_text})
    with started(tmp_path, load_demo()) as running:
        running.rounds(2)
        before = dict(running.views.progress.functions)
        running.rounds(40, {3: [command]})
        after = running.views.progress.functions
    counts = {name: after[name] - before.get(name, 0) for name in after}
    total = sum(counts.values())
    share = sum(counts.get(name, 0) for name in matched) / total
    assert total >= 1000
    assert 0.88 <= share <= 0.93


def test_after_clearing_every_function_is_as_likely_as_before(tmp_path):
    prioritize = ("prioritize_function", {"functionSignature": "setFee(uint256)"})
    # What the corpus repeats would be of the time before.
    config = small_config(
        test_mode="exploration", states=False, broods=False, climbing=False
    )
    with started(tmp_path, load_demo(), config) as running:
        running.rounds(6, {4: [prioritize]})
        before = dict(running.views.progress.functions)
        running.rounds(40, {7: [("clear_priorities", {})]})
        after = running.views.progress.functions
        functions = len(running.views.target.functions)
    counts = {name: after[name] - before.get(name, 0) for name in after}
    share = counts["setFee(uint256)"] / sum(counts.values())
    assert len(counts) == functions
    assert 0.4 / functions < share < 3 / functions


def test_a_command_for_an_unknown_function_is_recorded_and_matches_nothing(tmp_path):
    command = ("prioritize_function", {"functionSignature": "nothing()"})
    with started(tmp_path, load_demo()) as running:
        running.rounds(1, {1: [command]})
        assert running.views.priorities.requested == ("nothing()",)
        assert running.views.priorities.matched == ()
        assert running.views.progress.calls > 0


def test_new_coverage_of_the_merge_is_never_counted_twice(tmp_path):
    with started(tmp_path, load_demo()) as running:
        running.rounds(4)
        seen = set()
        total = 0
        for event in running.events:
            if event.type != "CoverageIncreased":
                continue
            points = {
                (key, depth, counter)
                for key, depth, counters in event.payload["visited"]
                for counter in counters
            }
            assert not points & seen
            seen |= points
            total += event.payload["points"]
            assert event.payload["total"] == total
    flat = {(key, counter) for key, _, counter in seen}
    assert total == len(flat)


@pytest.mark.parametrize(
    ("backend", "executor_name", "budget"),
    [
        ("py-evm", "inline", 8_000),
        ("native", "threads:2", 8_000),
        # Rounds of native code for the most part, in the midst of which it is killed.
        ("native", "threads:2", 4_000_000),
    ],
)
@pytest.mark.parametrize("delay", [0.3, 0.9])
def test_a_killed_campaign_goes_on_as_if_nothing_had_happened(
    tmp_path, delay, backend, executor_name, budget
):
    """Digest equal after kill -9 at some moment and resume (design §4)."""
    context = multiprocessing.get_context("spawn")
    flag = context.Event()
    config = small_config(round_budget=budget)
    arguments = (tmp_path / "a", flag, backend, executor_name, config)
    process = context.Process(target=run_forever, args=arguments)
    process.start()
    assert flag.wait(300)
    time.sleep(delay)
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    with EventStore.read_only(store_path(tmp_path / "a")) as store:
        committed = [e.round for e in store.read() if e.type == "RoundCommitted"]
    reach = (committed[-1] if committed else 0) + 3

    manager = PluginManager.load()
    executor = make_executor(manager.executors, executor_name)
    plugin = manager.backends[backend]
    campaign = resume_campaign(store_path(tmp_path / "a"), plugin, executor, PROVENANCE)
    with campaign.store:
        director = Director(
            campaign.engine, campaign.store, executor, news=campaign.events
        )
        while campaign.engine.views.progress.round < reach:
            director.run_round()
        resumed = campaign.engine.views.progress.state_digest
        types = [event.type for event in campaign.store.read()]
    executor.close()
    assert types.count("CampaignResumed") == 1

    command = ("prioritize_function", {"functionSignature": "deposit"})
    with started(
        tmp_path / "b", load_demo(), config, executor_name, plugin
    ) as undisturbed:
        undisturbed.rounds(reach, {1: [command]})
        assert undisturbed.digests()[-1] == resumed


def test_calibration_fixes_the_budget_and_stores_it(tmp_path):
    config = small_config(round_budget=0)
    with started(tmp_path, load_demo(), config) as running:
        stored = running.events[0].payload["config"]["round_budget"]
    assert stored >= 20_000


@needs_linux
def test_calibration_does_not_count_what_other_programs_compute():
    target = build_target(load_demo(), small_config(round_budget=0))
    replica = Replica(WorkerSetup(target, py_evm()))
    with rivals(0) as processor:
        quiet = on_processor(processor, lambda: calibrate(replica, 1))
    with rivals(4) as processor:
        busy = on_processor(processor, lambda: calibrate(replica, 1))
    assert busy > quiet // 2  # A wall clock would say a fifth.


def test_a_campaign_that_was_stopped_by_hand_can_be_resumed(tmp_path):
    with started(tmp_path / "a", load_demo()) as running:
        running.rounds(2)
        running.director.request_stop(StopReason.Killed)
        running.director.run()
    executor = make_executor(PluginManager.load().executors, "inline")
    campaign = resume_campaign(
        store_path(tmp_path / "a"), py_evm(), executor, PROVENANCE
    )
    with campaign.store:
        director = Director(
            campaign.engine, campaign.store, executor, news=campaign.events
        )
        director.run_round()
        resumed = campaign.engine.views.progress.state_digest
    executor.close()
    with started(tmp_path / "b", load_demo()) as undisturbed:
        undisturbed.rounds(3)
        assert undisturbed.digests()[-1] == resumed


def test_a_campaign_that_reached_its_limit_stays_as_it_is(tmp_path):
    config = small_config(test_limit=50, test_mode="exploration")
    with started(tmp_path, load_demo(), config) as running:
        running.director.run()
        events = running.events
    executor = make_executor(PluginManager.load().executors, "inline")
    campaign = resume_campaign(store_path(tmp_path), py_evm(), executor, PROVENANCE)
    with campaign.store:
        assert list(campaign.store.read()) == events
        assert campaign.engine.views.progress.stopped == "TestLimitReached"
    executor.close()
