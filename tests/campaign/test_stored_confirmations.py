"""What the reference did with a reproducer is stored with it, on every EVM the same."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import rlp
from campaigns import py_evm, replayed, small_config, started
from eth_hash.auto import keccak
from native_backends import named
from rlp.sedes import CountableList, List, binary
from solc import compile_solidity

from echidna_mcp.evm.backend import CallResult, Log, Status, Watch
from echidna_mcp.evm.outside import Answers
from echidna_mcp.fuzz.records import call_length
from echidna_mcp.program.model import Program
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.reports.confirmations import confirmation_text
from echidna_mcp.rounds.call_codec import CallCodec
from echidna_mcp.rounds.confirmation import judge_alone
from echidna_mcp.rounds.exploration import explored_target
from echidna_mcp.rounds.failures.testimony import LONGEST_OUTPUT, logs_hash
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.views.campaign import CampaignViews

pytestmark = pytest.mark.solc

BACKENDS = ("compiled", "py-evm")
REPORTING = ("PropertyFalsified", "ReproducerShrunk", "ValueRaised")

SOURCE = """
contract Safe {
    error Closed(uint256 since);
    event Opened(address indexed by, uint256 at);
    event Told(string words);
    uint256 public level; uint256 public best;
    function open(uint8 code) external returns (bytes memory) {
        if (code % 4 == 3) revert Closed(code);
        emit Opened(msg.sender, code);
        emit Told("open");
        level++;
        return new bytes(300);
    }
    function take(uint8 amount) external payable {
        assert(level < 2 || amount != 7);
    }
    function rate(uint8 x) external { if (level > 0) best = x; }
    function echidna_low() external view returns (bool) { return level < 3; }
    function echidna_sane() external view returns (bool) {
        if (best > 200) revert Closed(best);
        return true;
    }
    function echidna_never() external pure returns (bool) { return false; }
    function optimize_best() external view returns (int256) { return int256(best); }
}
"""

FACTORY = """
contract Child {
    bool public fed;
    function feed() external { fed = true; }
}
contract Factory {
    Child[] children;
    function make() external { children.push(new Child()); }
    function echidna_hungry() external view returns (bool) {
        return children.length == 0 || !children[0].fed();
    }
}
"""


@cache
def program() -> Program:
    return compile_solidity(SOURCE, "Safe")


@cache
def played(backend: str) -> tuple[list[str], CampaignViews, list[Any]]:
    """Run a campaign until everything is shrunk; return digests, state and events."""
    config = small_config(
        test_mode="property,assertion,optimization",
        round_budget=60_000,
        test_limit=2_000,
        workers=2,
    )
    with (
        TemporaryDirectory() as directory,
        started(Path(directory), program(), config, backend=named(backend)) as running,
    ):
        running.director.run()
        return running.digests(), running.views, running.events


def confirmations(events: Sequence[Any]) -> list[dict[str, Any]]:
    return [e.payload for e in events if e.type == "ReproducerConfirmed"]


def test_campaigns_on_every_evm_store_the_same() -> None:
    digests, _, events = played("compiled")
    others, _, theirs = played("py-evm")
    assert digests == others
    assert confirmations(events) == confirmations(theirs)
    assert {each["reference"] for each in confirmations(events)} == {"py-evm"}


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_reported_is_followed_by_what_the_reference_said(backend: str) -> None:
    _, views, events = played(backend)
    calls: dict[str, Any] = {}
    changed = 0
    for event, following in pairwise(events):
        if event.type not in REPORTING:
            continue
        name, sequence = event.payload["property"], event.payload["calls"]
        if calls.get(name) != sequence:
            changed += 1
            assert following.type == "ReproducerConfirmed"
            assert following.payload["property"] == name
            assert following.worker == event.worker
            assert len(following.payload["calls"]) == len(sequence)
        calls[name] = sequence
    assert changed == len(confirmations(events)) > 5
    found = [*views.properties.falsified, *views.properties.raised]
    assert len(found) == 5
    for record in found:
        assert record.confirmation is not None
        assert record.confirmation["reason"] == record.reason
        assert len(record.confirmation["calls"]) == len(record.calls or ())


def test_each_call_did_what_another_evm_and_another_rlp_say() -> None:
    """The native EVM executes the reproducers, and `rlp` encodes their logs."""
    _, views, _ = played("compiled")
    replica = Replica(WorkerSetup(views.target, named("compiled")))
    seen: set[str] = set()
    for record in views.properties.records.values():
        if record.confirmation is None or record.calls is None:
            continue
        results = executed(replica, record.calls)
        told = record.confirmation["calls"]
        for number, (call, result) in enumerate(zip(told, results, strict=True), 1):
            assert call["call"] == number
            assert call["result"] == result.status.name
            assert call["gasUsed"] == result.gas_used
            assert call["logsHash"] == f"0x{encoded_logs(result.logs).hex()}"
            if len(result.output) > LONGEST_OUTPUT:
                assert "output" not in call
                assert call["outputHash"] == f"0x{keccak(result.output).hex()}"
            else:
                assert "outputHash" not in call
                assert call["output"] == f"0x{result.output.hex()}"
            assert ("reason" in call) is (result.status is Status.REVERT)
            seen |= {*call, call["result"]}
    assert seen >= {"output", "outputHash", "reason", "STOP", "REVERT"}


def executed(replica: Replica, calls: Sequence[Any]) -> list[CallResult]:
    replica.backend.restore(replica.start)
    sequence, at = bytearray(replica.codec.sequence(calls)), 0
    address = replica.target.config.contract_addr
    results = []
    while at < len(sequence):
        message = replica.codec.message_at(sequence, at, address)
        results.append(replica.backend.call(message, Watch()))
        at += call_length(sequence, at)
    return results


def encoded_logs(logs: Sequence[Log]) -> bytes:
    """Return keccak of logs by the library that py-evm uses."""
    sedes = CountableList(List((binary, CountableList(binary), binary)))
    parts = [(log.address.to_bytes(20, "big"), log.topics, log.data) for log in logs]
    return keccak(rlp.encode(parts, sedes))


def test_logs_are_hashed_as_the_library_of_py_evm_encodes_them() -> None:
    rng = random.Random(5)
    assert logs_hash(()).hex() == keccak(rlp.encode([])).hex()
    for _ in range(200):
        logs = [
            Log(
                rng.getrandbits(rng.choice((8, 160))),
                tuple(rng.randbytes(32) for _ in range(rng.randrange(5))),
                rng.randbytes(rng.choice((0, 1, 2, 31, 55, 56, 200, 300))),
            )
            for _ in range(rng.randrange(4))
        ]
        assert logs_hash(logs) == encoded_logs(logs)


def test_a_line_says_where_and_how_each_kind_of_test_fails() -> None:
    _, views, _ = played("compiled")
    found = [*views.properties.falsified, *views.properties.raised]
    head = f"confirmed on py-evm {version('py-evm')}: "
    texts = {each.name: confirmation_text(views, each) for each in found}
    assert all(text.startswith(head) for text in texts.values())
    assert {name: text.removeprefix(head) for name, text in texts.items()} == {
        "take(uint8)": "call 3 fails the assertion: reverted: Panic(0x01): assertion "
        "failed",
        "echidna_low": "after 3 calls echidna_low returned false",
        "echidna_sane": "after 2 calls echidna_sane reverted: Closed(201)",
        "echidna_never": "without any call echidna_never returned false",
        "optimize_best": "after 2 calls optimize_best has the value 255",
    }


def test_a_campaign_that_was_stored_without_has_the_same_digests() -> None:
    """So did versions before 0.3 store it: it reads, replays, and says nothing."""
    digests, views, events = played("compiled")
    older = [each for each in events if each.type != "ReproducerConfirmed"]
    assert len(older) < len(events)
    assert replayed(older, named("compiled")) == digests[-1]
    assert replayed(older, named("py-evm")) == digests[-1]
    read = CampaignViews.folded(older)
    assert read.progress.state_digest == views.progress.state_digest
    for record in read.properties.falsified:
        assert record.confirmation is None
        assert confirmation_text(read, record) == ""


def test_another_version_of_the_reference_changes_no_digest() -> None:
    digests, _, events = played("compiled")
    nameless = replace(py_evm(), package="no-such-package")
    assert (nameless.version, replace(nameless, package="").version) == ("", "")
    assert replayed(events, nameless) == digests[-1]


def test_a_call_for_a_contract_that_was_not_created_keeps_its_number() -> None:
    target = factory()
    codec = CallCodec(target)
    calls = [call_of(target, name) for name in ("feed", "make", "feed")]
    (test,) = target.test_index.values()
    testimony = judge_alone(target, Answers(), py_evm(), test, codec.sequence(calls))
    assert testimony.verdict is not None
    assert testimony.verdict.reason == "returned false"
    assert [call.number for call in testimony.calls] == [2, 3]


@cache
def factory() -> FuzzTarget:
    config = small_config(all_contracts=True)
    return explored_target(compile_solidity(FACTORY, "Factory"), config, py_evm())


def call_of(target: FuzzTarget, name: str) -> dict[str, Any]:
    (function,) = (f for f in target.functions if f"{name}()" in f.signature)
    call = {
        "function": function.signature,
        "calldata": f"0x{keccak(f'{name}()'.encode())[:4].hex()}",
        "sender": f"0x{0x10000:040x}",
        "value": "0",
        "timeDelay": 0,
        "blockDelay": 0,
    }
    return call if name == "make" else {**call, "instance": 0}
