"""Campaigns with a solver: what they find, and that they stay what they are."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from broken_solvers import always_die, die_once, fail, lie
from campaigns import PROVENANCE, Running, replayed, small_config, started
from made_contract import MADE
from native_backends import REFERENCE, named
from solc import compile_solidity

from echidna_mcp.campaign.director import Director
from echidna_mcp.campaign.start import resume_campaign
from echidna_mcp.errors import SolverUnavailableError
from echidna_mcp.events.store import store_path
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.program.model import Program
from echidna_mcp.solving.solver import SolverPlugin
from echidna_mcp_plugins.solvers.bitwuzla import BITWUZLA

pytestmark = pytest.mark.solc
pytest.importorskip("bitwuzla")

PAIR: Final = """
contract Pair {
    bool opened;
    function open(uint256 a, uint256 b) external {
        unchecked {
            if (a * 0x9e3779b97f4a7c15 + b * 3 + 11 == 0x1234567890abcdef12345678) {
                if (a ^ (b << 7) == 0xfedcba0987654321) opened = true;
            }
        }
    }
    function echidna_shut() external view returns (bool) { return !opened; }
}
"""
SHARES: Final = """
contract Shares {
    uint256 assets = 1e6; uint256 supply = 1e6; bool lost;
    function donate(uint112 amount) external { assets += amount; }
    function deposit(uint112 amount) external {
        uint256 minted = uint256(amount) * supply / assets;
        if (minted == 0 && amount > 1e21 && uint256(amount) * 1000003 == assets + 12345)
            lost = true;
        assets += amount;
        supply += minted;
    }
    function echidna_shares_for_money() external view returns (bool) { return !lost; }
}
"""
CHAIN: Final = """
contract Chain {
    uint256 first; uint256 second; bool done;
    function one(uint128 a) external { first = uint256(a) * 5 + 3; }
    function two(uint128 b) external { second = first ^ (uint256(b) << 3); }
    function three(uint256 c) external {
        if (first == 0 || second == 0) return;
        unchecked {
            if (second + c == 0xabcdef0123456789) {
                if (first * 7 - c == 0x55555555555557) {
                    if (c & 0xff == 0x42) done = true;
                }
            }
        }
    }
    function echidna_not_done() external view returns (bool) { return !done; }
}
"""
RETURNED: Final = """
contract Returned {
    uint256 kept;
    function keep(uint128 a) external { kept = uint256(a) * 65537 + 17; }
    function echidna_other() external view returns (bool) {
        return kept != 4516529411980367493567378928484096;
    }
}
"""
HANDLED: Final = """
interface Vm {
    function assume(bool) external;
    function assertEq(uint256, uint256) external;
    function deal(address, uint256) external;
    function label(address, string calldata) external;
    function load(address, bytes32) external returns (bytes32);
    function prank(address) external;
    function roll(uint256) external;
    function startPrank(address) external;
    function stopPrank() external;
    function store(address, bytes32, bytes32) external;
    function warp(uint256) external;
}
contract Safe {
    address owner = address(0xa11ce); uint256 key; uint256 born = block.timestamp;
    bool public opened;
    function set(uint256 to) external { require(msg.sender == owner); key = to; }
    function open(uint256 a, uint256 b) external {
        require(msg.sender == owner && block.timestamp == born + 1 days);
        require(address(0xb0b).balance == 7 && block.number == 1000);
        unchecked {
            if (a * 0x9e3779b97f4a7c15 + b * 3 + key == 0x1234567890abcdef12345678) {
                if (a ^ (b << 7) == 0xfedcba0987654321) opened = true;
            }
        }
    }
}
contract Handled {
    Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    Safe safe = new Safe(); uint256 start = block.timestamp;
    function open(uint256 a, uint256 b) external {
        vm.assume(a != b);
        vm.label(address(safe), "the safe");
        vm.warp(start + 1 days);
        vm.roll(1000);
        vm.deal(address(0xb0b), 7);
        vm.prank(address(0xa11ce));
        safe.set(a);
        vm.store(address(this), bytes32(uint256(77)), bytes32(b));
        vm.startPrank(address(0xa11ce));
        safe.open(a, uint256(vm.load(address(this), bytes32(uint256(77)))));
        vm.stopPrank();
        vm.assertEq(block.timestamp, start + 1 days);
    }
    function echidna_shut() external view returns (bool) { return !safe.opened(); }
}
"""
SEALED: Final = """
contract Sealed {
    address constant HOLDER = 0xA11cea11CEA11CEA11cEa11CeA11ceA11CEA11Ce;
    bytes32 immutable seal; bool opened;
    constructor() { seal = keccak256(abi.encodePacked(HOLDER, "of the key")); }
    function open(uint160 a, uint160 b) external {
        unchecked {
            if (a ^ (b << 7) == 0xfedcba0987654321) {
                bytes memory key = abi.encodePacked(address(a + b * 3), "of the key");
                if (keccak256(key) == seal) opened = true;
            }
        }
    }
    function echidna_shut() external view returns (bool) { return !opened; }
}
"""
CASES: Final = {
    "Sealed": SEALED,
    "Made": MADE,
    "Handled": HANDLED,
    "Pair": PAIR,
    "Shares": SHARES,
    "Chain": CHAIN,
    "Returned": RETURNED,
}
ROUNDS: Final = 48


@cache
def program(name: str) -> Program:
    return compile_solidity(CASES[name], name)


def config_of(solver: str = "bitwuzla", **changes: object):
    values = {"solver": solver, "seq_len": 12, "climbing": False, **changes}
    return small_config(**values)


def falsified(running: Running) -> set[str]:
    return {each.name for each in running.views.properties.falsified}


def ran(
    directory: Path,
    backend: str = "compiled",
    executor: str = "inline",
    solvers: Sequence[SolverPlugin] = (),
    name: str = "Pair",
) -> tuple[list[str], list[str]]:
    """Return the digests of a campaign, and what its solver has answered."""
    with started(
        directory,
        program(name),
        config_of(),
        executor,
        named(backend),
        solvers={each.name: each for each in solvers} or None,
    ) as running:
        running.rounds(13)
        answers = [e.payload for e in running.events if e.type == "SolverAnswered"]
        return running.digests(), answers


@pytest.mark.parametrize("name", CASES)
def test_what_no_fuzzing_finds_is_found(tmp_path: Path, name: str) -> None:
    with started(
        tmp_path / "with", program(name), config_of(), backend=named("compiled")
    ) as running:
        running.rounds(ROUNDS)
        assert falsified(running)
        (record,) = running.views.properties.falsified
        confirmed = [e for e in running.events if e.type == "ReproducerConfirmed"]
        assert record.name in {e.payload["property"] for e in confirmed}
    with started(
        tmp_path / "without", program(name), config_of(""), backend=named("compiled")
    ) as running:
        running.rounds(ROUNDS)
        assert not falsified(running)


@pytest.mark.parametrize("name", ["Pair", "Made"])
def test_a_campaign_is_the_same_wherever_it_runs(tmp_path: Path, name: str) -> None:
    expected, answers = ran(tmp_path / "first", name=name)
    assert any(each["sequences"] for each in answers)
    assert ran(tmp_path / "again", name=name) == (expected, answers)
    reference = ran(tmp_path / "reference", backend=REFERENCE, name=name)
    assert reference == (expected, answers)
    for executor in ("threads:2", "processes:2"):
        directory = tmp_path / executor.partition(":")[0]
        assert ran(directory, executor=executor, name=name) == (expected, answers)


@pytest.mark.parametrize("name", ["Chain", "Made"])
def test_a_replay_needs_no_solver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with started(
        tmp_path, program(name), config_of(), backend=named("compiled")
    ) as running:
        running.rounds(ROUNDS)
        events, digests = running.events, running.digests()
    monkeypatch.setitem(sys.modules, "bitwuzla", None)  # It can't be imported.
    assert replayed(events, named("compiled")) == digests[-1]


def test_a_campaign_goes_on_with_the_jobs_that_it_had(tmp_path: Path) -> None:
    """Killed between the choice of a job and its effect: the job runs again."""
    expected, answers = ran(tmp_path / "whole")
    with started(
        tmp_path / "cut", program("Pair"), config_of(), backend=named("compiled")
    ) as running:
        running.rounds(6)
        assert running.views.solving.pending
    runner = make_executor(PluginManager.load().executors, "inline")
    campaign = resume_campaign(
        store_path(tmp_path / "cut"),
        named("compiled"),
        runner,
        PROVENANCE,
        solvers={"bitwuzla": BITWUZLA},
    )
    try:
        with campaign.store:
            director = Director(
                campaign.engine,
                campaign.store,
                runner,
                news=campaign.events,
                solver=campaign.solver,
            )
            running = Running(campaign, director, tmp_path / "cut")
            running.rounds(7)
            assert running.digests() == expected
            told = [e.payload for e in running.events if e.type == "SolverAnswered"]
            assert told == answers
    finally:
        runner.close()
        assert campaign.solver is not None
        campaign.solver.close()


def test_a_job_whose_process_is_killed_runs_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIED", str(tmp_path / "died"))
    expected = ran(tmp_path / "whole")
    mortal = replace(BITWUZLA, solve=die_once)
    assert ran(tmp_path / "mortal", solvers=[mortal]) == expected
    assert (tmp_path / "died").exists()


@pytest.mark.parametrize("solve", [lie, fail, always_die])
def test_a_solver_that_is_broken_wastes_work_and_nothing_else(
    tmp_path: Path, solve
) -> None:
    broken = replace(BITWUZLA, solve=solve)
    with started(
        tmp_path,
        program("Pair"),
        config_of(),
        backend=named("compiled"),
        solvers={"bitwuzla": broken},
    ) as running:
        running.rounds(10)
        assert not falsified(running)
        events, digests = running.events, running.digests()
        assert any(event.type == "SolverAnswered" for event in events)
    assert replayed(events, named("compiled")) == digests[-1]


def test_who_solves_is_stored(tmp_path: Path) -> None:
    with started(
        tmp_path, program("Pair"), config_of(), backend=named("compiled")
    ) as running:
        told = running.events[0].payload["solver"]
        assert told == {"name": "bitwuzla", "version": BITWUZLA.version}
        assert running.events[0].payload["config"]["solver"] == "bitwuzla"


def test_nobody_begins_with_a_solver_that_is_not_there(tmp_path: Path) -> None:
    absent = replace(BITWUZLA, module="no_such_module_here")
    with (
        pytest.raises(SolverUnavailableError, match="install"),
        started(
            tmp_path,
            program("Pair"),
            config_of(),
            backend=named("compiled"),
            solvers={"bitwuzla": absent},
        ),
    ):
        pass
    assert not list(tmp_path.iterdir())


def test_z3_finds_it_as_well(tmp_path: Path) -> None:
    pytest.importorskip("z3")
    with started(
        tmp_path, program("Pair"), config_of("z3"), backend=named("compiled")
    ) as running:
        running.rounds(ROUNDS)
        assert falsified(running)
