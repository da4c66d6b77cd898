"""Shrinking by the searcher: the progress, and the work, are those of the round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from campaigns import small_config, started
from native_backends import REFERENCE, named
from shrinkers import Shrinker, Shrunk
from solc import compile_solidity

from echidna_mcp.program.model import Program
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.rounds.commands import MAX_INJECTED_CALLS
from echidna_mcp.rounds.exploration import explored_target
from echidna_mcp.rounds.tasks import MOST_MISSING
from echidna_mcp_plugins.native.backend import NativeBackend
from echidna_mcp_plugins.native.host.capacity import Capacity

pytestmark = pytest.mark.solc

BUDGETS = (1, 200, 201, 5_000, 777, 50_000, 1, 30_000, 300_000, 10_000_000)
"""Some end in the midst of a candidate, some after one, the last at the limit."""
FEW_CALLS = 0.1
"""Part of the messages that Python still runs, at most."""

SOURCE = """
interface Vm {
    function assume(bool) external;
    function prank(address) external;
    function createSelectFork(string calldata) external returns (uint256);
    function envUint(string calldata) external returns (uint256);
}
contract Child {
    uint256 public fed;
    function feed(uint8 n) external payable { fed += n; }
    function burst(uint8 n) external view { assert(n > 200 || fed < 100); }
    function cry() external view { require(msg.sender == address(this)); }
}
contract Nest {
    Vm private constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    Child[] private children;
    uint256 private time;
    uint256 private asked;
    bool private wide;
    event AssertionFailed(string reason);

    function hatch() external { if (children.length < 9) children.push(new Child()); }
    function wait(uint16 seconds_) external { time = block.timestamp + seconds_ % 7; }
    function picky(uint8 n) external { vm.assume(n % 2 == 0); asked += n; }
    function masked(uint160 who) external {
        vm.prank(address(who));
        try children[0].cry() {} catch { asked++; }
    }
    function tell(uint8 n) external {
        if (n > 99 && asked != 0) emit AssertionFailed("told");
    }
    function less(uint8 n) external { asked -= n; }
    function fork(uint8 n) external {
        if (n > 200) try vm.createSelectFork("main") {} catch { wide = true; }
    }
    function ask(uint8 n) external {
        if (n > 200) try vm.envUint("NEST") { wide = true; } catch { wide = true; }
    }
    function echidna_hungry() external view returns (bool) {
        for (uint256 i = 0; i < children.length; i++) {
            if (children[i].fed() > 300) return false;
        }
        return true;
    }
    function echidna_few() external view returns (bool) { return children.length < 2; }
    function echidna_time() external view returns (bool) {
        return time == 0 || time > block.timestamp;
    }
    function echidna_asked() external view returns (bool) {
        return spin(asked) || asked < 300;
    }
    function echidna_forks() external returns (bool) {
        if (wide) vm.createSelectFork("main");
        return true;
    }
    function optimize_asked() external view returns (int256) {
        return int256(asked) - int256(children.length);
    }
    function spin(uint256 turns) private pure returns (bool) {
        for (uint256 i = 0; i < turns % 40; i++) {}
        return false;
    }
}
contract Greedy {
    uint256 public sum;
    function grow(uint16 size) external {
        sum += size;
        if (sum > 90000) assembly { mstore(300000, 1) }
    }
    function echidna_sum() external returns (bool) {
        if (sum > 60000 && sum % 3 == 0) assembly { mstore(300000, 1) }
        return sum < 70000;
    }
}
"""
OUTSIDE, REFUSED = "Nest.ask(uint8)", "Nest.fork(uint8)"
SIMPLE = (OUTSIDE, REFUSED)
"""Functions that Python must look at are not called."""


@pytest.fixture(scope="module")
def program() -> Program:
    return compile_solidity(SOURCE, "Nest")


def target_of(program: Program, **config: Any) -> FuzzTarget:
    values = {
        "seq_len": 15,
        "shrink_limit": 150,
        "all_contracts": True,
        # Without it functions of contracts that nobody has created yet are called.
        "coverage": False,
        "function_constants": False,
    }
    config = {**values, **config}
    return explored_target(program, small_config(**config), named("compiled"))


def shrink_both(
    shrinker: Shrinker, test: int, sequence: bytes, budgets: Sequence[int] = BUDGETS
) -> tuple[list[Shrunk], int, int]:
    """Return what shrinking gives, and how many messages Python ran without and with.

    Raises:
        AssertionError: it is not the same by the searcher.
    """
    sequence = shrinker.cut(sequence, test)
    begun = shrinker.calls
    expected = shrinker.shrink(test, sequence, budgets, native=False)
    between = shrinker.calls
    found = shrinker.shrink(test, sequence, budgets, native=True)
    assert found == expected
    return found, between - begun, shrinker.calls - between


def shrink_all(
    target: FuzzTarget, backend: Any = "compiled", count: int = 12
) -> tuple[list[Shrunk], int, int]:
    """Do that for every test and some sequences."""
    shrinker = Shrinker(target, backend)
    results: list[Shrunk] = []
    without = native = 0
    for sequence in shrinker.sequences(count):
        for test in range(len(target.tests)):
            found, one, other = shrink_both(shrinker, test, sequence)
            results += found
            without, native = without + one, native + other
    return results, without, native


@pytest.mark.parametrize(
    "mode", ["property", "assertion", "property,optimization", "overflow"]
)
def test_the_searcher_shrinks_as_the_round_does(program: Program, mode: Any) -> None:
    target = target_of(program, test_mode=mode, filter_functions=SIMPLE)
    found, without, native = shrink_all(target)
    assert sum(each.progress.shorter for each in found) > 5
    assert any(each.progress.done for each in found)
    assert native < FEW_CALLS * without


def test_contracts_of_the_sequence_are_told_apart(program: Program) -> None:
    target = target_of(
        program,
        test_mode="assertion",
        test_all_contracts=True,
        filter_functions=SIMPLE,
    )
    created = {
        number for number, callee in enumerate(target.callees) if callee.address is None
    }
    assert created
    shrinker, improved = Shrinker(target, "compiled"), 0
    for sequence in shrinker.sequences(20):
        for test, case in enumerate(target.tests):
            if case.callee in created and case.kind == "assertion":
                found, _, _ = shrink_both(shrinker, test, sequence)
                improved += any(each.progress.shorter for each in found)
    assert improved > 0


def test_branches_change_nothing(program: Program) -> None:
    target = target_of(program, filter_functions=SIMPLE, shrink_limit=600)
    shrinker: Any = Shrinker(target, "compiled")
    machine, state = shrinker.replica.backend.machine, shrinker.replica.searcher._state
    results, messages = [], []
    for branching in (0, 1):
        state.branching = branching
        begun = machine.number
        results.append(
            [
                shrinker.shrink(test, sequence, BUDGETS, native=True)
                for sequence in shrinker.sequences(6)
                for test in range(len(target.tests))
            ]
        )
        messages.append(machine.number - begun)
    assert results[0] == results[1]
    # Candidates that change several calls begin to differ early.
    assert messages[1] < 0.9 * messages[0]


@pytest.mark.parametrize("tests", ["property", "assertion"])
@pytest.mark.parametrize("mode", ["checked", "plain"])
def test_it_is_the_same_however_the_backend_runs(
    program: Program, mode: str, tests: Any
) -> None:
    target = target_of(
        program, test_mode=tests, filter_functions=SIMPLE, shrink_limit=20
    )
    compiled, other = (
        shrink_all(target, each, count=2)[0] for each in ("compiled", mode)
    )
    assert compiled == other


def test_it_is_the_same_on_the_reference(program: Program) -> None:
    target = target_of(program, filter_functions=SIMPLE, shrink_limit=20)
    native, reference = Shrinker(target, "compiled"), Shrinker(target, REFERENCE)
    for sequence in native.sequences(2):
        for test in range(len(target.tests)):
            expected = reference.shrink(test, sequence, BUDGETS, native=False)
            assert native.shrink(test, sequence, BUDGETS, native=True) == expected


def test_every_budget_ends_where_it_does_without_it(program: Program) -> None:
    target = target_of(program, filter_functions=SIMPLE, shrink_limit=400)
    shrinker = Shrinker(target, "compiled")
    (sequence,) = shrinker.sequences(1)
    for budget in range(1, 60_000, 997):
        shrink_both(shrinker, 0, sequence, [budget] * 3)


@pytest.mark.parametrize("limit", [0, 1, 2, 5])
def test_attempts_end_where_they_do_without_it(program: Program, limit: int) -> None:
    target = target_of(program, filter_functions=SIMPLE, shrink_limit=limit)
    found, _, _ = shrink_all(target, count=3)
    assert max(each.progress.attempts for each in found) == limit


def test_sequences_that_are_longer_than_those_of_the_search(program: Program) -> None:
    target = target_of(program, filter_functions=SIMPLE, seq_len=3)
    shrinker = Shrinker(target, "compiled")
    longest = b"".join(shrinker.sequences(MAX_INJECTED_CALLS // 3))
    for test in range(len(target.tests)):
        shrink_both(shrinker, test, longest)


def test_what_the_outside_has_to_answer_is_told(program: Program) -> None:
    found, _, _ = shrink_all(target_of(program, shrink_limit=40))
    missing = [each for each in found if each.missing]
    assert missing
    assert all(len(each.missing) < MOST_MISSING for each in missing)


def test_cheatcodes_that_properties_lack_are_told(program: Program) -> None:
    target = target_of(program, filter_functions=(OUTSIDE,), shrink_limit=40)
    found, _, _ = shrink_all(target, count=50)
    assert any(each.refused for each in found)


def test_what_there_is_no_room_for_is_told() -> None:
    create = partial(NativeBackend, capacity=Capacity(memory=1 << 18))
    backend = replace(named("compiled"), create=create)
    target = target_of(compile_solidity(SOURCE, "Greedy"), all_contracts=False)
    found, without, native = shrink_all(target, backend, count=25)
    assert any(each.lost for each in found)
    assert any(each.progress.shorter for each in found)
    assert native < without


def test_what_a_campaign_falsifies_is_shrunk_by_the_searcher(
    program: Program, tmp_path: Path
) -> None:
    """Of a real campaign Python runs little: what it records and what it accepts."""
    target = target_of(program, filter_functions=SIMPLE, round_budget=200_000)
    rounds, calls = [], []
    for name, native in (("with", True), ("without", False)):
        counted: list[int] = []
        backend = named("compiled")
        if not native:
            backend = replace(backend, search=None)
        create = partial(_counting, counted, backend.create)
        with started(
            tmp_path / name,
            program,
            target.config,
            backend=replace(backend, create=create),
        ) as running:
            running.rounds(6)
            events = running.events
        rounds.append([e.payload for e in events if e.type == "RoundCommitted"])
        assert any(each.type == "ReproducerShrunk" for each in events)
        calls.append(len(counted))
    assert rounds[0] == rounds[1]
    assert calls[0] < FEW_CALLS * calls[1]


def _counting(counted: list[int], create: Any, config: Any) -> Any:
    backend = create(config)
    call = backend.call

    def counting(*arguments: Any) -> Any:
        counted.append(1)
        return call(*arguments)

    backend.call = counting
    return backend
