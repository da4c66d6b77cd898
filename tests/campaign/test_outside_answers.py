"""Campaigns whose cheatcodes ask the outside: recorded once, the same everywhere."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from campaigns import PROVENANCE, Running, py_evm, small_config, started
from faulty_backend import RAISING, STUMBLING, UNLUCKY_SENDER
from native_backends import named
from solc import compile_solidity

from echidna_mcp.campaign.crash import CrashError
from echidna_mcp.campaign.crash_bundle import read_bundle
from echidna_mcp.campaign.crash_replay import fail_again
from echidna_mcp.campaign.director import Director
from echidna_mcp.campaign.replay import Recording, read_recording, replay
from echidna_mcp.campaign.start import resume_campaign
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.errors import NotReproducibleError
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.evm import outside
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.program.model import Program
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.views.event_log import EventLog

pytestmark = pytest.mark.solc

SOURCE = """
interface Vm {
    function envUint(string calldata) external returns (uint256);
    function envOr(string calldata, uint256) external returns (uint256);
    function ffi(string[] calldata) external returns (bytes memory);
    function readFile(string calldata) external returns (string memory);
    function readLine(string calldata) external returns (string memory);
    function parseUint(string calldata) external returns (uint256);
    function toString(uint256) external returns (string memory);
}

contract Asking {
    Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    uint256 public x;
    uint256 limit;
    string line;

    constructor() { limit = vm.envUint("LIMIT"); }

    function twice(uint8 y) external {
        string[] memory command = new string[](3);
        command[0] = "sh";
        command[1] = "-c";
        command[2] = string.concat("echo >> runs; printf %064x $((2 * ", vm.toString(uint256(y)), "))");
        x = abi.decode(vm.ffi(command), (uint256));
    }

    function next() external { line = vm.readLine("lines.txt"); }

    function plus(uint16 y) external { x += y % vm.envOr("MORE", 100); }

    function either(uint8 y) external {
        try vm.envUint("NOWHERE") { x = 0; } catch { x = y + vm.parseUint(vm.readFile("number.txt")); }
    }

    function echidna_small() external returns (bool) {
        return x < limit + vm.parseUint(vm.readFile("number.txt"));
    }
}
"""  # noqa: E501 - Solidity
CONFIG = small_config(
    allow_ffi=True, workers=2, round_budget=20_000, seq_len=5, shrink_limit=60
)


@pytest.fixture(scope="module")
def program() -> Program:
    return compile_solidity(SOURCE, "Asking")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project that has all that is asked for."""
    project = tmp_path / "project"
    project.mkdir()
    (project / ".env").write_text("LIMIT=300\n")
    (project / "number.txt").write_text("100")
    (project / "lines.txt").write_text("one\ntwo\n")
    monkeypatch.delenv("LIMIT", raising=False)
    monkeypatch.delenv("MORE", raising=False)
    return project


def runs(root: Path) -> int:
    """Return how often the program of the project has run."""
    return (root / "runs").read_text().count("\n")


def recorded(directory: Path) -> Recording:
    with EventStore.read_only(store_path(directory)) as store:
        return read_recording(store.read())


def replayed(recording: Recording, backend: BackendPlugin, executor: str) -> str:
    runner = make_executor(PluginManager.load().executors, executor)
    try:
        views = replay(recording, recording.commands, backend, runner)
    finally:
        runner.close()
    return views.progress.state_digest


def answered(campaign: Running) -> Iterator[str]:
    """Yield what was asked for, in order."""
    for event in campaign.events:
        if event.type == "OutsideAnswered":
            yield " ".join((event.payload["kind"], *event.payload["arguments"][-1:]))


def test_a_replay_needs_neither_variables_nor_files_nor_programs(
    tmp_path, root, program
):
    with started(
        tmp_path / "a", program, CONFIG, backend=named("compiled"), root=root
    ) as campaign:
        campaign.rounds(4)
        asked = [*answered(campaign)]
        (digest,) = campaign.digests()[-1:]
        falsified = campaign.views.properties.falsified
    assert len(asked) == len(set(asked))
    assert {"file lines.txt", "file number.txt", "variable MORE"} <= set(asked)
    assert "variable LIMIT" not in asked  # The world that is deployed knows it.
    assert any(each.startswith("program ") for each in asked)
    assert [each.name for each in falsified] == ["echidna_small"]
    assert runs(root) == sum(each.startswith("program ") for each in asked)

    shutil.rmtree(root)
    recording = recorded(tmp_path / "a")
    assert replayed(recording, py_evm(), "inline") == digest
    assert replayed(recording, named("compiled"), "threads:2") == digest


@pytest.mark.parametrize(
    ("backend", "executor"),
    [("compiled", "threads:2"), ("compiled", "processes:2"), ("py-evm", "inline")],
)
def test_backends_and_executors_ask_for_the_same(
    tmp_path, root, program, backend, executor
):
    found = []
    for name, (evm, runner) in {
        "first": ("compiled", "inline"),
        "second": (backend, executor),
    }.items():
        plugin = py_evm() if evm == "py-evm" else named(evm)
        with started(
            tmp_path / name, program, CONFIG, runner, plugin, root=root
        ) as campaign:
            campaign.rounds(3)
            found.append(([*answered(campaign)], campaign.digests()))
    assert found[0] == found[1]


def test_what_a_caught_failure_would_ask_for_is_not_asked_for_before(
    tmp_path, root, program
):
    with started(tmp_path / "a", program, CONFIG, root=root) as campaign:
        campaign.rounds(1)
        asked = [*answered(campaign)]
    assert set(asked) == {
        *(each for each in asked if each.startswith("program ")),
        *("variable MORE", "variable NOWHERE", "file lines.txt", "file number.txt"),
    }


def test_an_answer_that_is_not_recorded_is_not_looked_for(tmp_path, root, program):
    with started(tmp_path / "a", program, CONFIG, root=root) as campaign:
        campaign.rounds(2)
    before = runs(root)
    recording = recorded(tmp_path / "a")
    dropped = next(each for each in recording.answers[1] if each.kind == "program")
    del recording.answers[1][dropped]
    with pytest.raises(NotReproducibleError, match="Round 1 asks the outside for"):
        replayed(recording, py_evm(), "inline")
    assert runs(root) == before


def test_a_replay_of_later_rounds_knows_the_answers_of_earlier_ones(
    tmp_path, root, program
):
    with started(tmp_path / "a", program, CONFIG, root=root) as campaign:
        campaign.rounds(3)
        (digest,) = campaign.digests()[-1:]
    shutil.rmtree(root)
    with EventStore.read_only(store_path(tmp_path / "a")) as store:
        recording = read_recording(store.read(), first=3)
    assert replayed(recording, py_evm(), "inline") == digest


def test_a_campaign_that_goes_on_keeps_its_answers(tmp_path, root, program):
    with started(tmp_path / "a", program, CONFIG, root=root) as campaign:
        campaign.rounds(2)
        known = [*answered(campaign)]
    (root / "number.txt").write_text("0")
    (root / ".env").write_text("")
    executor = make_executor(PluginManager.load().executors, "inline")
    opened = resume_campaign(
        store_path(tmp_path / "a"), py_evm(), executor, PROVENANCE, root=root
    )
    with opened.store:
        director = Director(
            opened.engine,
            opened.store,
            executor,
            news=opened.events,
            source=opened.source,
        )
        resumed = Running(opened, director, tmp_path / "a")
        resumed.rounds(2)
        asked = [*answered(resumed)]
        digest = resumed.digests()[-1]
    executor.close()
    assert asked[: len(known)] == known
    assert len(asked) == len(set(asked))
    assert replayed(recorded(tmp_path / "a"), py_evm(), "inline") == digest


def test_an_injected_call_may_ask(tmp_path, root, program):
    command = {"sequence": ["twice(77)"]}
    with started(tmp_path / "a", program, CONFIG, root=root) as campaign:
        assert "printf %064x $((2 * 77))" not in " ".join(answered(campaign))
        campaign.rounds(1, {1: [("inject_transaction", command)]})
        digest = campaign.digests()[-1]
        asked = " ".join(answered(campaign))
    assert "printf %064x $((2 * 77))" in asked
    assert replayed(recorded(tmp_path / "a"), py_evm(), "inline") == digest


def test_no_more_is_asked_for_than_a_campaign_can_record(
    tmp_path, root, program, monkeypatch
):
    monkeypatch.setattr(outside, "MOST_ANSWERS", 6)
    with started(tmp_path / "a", program, CONFIG, root=root) as campaign:
        campaign.rounds(3)
        assert len([*answered(campaign)]) == 5  # The deployment has asked for one.
        told = [e.payload for e in campaign.events if e.type == "CheatcodeRefused"]
        digest = campaign.digests()[-1]
    assert {each["cheatcode"] for each in told} >= {"ffi(string[])"}
    assert {each["reason"] for each in told} == {
        "asks for more of the outside than a campaign can record."
    }
    assert replayed(recorded(tmp_path / "a"), py_evm(), "inline") == digest


def unlucky(config: CampaignConfig) -> CampaignConfig:
    return replace(config, senders=(*config.senders, UNLUCKY_SENDER))


def test_a_second_attempt_in_a_fresh_process_knows_the_answers(tmp_path, root, program):
    found = []
    for backend in (py_evm(), STUMBLING):
        with started(
            tmp_path / backend.name,
            program,
            unlucky(CONFIG),
            backend=backend,
            root=root,
        ) as campaign:
            campaign.rounds(1)
            found.append(campaign.digests())
    assert found[0] == found[1]


def test_a_crash_can_be_seen_again_without_the_outside(tmp_path, root, program):
    config = unlucky(CONFIG)
    with (
        started(
            tmp_path / "a", program, config, backend=RAISING, root=root
        ) as campaign,
        pytest.raises(CrashError) as caught,
    ):
        campaign.director.run()
    assert caught.value.bundle is not None
    shutil.rmtree(root)
    failure = fail_again(read_bundle(caught.value.bundle), RAISING)
    assert failure is not None
    assert "no luck" in failure


def test_secrets_are_stored_and_not_shown(tmp_path, root, program):
    (root / ".env").write_text("LIMIT=1234567890123\nMORE=9876543210987\n")
    log = EventLog()
    with started(tmp_path / "a", program, CONFIG, root=root) as campaign:
        campaign.rounds(1)
        for event in campaign.events:
            log.apply(event)
        stored = str([event.payload for event in campaign.events])
    shown = str(log.entries(2500))
    assert "1234567890123" in stored
    assert "9876543210987" in stored
    assert "1234567890123" not in shown
    assert "9876543210987" not in shown
    assert "'arguments': ['LIMIT']" in shown
