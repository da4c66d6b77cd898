"""Nothing is reported as falsified that the reference EVM does not show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from campaigns import PROVENANCE, py_evm, small_config, started
from eth_hash.auto import keccak
from faulty_backend import RAISING, STUMBLING, UNLUCKY_SENDER, lying
from native_backends import native

from echidna_mcp.campaign.crash import CrashError
from echidna_mcp.campaign.crash_bundle import read_bundle
from echidna_mcp.campaign.crash_replay import fail_again
from echidna_mcp.campaign.director import Director, StopReason
from echidna_mcp.campaign.reliable import reliable_confirmation
from echidna_mcp.campaign.replay import read_recording, replay
from echidna_mcp.campaign.start import resume_campaign
from echidna_mcp.demo import load_demo
from echidna_mcp.errors import ReplayDivergedError
from echidna_mcp.events.store import store_path
from echidna_mcp.evm.backend import (
    NOTHING,
    BackendConfig,
    EvmBackend,
    Message,
    Status,
    Watch,
)
from echidna_mcp.fuzz.records import call_length
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.call_codec import CallCodec, split
from echidna_mcp.rounds.caller import Called
from echidna_mcp.rounds.confirmation import Claim
from echidna_mcp.rounds.engine import Engine
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.rounds.tasks import Falsification, RoundResult, ShrinkProgress
from echidna_mcp.views.campaign import CampaignViews
from echidna_mcp.views.properties import PropertyState

TRUE_TEST, FALSE_TEST = "echidna_fee_is_bounded", "echidna_solvent"
SELECTOR = keccak(f"{TRUE_TEST}()".encode())[:4]
LIAR = lying(SELECTOR, status=Status.RETURN_FALSE)
EXAGGERATING = lying(keccak(f"{FALSE_TEST}()".encode())[:4], gas_used=4_999)
CONFIG = small_config(seed=5, seq_len=100, workers=8, round_budget=30_000)
"""A campaign that finds the demo's bug in a few rounds."""
ROUNDS = 3


class Watched:
    """The reference, with what was done with it."""

    def __init__(self, before_call: Callable[[], None] = lambda: None) -> None:
        self.worlds = 0
        self.calls = 0
        self._before_call = before_call
        self.plugin = BackendPlugin("watched", self._create)

    def _create(self, config: BackendConfig) -> EvmBackend:
        self.worlds += 1
        backend = py_evm().create(config)
        call = backend.call

        def counted(message: Message, watch: Watch = NOTHING) -> Any:
            self.calls += 1
            self._before_call()
            return call(message, watch)

        backend.call = counted  # type: ignore[method-assign]
        return backend


def events_of(running: Any, *types: str) -> list[Any]:
    return [event for event in running.events if event.type in types]


# -------------------------------------------------------------------------- campaigns


@pytest.fixture(scope="module")
def believed(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], int]:
    """Digests of a campaign without reference, until its reproducer is shrunk."""
    with started(tmp_path_factory.mktemp("a"), load_demo(), CONFIG) as running:
        record = running.views.properties.records[FALSE_TEST]
        while record.state is not PropertyState.SOLVED:
            running.rounds(1)
        shrunk = events_of(running, "PropertyFalsified", "ReproducerShrunk")
        return running.digests(), len(shrunk)


@pytest.mark.parametrize("backend", [py_evm(), native()], ids=lambda b: b.name)
def test_a_campaign_is_the_same_when_the_reference_agrees(
    tmp_path, believed, backend
) -> None:
    digests, reported = believed
    watched = Watched()
    backend = replace(backend, reference=watched.plugin)
    with started(tmp_path, load_demo(), CONFIG, backend=backend) as running:
        running.rounds(len(digests))
        assert running.digests() == digests
        assert not events_of(running, "FalsificationDisputed")
    assert watched.worlds == 1
    assert watched.calls > reported


def test_the_reference_is_not_made_before_something_is_falsified(tmp_path) -> None:
    watched = Watched()
    backend = replace(py_evm(), reference=watched.plugin)
    with started(tmp_path, load_demo(), backend=backend) as running:
        running.rounds(3)
        assert not running.views.properties.falsified
    assert watched.worlds == 0


def test_the_native_backend_is_held_against_py_evm() -> None:
    backends = PluginManager.load().backends
    assert backends["native"].reference == backends["py-evm"]
    assert backends["py-evm"].reference is None


def test_a_lie_is_recorded_once_and_not_reported(tmp_path) -> None:
    with started(tmp_path, load_demo(), backend=LIAR) as running:
        running.rounds(ROUNDS)
        (event,) = events_of(running, "FalsificationDisputed", "PropertyFalsified")
        record = running.views.properties.records[TRUE_TEST]
        assert running.views.properties.falsified == []
        assert running.views.properties.disputed == [record]
    payload = event.payload
    assert (payload["property"], payload["backend"]) == (TRUE_TEST, "lying")
    assert payload["claim"].startswith("the test fails: returned false (")
    assert (payload["reference"], payload["answer"]) == ("py-evm", "the test passes")
    assert payload["calls"]
    assert len(payload["calls"]) == len(payload["counterexample"])
    assert record.state is PropertyState.OPEN
    assert record.dispute == payload


def test_what_both_say_is_reported_while_something_else_is_disputed(tmp_path) -> None:
    with started(tmp_path, load_demo(), CONFIG, backend=LIAR) as running:
        while not running.views.properties.falsified:
            running.rounds(1)
        (event,) = events_of(running, "PropertyFalsified")
        assert event.payload["property"] == FALSE_TEST
        assert events_of(running, "FalsificationDisputed")


def test_a_difference_in_gas_is_disputed_and_the_reference_is_believed(
    tmp_path,
) -> None:
    with started(tmp_path, load_demo(), CONFIG, backend=EXAGGERATING) as running:
        while not running.views.properties.falsified:
            running.rounds(1)
        disputed, falsified = events_of(
            running, "FalsificationDisputed", "PropertyFalsified"
        )
    gas = falsified.payload["gasUsed"]
    assert gas != 4_999
    assert falsified.payload["calls"] == disputed.payload["calls"]
    assert disputed.payload["claim"] == "the test fails: returned false (4999 gas)"
    assert disputed.payload["answer"] == f"the test fails: returned false ({gas} gas)"


def test_a_reference_that_stumbles_confirms_as_if_nothing_had_been(tmp_path) -> None:
    config = small_config(psender=UNLUCKY_SENDER)
    seen = []
    for name, reference in (("good", py_evm()), ("stumbling", STUMBLING)):
        backend = lying(SELECTOR, status=Status.RETURN_FALSE, reference=reference)
        with started(tmp_path / name, load_demo(), config, backend=backend) as running:
            running.rounds(ROUNDS)
            (event,) = events_of(running, "FalsificationDisputed")
            seen.append({**event.payload, "reference": "either"})
    assert seen[0] == seen[1]
    assert seen[0]["answer"] == "the test passes"


def test_a_reference_that_fails_twice_is_a_defect_and_no_dispute(tmp_path) -> None:
    config = small_config(psender=UNLUCKY_SENDER)
    backend = lying(SELECTOR, status=Status.RETURN_FALSE, reference=RAISING)
    with started(tmp_path, load_demo(), config, backend=backend) as running:
        before = running.events
        with pytest.raises(CrashError) as caught:
            running.director.run()
        assert running.events == before
    crash = caught.value.crash
    assert isinstance(crash.job, Claim)
    assert (crash.round, crash.job.test) == (
        1,
        running.views.target.test_index[TRUE_TEST],
    )
    assert len(crash.failures) == 2
    bundle = caught.value.bundle
    assert bundle is not None
    failure = fail_again(read_bundle(bundle), backend)
    assert failure is not None
    assert failure.splitlines()[-1] == "RuntimeError: no luck"
    harmless = lying(SELECTOR, status=Status.RETURN_FALSE)
    assert fail_again(read_bundle(bundle), harmless) is None


def test_a_disputed_campaign_is_replayed(tmp_path) -> None:
    recording, digest = disputed_campaign(tmp_path)
    assert run_again(recording, LIAR).progress.state_digest == digest
    with pytest.raises(ReplayDivergedError) as caught:
        run_again(recording, py_evm())
    assert caught.value.details["worker"] is not None


def test_a_replay_notices_that_the_reference_says_something_else(tmp_path) -> None:
    recording, _ = disputed_campaign(tmp_path)
    with pytest.raises(ReplayDivergedError) as caught:
        run_again(recording, replace(LIAR, reference=None))
    assert caught.value.details["worker"] is None


def disputed_campaign(directory: Path) -> tuple[Any, str]:
    with started(directory, load_demo(), backend=LIAR) as running:
        running.rounds(ROUNDS)
        assert events_of(running, "FalsificationDisputed")
        return read_recording(running.events), running.digests()[-1]


def run_again(recording: Any, backend: BackendPlugin) -> CampaignViews:
    runner = make_executor(PluginManager.load().executors, "inline")
    try:
        return replay(recording, recording.commands, backend, runner)
    finally:
        runner.close()


def test_a_disputed_campaign_is_resumed(tmp_path) -> None:
    with started(tmp_path / "a", load_demo(), backend=LIAR) as running:
        running.rounds(ROUNDS)
        running.director.request_stop(StopReason.Killed)
        running.director.run()
    executor = make_executor(PluginManager.load().executors, "inline")
    campaign = resume_campaign(store_path(tmp_path / "a"), LIAR, executor, PROVENANCE)
    with campaign.store:
        assert campaign.engine.views.properties.disputed
        director = Director(
            campaign.engine, campaign.store, executor, news=campaign.events
        )
        director.run_round()
        director.run_round()
        resumed = campaign.engine.views.progress.state_digest
    executor.close()
    with started(tmp_path / "b", load_demo(), backend=LIAR) as undisturbed:
        undisturbed.rounds(ROUNDS + 2)
        assert undisturbed.digests()[-1] == resumed


def test_a_time_limit_that_is_over_does_not_wait_for_the_reference(
    tmp_path, caplog
) -> None:
    def end() -> None:
        stop = StopReason.TimeLimitReached
        running.director.request_stop(stop, at_once=True)

    watched = Watched(before_call=end)
    backend = lying(SELECTOR, status=Status.RETURN_FALSE, reference=watched.plugin)
    with started(tmp_path, load_demo(), backend=backend) as running:
        assert running.director.run() is StopReason.TimeLimitReached
        assert not events_of(running, "RoundCommitted", "FalsificationDisputed")
        (stopped,) = events_of(running, "CampaignStopped")
    assert stopped.payload["reason"] == "TimeLimitReached"
    assert watched.calls == 1
    (told,) = caplog.messages
    assert f"while a failure of {TRUE_TEST} was being confirmed" in told


def test_a_campaign_that_is_killed_does_not_wait_for_the_reference(tmp_path) -> None:
    def kill() -> None:
        running.director.request_stop(StopReason.Killed)

    watched = Watched(before_call=kill)
    backend = lying(SELECTOR, status=Status.RETURN_FALSE, reference=watched.plugin)
    config = small_config(seq_len=20)
    with started(tmp_path, load_demo(), config, backend=backend) as running:
        assert running.director.run() is StopReason.Killed
        types = {event.type for event in running.events}
        assert running.views.properties.records[TRUE_TEST].dispute is None
    assert not types & {"FalsificationDisputed", "PropertyFalsified", "RoundCommitted"}
    assert watched.calls == 1


# ------------------------------------------------------------------- results by hand


def calls_of(*calls: tuple[str, int, tuple[int, ...]]) -> bytes:
    """Return a sequence of (signature, value, arguments), all words."""
    return CODEC.sequence(
        {
            "function": signature,
            "calldata": "0x"
            + keccak(signature.encode())[:4].hex()
            + "".join(f"{argument:064x}" for argument in arguments),
            "sender": "0x" + "0" * 35 + "10000",
            "value": str(value),
            "timeDelay": 0,
            "blockDelay": 0,
        }
        for signature, value, arguments in calls
    )


TARGET = build_target(load_demo(), small_config())
CODEC = CallCodec(TARGET)
DEPOSIT = ("deposit()", 1, ())
REQUEST = ("requestWithdrawal(uint256)", 0, (1,))
CANCEL = ("cancelWithdrawal(uint256)", 0, (0,))
GUILTY = calls_of(DEPOSIT, REQUEST, CANCEL)
LONGER = calls_of(DEPOSIT, DEPOSIT, REQUEST, CANCEL)
INNOCENT, EMPTY = calls_of(DEPOSIT, REQUEST), b""
TEST = TARGET.test_index[FALSE_TEST]


@pytest.fixture(scope="module")
def gas() -> int:
    """Gas of the property when it does not hold."""
    replica = Replica(WorkerSetup(TARGET, py_evm()))
    sequence, at = bytearray(GUILTY), 0
    while at < len(sequence):
        address = TARGET.config.contract_addr
        result = replica.backend.call(replica.codec.message_at(sequence, at, address))
        at += call_length(sequence, at)
    verdict = replica.judge.falsified(TARGET.tests[TEST], Called(result, 0, b""))
    assert verdict is not None
    return verdict.gas_used


class Handmade:
    """An engine that gets results which no backend has given."""

    def __init__(self) -> None:
        self.reference = Watched()
        backend = BackendPlugin("handmade", print, None, self.reference.plugin)
        self.views = CampaignViews(TARGET)
        confirmation = reliable_confirmation(self.views, backend)
        self.engine = Engine(self.views, CODEC, confirmation)

    def merge(self, *results: dict[str, Any]) -> list[tuple[str, Any, int | None]]:
        """Merge results of workers; return what was reported, by whom."""
        plan = self.engine.plan()
        filled = [
            RoundResult(worker=task.worker, **each)
            for task, each in zip_longest(plan.tasks, results, fillvalue={})
        ]
        events = self.engine.merge(plan, filled, self.engine.confirm(filled))
        return [
            (event.type, event.payload, event.worker)
            for event in events
            if event.type != "RoundCommitted"
        ]


def falsifying(*sequences: bytes, gas: int) -> dict[str, Any]:
    found = (
        Falsification(test=TEST, sequence=each, gas_used=gas, reason="returned false")
        for each in sequences
    )
    return {"falsifications": tuple(found)}


def simpler(sequence: bytes, *, done: bool = False) -> dict[str, Any]:
    progress = ShrinkProgress(
        test=TEST,
        sequence=sequence,
        cursor=7,
        improved=True,
        attempts=20,
        done=done,
        shorter=True,
        reason="returned false",
    )
    return {"shrunk": (progress,)}


def test_the_shortest_sequence_that_the_reference_confirms_is_reported(gas) -> None:
    handmade = Handmade()
    reported = handmade.merge(
        falsifying(LONGER, gas=gas),
        falsifying(GUILTY, gas=gas),
        falsifying(EMPTY, gas=1),
    )
    assert [(kind, worker) for kind, _, worker in reported] == [
        ("FalsificationDisputed", 2),
        ("PropertyFalsified", 1),
        ("ReproducerConfirmed", 1),
    ]
    assert reported[1][1]["gasUsed"] == gas
    assert CODEC.sequence(reported[1][1]["calls"]) == GUILTY
    assert handmade.views.properties.disputed == []
    assert [r.name for r in handmade.views.properties.falsified] == [FALSE_TEST]


def test_no_more_is_run_on_the_reference_than_is_reported(gas) -> None:
    handmade = Handmade()
    handmade.merge(falsifying(GUILTY, gas=gas), falsifying(LONGER, gas=gas))
    judging = 1
    assert handmade.reference.calls == len(split(GUILTY)) + judging


def test_a_simpler_reproducer_is_confirmed_too(gas) -> None:
    handmade = Handmade()
    handmade.merge(falsifying(LONGER, gas=gas))
    shrunk, confirmed = handmade.merge(simpler(GUILTY))
    kind, payload, _ = shrunk
    assert (kind, payload["done"]) == ("ReproducerShrunk", False)
    assert CODEC.sequence(payload["calls"]) == GUILTY
    assert confirmed[0] == "ReproducerConfirmed"
    assert confirmed[1]["reference"] == "watched"
    assert "version" not in confirmed[1]
    assert handmade.reference.worlds == 1


def test_a_simpler_reproducer_that_is_none_is_not_reported(gas) -> None:
    handmade = Handmade()
    handmade.merge(falsifying(LONGER, gas=gas))
    handmade.merge(simpler(GUILTY))
    disputed, shrunk = handmade.merge(simpler(INNOCENT))
    assert disputed[0] == "FalsificationDisputed"
    assert disputed[1]["claim"] == "the test fails: returned false"
    assert CODEC.sequence(disputed[1]["calls"]) == INNOCENT
    assert (shrunk[0], shrunk[1]["done"]) == ("ReproducerShrunk", True)
    assert CODEC.sequence(shrunk[1]["calls"]) == GUILTY
    record = handmade.views.properties.records[FALSE_TEST]
    assert record.state is PropertyState.SOLVED
    # The one that was confirmed stays, and so does what was said of it.
    assert record.confirmation is not None
    assert len(record.confirmation["calls"]) == len(split(GUILTY))
