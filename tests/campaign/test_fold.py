"""Whatever a campaign depends on is rebuilt exactly from what is stored."""

from __future__ import annotations

import copy
import json
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
from campaigns import PROVENANCE, py_evm, small_config, started
from fuzz_support import stream

from echidna_mcp.campaign.director import Director, StopReason
from echidna_mcp.campaign.start import resume_campaign
from echidna_mcp.demo import load_demo
from echidna_mcp.events.event import Event
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.fuzz.parts import append_fresh
from echidna_mcp.fuzz.tables import make_tables, sequence_capacity
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.program.model import Contract, Program
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.call_codec import CallCodec, join, split
from echidna_mcp.rounds.engine import Engine
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.rounds.round import run_round
from echidna_mcp.rounds.tasks import RoundTask, ShrinkTask
from echidna_mcp.views.campaign import CampaignViews

CONFIG = small_config(seed=5, seq_len=60, workers=4, round_budget=20_000)
COMMANDS = {
    2: [
        ("inject_transaction", {"sequence": ["deposit()", "requestWithdrawal(?)"]}),
        ("prioritize_function", {"functionSignature": "deposit"}),
    ],
    3: [
        ("inject_transaction", {"sequence": ["payMany([(0x1, 5), (0x2, 6)])"]}),
        ("clear_priorities", {}),
        ("prioritize_function", {"functionSignature": "onlyOwner()"}),
    ],
    4: [
        (  # The bug of the demo, with calls that shrinking leaves out.
            "inject_transaction",
            {
                "sequence": [
                    "deposit()",
                    "setFee(3)",
                    "requestWithdrawal(7)",
                    "cancelWithdrawal(0)",
                ],
                "value": "70",
            },
        )
    ],
    6: [("clear_priorities", {})],
}
ROUNDS = 20


def state(value: Any) -> Any:
    """Return plain values that are equal just if two states are."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: state(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, dict):
        return {key: state(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [type(value).__name__, *map(state, value)]
    if type(value).__module__.startswith("echidna_mcp.views"):
        return {name: state(item) for name, item in vars(value).items()}
    # pytest can't show bit sets in decimal digits.
    return hex(value) if isinstance(value, int) else value


def state_of(views: CampaignViews) -> dict[str, Any]:
    projections = {n: state(v) for n, v in vars(views).items() if n != "target"}
    return {**projections, "requested": views.priorities.requested}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory) -> tuple[list[Event], dict[int, dict[str, Any]]]:
    """A stored campaign, and its live state after each round."""
    live: dict[int, dict[str, Any]] = {}
    with started(tmp_path_factory.mktemp("fold"), load_demo(), CONFIG) as running:
        for number in range(1, ROUNDS + 1):
            if number == ROUNDS - 3:
                running.director.request_stop(StopReason.TimeLimitReached)
            running.rounds(1, COMMANDS)
            live[number] = copy.deepcopy(state_of(running.views))
        return running.events, live


def test_the_recorded_campaign_holds_every_kind_of_event_of_a_round(recorded):
    events, _ = recorded
    assert {event.type for event in events} >= {
        "CommandAccepted",
        "CommandApplied",
        "TransactionExecuted",
        "CoverageIncreased",
        "CorpusExtended",
        "DictionaryExtended",
        "PropertyFalsified",
        "ReproducerConfirmed",
        "ReproducerShrunk",
        "StopRequested",
    }


def test_the_fold_of_a_store_is_the_live_state_after_every_round(recorded):
    events, live = recorded
    views = CampaignViews.from_started(events[0])
    compared = 0
    for event in events[1:]:
        views.apply(event)
        if event.type == "RoundCommitted":
            assert state_of(views) == live[event.round]
            compared += 1
    assert compared == ROUNDS


def test_the_stored_program_and_config_are_those_of_the_campaign(recorded):
    events, _ = recorded
    views = CampaignViews.from_started(events[0])
    target = build_target(load_demo(), CONFIG)
    assert views.target.program == target.program
    assert views.target.config == target.config
    assert views.target.functions == target.functions
    assert views.target.tests == target.tests


@pytest.mark.parametrize("number", [1, 2, 4, 9, ROUNDS - 3, ROUNDS])
def test_any_round_can_be_run_again_from_the_events_before_it(recorded, number):
    events, _ = recorded
    end = next(
        index
        for index, event in enumerate(events)
        if event.type == "RoundCommitted" and event.round == number
    )
    committed = events[end]
    before = [
        event
        for event in events[:end]
        if event.round < number or event.type == "CommandAccepted"
    ]
    drain = [e for e in events if e.type == "StopRequested" and e.round == number]
    views = CampaignViews.folded(before)
    engine = Engine(views, CallCodec(views.target))
    replica = Replica(WorkerSetup(views.target, py_evm()))
    replica.fold(before)
    plan = engine.plan(drain=drain[0].payload["reason"] if drain else None)
    results = [run_round(replica, task) for task in reversed(plan.tasks)]
    digests = {result.worker: result.digest for result in results}
    assert digests == {w["worker"]: w["digest"] for w in committed.payload["workers"]}
    engine.merge(plan, results)
    assert views.progress.state_digest == committed.payload["stateDigest"]


def test_replicas_that_joined_at_different_times_are_the_same(recorded):
    events, _ = recorded
    views = CampaignViews.from_started(events[0])
    early, late = (Replica(WorkerSetup(views.target, py_evm())) for _ in range(2))
    for event in events:
        early.fold([event])
    late.fold(events)
    assert early.corpus == late.corpus
    assert early.corpus_entries.spans == late.corpus_entries.spans
    assert state_of(early.views) == state_of(late.views)
    whole = CampaignViews.folded(events)
    for name in ("corpus", "coverage", "dictionary"):
        ours = state(getattr(early.views, name))
        assert ours == state(getattr(whole, name))


@pytest.mark.parametrize("favoured", [True, False])
def test_sequences_with_new_code_stand_four_times_if_they_are_favoured(
    recorded, favoured
):
    events, _ = recorded
    started = events[0]
    changes = {"favoured": favoured, "retiring": False}
    config = {**started.payload["config"], **changes}
    first = replace(started, payload={**started.payload, "config": config})
    replica = Replica(WorkerSetup(CampaignViews.from_started(first).target, py_evm()))
    replica.fold(events)
    new = [e.payload["newPoints"] for e in events if e.type == "CorpusExtended"]
    assert 0 in new
    assert any(new)
    times = [4 if favoured and points else 1 for points in new]
    entries = list(replica.corpus_entries.spans)
    assert len(entries) == 2 * sum(times)
    for number in times:
        assert entries[: 2 * number] == entries[:2] * number
        del entries[: 2 * number]


# ------------------------------------------------------------------------- calls

POINT = {
    "name": "p",
    "type": "tuple",
    "components": [{"name": "x", "type": "int24"}, {"name": "s", "type": "string"}],
}
PARAMETERS: list[list[dict[str, Any]]] = [
    [],
    *([{"name": "", "type": t}] for t in ("uint8", "int256", "address", "bool")),
    *([{"name": "", "type": t}] for t in ("bytes4", "bytes", "string", "function")),
    *([{"name": "", "type": t}] for t in ("uint8[]", "string[2]", "bytes[][3]")),
    [POINT, {**POINT, "type": "tuple[]"}, {"name": "", "type": "uint256"}],
    [{**POINT, "type": "tuple[2][]"}, {"name": "", "type": "bytes32[2][]"}],
]
EVERY_TYPE = Program(
    compiler="none",
    main="a.sol:A",
    sources=(),
    contracts=(
        Contract(
            name="A",
            source="a.sol",
            abi=(
                *(
                    {
                        "type": "function",
                        "name": "f",  # overloaded
                        "inputs": inputs,
                        "outputs": [],
                        "stateMutability": "payable",
                    }
                    for inputs in PARAMETERS
                ),
                {"type": "fallback", "stateMutability": "payable"},
                {"type": "receive", "stateMutability": "payable"},
            ),
            creation_code=b"\x00",
            runtime_code=b"\x00",
        ),
    ),
)


@pytest.mark.parametrize("seed", range(4))
def test_calls_of_every_type_are_the_same_bytes_after_json(seed):
    target = build_target(EVERY_TYPE, small_config(test_mode="exploration"))
    codec = CallCodec(target)
    tables = make_tables(
        types=codec.interface.types,
        functions=codec.interface.functions,
        senders=target.config.senders,
        dictionary=[0, 7, 1 << 255, 0x6162 << 240],
        seq_len=150,
    )
    out = bytearray(sequence_capacity(150))
    end = append_fresh(tables, stream(seed), 150, out, 0)
    sequence = bytes(out[:end])
    calls = split(sequence)
    assert join(calls) == sequence
    assert {call.function for call in calls} == set(range(len(target.functions)))
    stored = json.loads(json.dumps([codec.to_json(call) for call in calls]))
    assert codec.sequence(stored) == sequence


# ------------------------------------------------------------------------ the end


def test_a_command_that_a_crash_left_pending_is_applied_before_the_end(tmp_path):
    """The limit is reached in the round at whose end the process dies."""
    config = small_config(test_limit=1, test_mode="exploration")
    with started(tmp_path, load_demo(), config) as running:
        running.rounds(1)
        running.director.accept("inject_transaction", {"sequence": ["deposit()"]}, "")
    executor = make_executor(PluginManager.load().executors, "inline")
    campaign = resume_campaign(store_path(tmp_path), py_evm(), executor, PROVENANCE)
    with campaign.store:
        director = Director(
            campaign.engine, campaign.store, executor, news=campaign.events
        )
        assert director.run() is StopReason.TestLimitReached
    executor.close()
    with EventStore.read_only(store_path(tmp_path)) as store:
        applied = [e for e in store.read() if e.type == "CommandApplied"]
        injected = [e for e in store.read() if e.type == "CorpusExtended"][-1]
    assert len(applied) == 1
    assert injected.payload["injected"]


def test_shrinking_goes_on_however_small_the_budget_is():
    target = build_target(load_demo(), small_config())
    replica = Replica(WorkerSetup(target, py_evm()))
    (call,) = split(_one_call(replica))
    shrink = ShrinkTask(
        test=0, sequence=join([call]), cursor=0, improved=False, attempts=0
    )
    task = RoundTask(round=2, worker=0, budget=1, shrinks=(shrink,), fuzz=False)
    (progress,) = run_round(replica, task).shrunk
    assert progress.cursor > 0 or progress.done


def _one_call(replica: Replica) -> bytes:
    tables = replica.tables(RoundTask(round=2, worker=0, budget=1))
    out = bytearray(sequence_capacity(1))
    return bytes(out[: append_fresh(tables, stream(1), 1, out, 0)])


def test_a_command_that_no_tool_would_have_accepted_does_nothing(tmp_path):
    """Only a log that was written for another program gets there."""
    bad = {"functionSignature": "((("}
    with started(tmp_path, load_demo()) as running:
        running.rounds(2, {1: [("prioritize_function", bad), ("paint_it_black", {})]})
        effects = [
            e.payload["effect"] for e in running.events if e.type == "CommandApplied"
        ]
        assert [list(effect) for effect in effects] == [["error"], ["error"]]
        assert running.views.priorities.requested == ()
        assert running.views.progress.round == 2
