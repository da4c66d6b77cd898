"""Campaigns on contracts that ask too much: a clear result, and they go on."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from campaigns import Running, small_config, started
from evm_assembler import assemble, creation_code
from extreme_contracts import BREEDING, GREEDY, LOOPING
from memory_use import MIB, resident_bytes
from native_backends import REFERENCE, named
from solc import compile_solidity

from echidna_mcp.campaign.replay import read_recording, replay
from echidna_mcp.errors import DeploymentError
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.program.model import Contract, Program
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.rounds.round import run_round
from echidna_mcp.rounds.tasks import RoundTask
from echidna_mcp.views.properties import PropertyState
from echidna_mcp_plugins.native.backend import NativeBackend
from echidna_mcp_plugins.native.host.capacity import Capacity

pytestmark = pytest.mark.digests

KIB = 1 << 10
MOST_CODE = 24_576
"""EIP-170."""


def payloads(running: Running, kind: str) -> list[dict[str, Any]]:
    return [event.payload for event in running.events if event.type == kind]


def rounds_of(
    directory: Path,
    program: Program,
    count: int,
    backend: BackendPlugin,
    executor: str = "inline",
    **config: Any,
) -> list[dict[str, Any]]:
    """Return what each round committed."""
    with started(
        directory, program, small_config(**config), executor, backend
    ) as running:
        running.rounds(count)
        return payloads(running, "RoundCommitted")


# --------------------------------------------------------------------- loops for ever


@pytest.mark.solc
@pytest.mark.parametrize("name", ["compiled", "checked"])
def test_endless_loops_are_the_same_on_both_backends(tmp_path, name):
    program = compile_solidity(LOOPING, "Looping")
    config = {"test_max_gas": 150_000, "prop_max_gas": 150_000, "round_budget": 30_000}
    one = rounds_of(tmp_path / "a", program, 5, named(REFERENCE), **config)
    other = rounds_of(tmp_path / "b", program, 5, named(name), **config)
    assert one == other
    assert sum(round_["reverts"] for round_ in one) > 5


@pytest.mark.solc
@pytest.mark.parametrize("executor", ["inline", "threads:2"])
def test_endless_loops_with_all_their_gas_end_as_out_of_gas(tmp_path, executor):
    program = compile_solidity(LOOPING, "Looping")
    config = small_config(round_budget=20_000_000, prop_max_gas=2_000_000)
    native = replace(named("compiled"), reference=None)
    with started(tmp_path, program, config, executor, native) as running:
        for _ in range(30):
            running.rounds(1)
            if len(running.views.properties.in_state(PropertyState.SOLVED)) == 2:
                break
        records = running.views.properties.records
        assert not payloads(running, "TaskAbandoned")
    for test in ("echidna_loops_for_ever", "echidna_loops_once_poked"):
        assert records[test].state is PropertyState.SOLVED
        assert records[test].reason == "ended with OUT_OF_GAS"
    assert records["echidna_loops_for_ever"].counterexample == ()
    assert records["echidna_holds"].state is PropertyState.OPEN


# --------------------------------------------------------------------- many contracts


@pytest.mark.solc
def test_ten_thousand_contracts_of_one_call_are_the_same_on_both_backends(tmp_path):
    # More gas than Osaka allows a transaction.
    program = compile_solidity(BREEDING, "Breeding", solc_args="--evm-version prague")
    inject = ("inject_transaction", {"sequence": ["breed(10000)", "poke()"]})
    # Nothing else but one call: py-evm is slow.
    config = small_config(
        workers=1,
        test_max_gas=2_000_000_000,
        evm_version="prague",
        seq_len=1,
        round_budget=1,
        filter_functions=("Breeding.fill()", "Breeding.breedMany()"),
    )
    found = []
    for name in (REFERENCE, "compiled"):
        with started(
            tmp_path / name, program, config, "inline", named(name)
        ) as running:
            running.rounds(1, {1: [inject]})
            ran = [
                event["result"]
                for event in payloads(running, "TransactionExecuted")
                if event["injected"]
            ]
            assert ran == ["STOP", "STOP"]
            assert not payloads(running, "TaskAbandoned")
            found.append((running.digests(), running.views.coverage.covered().keys()))
    assert found[0] == found[1]
    # However many there are, they are known as what they are.
    assert not [key for key in found[0][1] if key.startswith("0x")]


@pytest.mark.solc
def test_a_campaign_that_makes_many_contracts_is_the_same_on_both_backends(tmp_path):
    program = compile_solidity(BREEDING, "Breeding")
    config = {"round_budget": 60_000, "seq_len": 30}
    one = rounds_of(tmp_path / "a", program, 4, named(REFERENCE), **config)
    other = rounds_of(tmp_path / "b", program, 4, named("compiled"), **config)
    assert one == other


@pytest.mark.solc
def test_memory_is_bounded_however_many_contracts_a_campaign_makes(tmp_path):
    program = compile_solidity(BREEDING, "Breeding")
    config = small_config(round_budget=2_500_000, seq_len=100, workers=2)
    native = named("compiled")
    with started(tmp_path, program, config, "threads:2", native) as running:
        running.rounds(3)
        early = resident_bytes()
        running.rounds(5)
        grown = resident_bytes() - early
        assert not payloads(running, "TaskAbandoned")
        gas = sum(round_["gas"] for round_ in payloads(running, "RoundCommitted"))
    # At 60,000 gas each; the caches of two replicas may still fill up.
    assert gas // 60_000 > 20_000
    assert grown < 150 * MIB


# ---------------------------------------------------------------------- exact capacity

SMALL: dict[str, tuple[dict[str, int], str]] = {
    "accounts": ({"accounts": 64 * KIB}, "accounts"),
    "slots": ({"slots": 64 * KIB}, "storage words"),
    "journal": ({"journal": 256 * KIB}, "changes of the state that can be undone"),
    "memories": ({"memory": 128 * KIB}, "memory of contracts"),
    "logs": ({"logs": 128 * KIB}, "logs of one message"),
    "programs": ({"programs": 24 * KIB}, "contract code"),
}
"""By function: a machine that it is too large for, and what the machine lacks."""


def with_capacity(**capacity: int) -> BackendPlugin:
    """Return the native backend on small machines."""
    create = partial(NativeBackend, capacity=Capacity(**capacity))
    return replace(named("compiled"), create=create)


def only(*functions: str) -> dict[str, Any]:
    """Return a configuration with which nothing else is called."""
    every = {*SMALL, "poke"}
    others = sorted(every - {*functions})
    signatures = [
        f"Greedy.{name}({'' if name == 'poke' else 'uint256'})" for name in others
    ]
    return {"filter_functions": tuple(signatures), "filter_blacklist": True}


def lost_sequences(running: Running) -> int:
    return sum(each["sequences"] for each in payloads(running, "SequencesAbandoned"))


@pytest.mark.solc
@pytest.mark.parametrize("executor", ["inline", "threads:2", "processes:2"])
@pytest.mark.parametrize("function", SMALL)
def test_what_a_machine_cannot_hold_costs_a_sequence_and_no_more(
    tmp_path, function, executor
):
    program = compile_solidity(GREEDY, "Greedy")
    capacity, lack = SMALL[function]
    config = small_config(
        workers=4, seq_len=10, round_budget=3_000, **only(function, "poke")
    )
    small = with_capacity(**capacity)
    with started(tmp_path / "small", program, config, executor, small) as running:
        for _ in range(200):
            running.rounds(1)
            if lost_sequences(running) >= 3:
                break
        assert lost_sequences(running) >= 3
        reason = (
            f"The native EVM has no room for more {lack}; lower the gas of calls or "
            "the size of the state, or use the backend py-evm."
        )
        lost = payloads(running, "SequencesAbandoned")
        assert {event["reason"] for event in lost} == {reason}
        assert not payloads(running, "TaskAbandoned")
        committed = payloads(running, "RoundCommitted")
        events = running.events
    first = min(event.round for event in events if event.type == "SequencesAbandoned")
    # What such a sequence did before counts, and the call that was too much.
    for event in events:
        if event.type == "SequencesAbandoned":
            workers = committed[event.round - 1]["workers"]
            assert workers[event.worker]["calls"] > 0
    # Up to there it is the campaign of a machine with room, and that of py-evm.
    assert first > 1
    for name in (REFERENCE, "compiled"):
        rounds = rounds_of_config(tmp_path / name, program, first, named(name), config)
        assert rounds[: first - 1] == committed[: first - 1]
        assert rounds[first - 1] != committed[first - 1]
    # What there is no room for depends on nothing but the campaign.
    again = make_executor(PluginManager.load().executors, "inline")
    recording = read_recording(events)
    views = replay(recording, recording.commands, small, again)
    again.close()
    assert views.progress.state_digest == committed[-1]["stateDigest"]


@pytest.mark.solc
@pytest.mark.parametrize("function", SMALL)
def test_the_rest_of_a_task_is_run(function):
    program = compile_solidity(GREEDY, "Greedy")
    capacity, lack = SMALL[function]
    config = small_config(seq_len=10, **only(function, "poke"))
    target = build_target(program, config)
    large = Replica(WorkerSetup(target, named("compiled")))
    small = Replica(WorkerSetup(target, with_capacity(**capacity)))
    # Work is done in vain, but not without end.
    task = RoundTask(round=2, worker=0, budget=800_000, climbing=False)
    lost = run_round(small, task)
    whole = run_round(large, task)
    assert not whole.lost
    (each,) = lost.lost
    assert lack in each.reason
    assert each.sequences > 1
    assert lost.counters.sequences > 5 * each.sequences
    assert 800_000 <= lost.work < 2 * 800_000
    assert lost.findings


SALTED = """\
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Makes contracts that no other call makes, a few or many.
contract Salted {
    uint256 public calls;

    function breed(uint256 salt) external {
        calls++;
        uint256 count = 20;
        if (uint256(keccak256(abi.encode(salt))) % 8 < 2) count = 300;
        if (uint256(keccak256(abi.encode(salt))) % 8 == 2) count = 400;
        for (uint256 i = 0; i < count; i++) {
            uint256 code = uint256(keccak256(abi.encode(salt, i)));
            assembly {
                // PUSH12 code, MSTORE(0), RETURN(16, 16): never 0xEF at the start
                mstore(0, or(shl(248, 0x6b), shl(152, shr(160, code))))
                mstore(13, shl(184, 0x5f52601060))
                mstore(18, shl(240, 0x10f3))
                if iszero(create(0, 0, 20)) { invalid() }
            }
        }
    }

    function echidna_holds() external pure returns (bool) {
        return true;
    }
}
"""


@pytest.mark.solc
def test_what_a_replica_has_run_before_does_not_matter_for_what_there_is_room_for():
    program = compile_solidity(SALTED, "Salted", solc_args="--evm-version prague")
    target = build_target(
        program,
        small_config(
            seq_len=2,
            test_max_gas=100_000_000,
            evm_version="prague",
            echoes=False,
            harvest=False,
            follow_ups=False,
        ),
    )
    setup = WorkerSetup(target, with_capacity(programs=64 * KIB))
    tasks = [
        RoundTask(round=2, worker=worker, budget=300_000, climbing=False)
        for worker in range(45)
    ]
    alone = [run_round(Replica(setup), task) for task in tasks]
    assert sum(lost.sequences for result in alone for lost in result.lost) > 3
    one = Replica(setup)
    for order in (tasks, tasks[::-1]):
        found = {task.worker: run_round(one, task) for task in order}
        assert [found[task.worker] for task in tasks] == alone


HUNGRY = """\
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

contract Hungry {
    uint256 private calls;

    function poke() external {
        calls++;
    }

    function echidna_is_modest() external view returns (bool) {
        return calls < 4;
    }

    function echidna_takes_memory() external view returns (bool) {
        if (calls % 8 > 2) {
            assembly {
                mstore(300000, 1)
            }
        }
        return calls < 8;
    }
}
"""


@pytest.mark.solc
@pytest.mark.parametrize("calls", [0, 3])
def test_a_property_that_there_is_no_room_for_stays_open(tmp_path, calls):
    program = compile_solidity(HUNGRY.replace("% 8 > 2", f"% 8 >= {calls}"), "Hungry")
    config = small_config(seq_len=30, workers=2, filter_functions=())
    small = with_capacity(memory=128 * KIB)
    with started(tmp_path, program, config, "inline", small) as running:
        running.rounds(4)
        records = running.views.properties.records
        assert records["echidna_takes_memory"].state is PropertyState.OPEN
        assert lost_sequences(running) > 5
        assert not payloads(running, "TaskAbandoned")
        for each in payloads(running, "RoundCommitted"):
            assert all(worker["calls"] > 0 for worker in each["workers"])


def rounds_of_config(
    directory: Path, program: Program, count: int, backend: BackendPlugin, config: Any
) -> list[dict[str, Any]]:
    with started(directory, program, config, "inline", backend) as running:
        running.rounds(count)
        return payloads(running, "RoundCommitted")


# ------------------------------------------------------------------------ size of code


def large_program(size: int) -> Program:
    """Return a contract whose runtime code has that size, all of it reachable."""
    head = assemble("0x0 SLOAD 0x1 ADD 0x0 SSTORE 0x1 0x0 MSTORE")
    tail = assemble("0x20 0x0 RETURN")
    code = head + b"\x5b" * (size - len(head) - len(tail)) + tail
    abi = tuple(
        {
            "type": "function",
            "name": name,
            "stateMutability": "nonpayable",
            "inputs": [],
            "outputs": [{"name": "", "type": "bool"}],
        }
        for name in ("poke", "echidna_holds")
    )
    contract = Contract(
        name="Long",
        source="Long.sol",
        abi=abi,
        creation_code=creation_code(code),
        runtime_code=code,
    )
    return Program(contracts=(contract,), main="Long.sol:Long")


def test_code_of_exactly_the_limit_is_fuzzed(tmp_path):
    config = {"code_size": MOST_CODE, "round_budget": 60_000, "seq_len": 5}
    program = large_program(MOST_CODE)
    one = rounds_of(tmp_path / "a", program, 3, named(REFERENCE), **config)
    other = rounds_of(tmp_path / "b", program, 3, named("compiled"), **config)
    assert one == other
    assert all(before["calls"] > 0 for before, _ in pairwise(one))


@pytest.mark.parametrize("name", [REFERENCE, "compiled"])
def test_a_byte_more_is_refused_with_the_reason(tmp_path, name):
    program = large_program(MOST_CODE + 1)
    with pytest.raises(
        DeploymentError,
        match=r"runtime code has 24577 bytes, but codeSize allows 24576",
    ):
        rounds_of(tmp_path, program, 1, named(name), code_size=MOST_CODE)
    assert list(tmp_path.iterdir()) == []
