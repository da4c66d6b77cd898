"""Shortened entries of the corpus: that backends agree, and that nothing is lost."""

from __future__ import annotations

from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import pytest
from campaigns import Commands, payloads, py_evm, six_rounds, small_config, started
from corpus_contracts import corpus_program
from hypothesis import given
from hypothesis import strategies as st
from native_backends import REFERENCE, named
from solc import compile_solidity

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.evm.backend import Status, Watch
from echidna_mcp.fuzz.records import call_block_delay, call_time_delay
from echidna_mcp.rounds.call_codec import Call, join
from echidna_mcp.rounds.execution import calls_of
from echidna_mcp.rounds.recorder import Recorder
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.rounds.running import Runner
from echidna_mcp.rounds.shortening import without
from echidna_mcp.views.coverage import counters

SEQ_LEN = 30
CONTRACTS = ["Ratchet", "Factory", "Clock", "MagicNested"]


def events_of(
    directory: Path,
    name: str,
    backend: str,
    commands: Commands | None = None,
    **changes: Any,
) -> list[Any]:
    values = {"round_budget": 30_000, "seq_len": SEQ_LEN, **changes}
    program = corpus_program(name)
    return six_rounds(directory, program, named(backend), commands, **values)


def rounds_of(*args: Any, **changes: Any) -> list[Any]:
    """Return what each round of a campaign committed."""
    return payloads(events_of(*args, **changes), "RoundCommitted")


def lengths(events: list[Any]) -> list[int]:
    return [len(e.payload["calls"]) for e in events if e.type == "CorpusExtended"]


# ------------------------------------------------------------------------------- calls


def test_what_is_dropped_leaves_its_delays_to_the_next_call_up_to_the_longest():
    calls = [
        Call(function=n, sender=1, time_delay=10**n, block_delay=2 * 10**n)
        for n in range(5)
    ]
    records, dropped = calls_of(join(calls)), frozenset({0, 2, 3})
    left = list(without(records, dropped, (10_500, 10**9)))
    assert [number for number, _ in left] == [1, 4]
    delays = [
        (call_time_delay(record, 0), call_block_delay(record, 0))
        for record in (bytearray(call) for _, call in left)
    ]
    assert delays == [(11, 22), (10_500, 22_200)]


delays = st.tuples(st.integers(0, 100), st.integers(0, 60))


@given(st.lists(st.tuples(delays, st.booleans()), max_size=12))
def test_calls_that_wait_keep_each_other_call_at_its_time(drawn):
    """No more of them than it takes, and none with more than a call may have."""
    longest = (100, 60)
    calls = [
        Call(function=1, sender=1, time_delay=seconds, block_delay=blocks)
        for (seconds, blocks), _ in drawn
    ]
    dropped = frozenset(number for number, (_, drops) in enumerate(drawn) if drops)
    left = list(without(calls_of(join(calls)), dropped, longest, waits=True))
    moments = list(accumulate(map(delays_of, calls_of(join(calls))), added))
    times = list(accumulate((delays_of(record) for _, record in left), added))
    assert times == [moments[number] for number, _ in left]
    for _, record in left:
        seconds, blocks = delays_of(record)
        assert seconds <= longest[0]
        assert blocks <= longest[1]
    kept = [number for number, _ in left]
    assert {*kept} >= {*range(len(calls))} - dropped
    for place, number in enumerate(kept):
        if number in dropped:
            start = moments[kept[place - 1]] if place else (0, 0)
            end = moments[number + 1]
            assert any(e - s > m for s, e, m in zip(start, end, longest, strict=True))


def delays_of(record: bytes) -> tuple[int, int]:
    told = bytearray(record)
    return call_time_delay(told, 0), call_block_delay(told, 0)


def added(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return one[0] + other[0], one[1] + other[1]


# --------------------------------------------------------------------------- campaigns


@pytest.mark.parametrize("name", CONTRACTS)
def test_shortening_campaigns_are_the_same_on_every_backend(tmp_path, name):
    edges = name == "Clock"
    expected = rounds_of(tmp_path / "reference", name, REFERENCE, edges=edges)
    for mode in ("compiled", "checked"):
        assert rounds_of(tmp_path / mode, name, mode, edges=edges) == expected
    settings = {"edges": edges, "shortening": False}
    assert rounds_of(tmp_path / "long", name, "compiled", **settings) != expected


def test_a_shortening_campaign_is_the_same_in_plain_python(tmp_path):
    settings = {"round_budget": 8_000, "workers": 1}
    expected = rounds_of(tmp_path / "reference", "Ratchet", REFERENCE, **settings)
    assert rounds_of(tmp_path / "plain", "Ratchet", "plain", **settings) == expected


@pytest.mark.parametrize("name", CONTRACTS)
def test_every_entry_shows_alone_what_it_was_kept_for(tmp_path, name):
    config = small_config(workers=2, round_budget=60_000, seq_len=60)
    with started(
        tmp_path, corpus_program(name), config, backend=named("compiled")
    ) as running:
        running.rounds(8)
        events, target = running.events, running.views.target
    replica = Replica(WorkerSetup(target=target, backend=py_evm()))
    runner, checked = Runner(replica), 0
    for increased, extended in pairwise(events):
        if extended.type != "CorpusExtended" or increased.type != "CoverageIncreased":
            continue
        recorder = Recorder(
            replica.views, replica.codes, replica.backend, {}, enabled=True
        )
        told = extended.payload["calls"]
        records, statuses = calls_of(replica.codec.sequence(told)), []
        watch = Watch(coverage=True, states=True, mappings=True, pairs=True)
        runner.begin()
        for record in records:
            message = runner.aim(bytearray(record), 0)
            assert message is not None
            called = runner.call(message, watch)
            recorder.record(called.result)
            statuses.append(called.result.status.name)
        assert statuses == [call["result"] for call in told]
        shown, payload = recorder.take(), increased.payload
        visited = {
            (key, depth, counter)
            for key, depth, bits in shown.visited
            for counter in counters(bits)
        }
        assert visited >= {
            (key, depth, counter)
            for key, depth, found in payload["visited"]
            for counter in found
        }
        endings = {(key, at, Status(status).name) for key, at, status in shown.endings}
        assert endings >= set(map(tuple, payload["results"]))
        assert set(shown.states) >= set(map(tuple, payload.get("states", ())))
        checked += 1
    assert checked > 2


def test_entries_are_short_and_hold_no_idle_calls(tmp_path):
    settings: dict[str, Any] = {"round_budget": 60_000, "seq_len": 100}
    short = events_of(tmp_path / "short", "Token", "compiled", **settings)
    long = events_of(
        tmp_path / "long", "Token", "compiled", shortening=False, **settings
    )
    assert 2 * max(lengths(short)) < max(lengths(long))
    assert 2 * sum(lengths(short)) / len(lengths(short)) < (
        sum(lengths(long)) / len(lengths(long))
    )


def test_entries_that_came_nearer_are_short_as_well(tmp_path):
    """A call shows a streak that nobody had; all else has nothing to do with it."""
    config = small_config(round_budget=200_000, seq_len=100, states=False)
    program = corpus_program("Streak")
    with started(tmp_path, program, config, backend=named("compiled")) as running:
        running.rounds(12)
        events = running.events
    nearer = [
        len(extended.payload["calls"])
        for increased, extended in pairwise(events)
        if extended.type == "CorpusExtended"
        and increased.type == "CoverageIncreased"
        and increased.payload.get("nearest")
        and not (increased.payload["visited"] or increased.payload["results"])
    ]
    assert len(nearer) >= 4
    assert max(nearer) < 10


TIMED = """
contract Timed {
    mapping(bytes32 => uint256) made; uint256 serial;
    function make() external returns (bytes32 id) {
        id = keccak256(abi.encode(msg.sender, block.timestamp, ++serial));
        made[id] = 1;
    }
    function first(bytes32 id) external { require(made[id] == 1); made[id] = 2; }
    function second(bytes32 id) external { require(made[id] == 2); made[id] = 3; }
    function idle(uint256 x) external pure { require(x == 77); }
    function look(uint256) external pure {}
    function other() external view returns (uint256) { return serial; }
    function echidna_ok() external pure returns (bool) { return true; }
}
"""


@pytest.mark.solc
def test_entries_whose_identifiers_depend_on_the_time_are_shortened(tmp_path):
    """All the time of 30 calls is more than a call may wait; some calls carry it."""
    config = small_config(
        round_budget=200_000, seq_len=60, max_time_delay=1000, max_block_delay=10
    )
    program = compile_solidity(TIMED, "Timed")
    with started(tmp_path, program, config, backend=named("compiled")) as running:
        running.rounds(6)
        entries = payloads(running.events, "CorpusExtended")
    told = [[call["function"] for call in each["calls"]] for each in entries]
    timed = [each for each in told if "second(bytes32)" in each[-1:]]
    assert timed
    for functions in timed:
        needless = {"idle(uint256)", "look(uint256)", "other()"}
        assert sum(each in needless for each in functions) < 15


def test_injected_sequences_stay_as_they_are(tmp_path):
    asked = ["transfer(0x0000000000000000000000000000000000010000,7)"] * 9
    commands: Commands = {3: [("inject_transaction", {"sequence": asked})]}
    events = events_of(tmp_path, "Token", "compiled", commands)
    injected = [
        e.payload
        for e in events
        if e.type == "CorpusExtended" and len(e.payload["calls"]) == len(asked)
    ]
    assert any(
        {call["function"] for call in payload["calls"]} == {"transfer(address,uint256)"}
        for payload in injected
    )


def test_campaigns_that_do_not_say_so_shorten_nothing():
    told = small_config().to_json()
    assert told["shortening"] is True
    del told["shortening"]
    assert not CampaignConfig.from_json(told).shortening
