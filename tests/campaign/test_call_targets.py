"""Which contracts sequences call, how their functions are told apart, and by whom."""

from __future__ import annotations

from typing import Any

import pytest
from campaigns import small_config, started
from native_backends import named
from solc import compile_solidity, require_solc

from echidna_mcp.abi.call_text import parse_call
from echidna_mcp.cli.display.reporter import final_report
from echidna_mcp.errors import CallSyntaxError, TargetError
from echidna_mcp.events.event import Event
from echidna_mcp.program.model import Program
from echidna_mcp.program.target import FuzzTarget, build_target
from echidna_mcp.rounds.commands import prioritized_functions
from echidna_mcp.rounds.exploration import explored_target

pytestmark = pytest.mark.solc

BACKENDS = ("compiled", "py-evm")

NURSERY = """
library Maths { function twice(uint x) external pure returns (uint) { return 2 * x; } }
contract Child {
    uint public immutable number; uint public fed;
    constructor(uint n) { number = n; }
    function feed(uint8 food) external { if (food == 77) fed = Maths.twice(fed) + 1; }
    function break_(uint8 food) external view { assert(number != 2 || food != 9); }
}
contract Nursery {
    Child[] public children;
    function make() external { children.push(new Child(children.length + 1)); }
    function fed(uint n) external view returns (uint) {
        return children.length > n ? children[n].fed() : 0;
    }
}
contract Vault {
    uint public total;
    function put(uint8 x) external { total += x; }
    function echidna_small() external view returns (bool) { return total < 10_000; }
}
contract World {
    Nursery nursery = new Nursery();
    Vault left = new Vault(); Vault right = new Vault();
    function idle() external {}
    function echidna_second() external view returns (bool) {
        return nursery.fed(1) == 0;
    }
    function echidna_left() external view returns (bool) {
        return left.total() < 300;
    }
}
"""


def target_of(source: str, contract: str, **config: Any) -> FuzzTarget:
    program = compile_solidity(source, contract)
    return explored_target(program, small_config(**config), named("py-evm"))


def labels(target: FuzzTarget) -> set[str]:
    return {function.full_name for function in target.functions}


def run_until(tmp_path, contract: str, wanted: int, backend: str, **config: Any):
    """Run until so many tests are falsified; return the events."""
    program = compile_solidity(NURSERY, contract)
    settings = small_config(round_budget=300_000, **config)
    with started(tmp_path, program, settings, backend=named(backend)) as running:
        for _ in range(40):
            running.rounds(1)
            if len(running.views.properties.falsified) >= wanted:
                break
        running.rounds(3)
        return running.events, running.digests()


def reproducers(events: list[Event]) -> dict[str, list[str]]:
    """Return functions of the last reproducer of each test."""
    return {
        event.payload["property"]: [
            f"{call['function']}/{call.get('instance')}"
            for call in event.payload["calls"]
        ]
        for event in events
        if event.type in ("PropertyFalsified", "ReproducerShrunk")
    }


def test_children_of_a_factory_are_called_from_their_creation_on(tmp_path):
    events, digests = run_until(
        tmp_path / "a", "World", 2, "compiled", all_contracts=True
    )
    found = reproducers(events)
    assert found["echidna_second"] == [
        "Nursery.make()/None",
        "Nursery.make()/None",
        "Child#n.feed(uint8)/1",
    ]
    assert {call.partition(".")[0] for call in found["echidna_left"]} == {
        "Vault@0xb4c79dab8f259c7aee6e5b2aa729821864227e84"
    } or len(found["echidna_left"]) >= 2
    _, reference = run_until(tmp_path / "b", "World", 2, "py-evm", all_contracts=True)
    assert digests == reference


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_assertion_of_a_created_contract_is_found(tmp_path, backend):
    events, _ = run_until(
        tmp_path,
        "Nursery",
        1,
        backend,
        test_mode="assertion",
        test_all_contracts=True,
    )
    assert reproducers(events) == {
        "Child#n.break_(uint8)": [
            "Nursery.make()/None",
            "Nursery.make()/None",
            "Child#n.break_(uint8)/1",
        ]
    }


def test_only_the_target_is_called_unless_others_are_asked_for():
    assert labels(target_of(NURSERY, "World")) == {"idle"}


def test_functions_are_told_apart_by_contract_and_address():
    target = target_of(NURSERY, "World", all_contracts=True)
    vaults = {name for name in labels(target) if name.endswith(".put")}
    assert len(vaults) == 2
    assert all(name.startswith("Vault@0x") for name in vaults)
    assert {"World.idle", "Nursery.make", "Child#n.feed"} <= labels(target)
    assert not any("echidna_" in name for name in labels(target))
    assert "Maths" not in {callee.contract.name for callee in target.callees}


def test_every_signature_means_one_function():
    target = target_of(NURSERY, "World", all_contracts=True)
    assert len(target.function_index) == len(target.functions)


def test_a_bare_name_that_several_contracts_have_is_ambiguous():
    functions = target_of(NURSERY, "World", all_contracts=True).functions
    with pytest.raises(
        CallSyntaxError, match="Several contracts have a function `put`"
    ):
        parse_call("put(1)", functions)
    assert parse_call("make()", functions).function.full_name == "Nursery.make"


def test_a_qualified_call_means_the_contract_that_it_names():
    functions = target_of(NURSERY, "World", all_contracts=True).functions
    (one, _) = sorted(f.qualifier for f in functions if f.name == "put")
    assert parse_call(f"{one}.put(1)", functions).function.qualifier == one
    child = parse_call("Child#2.feed(77)", functions)
    assert (child.function.qualifier, child.instance) == ("Child#n", 1)
    with pytest.raises(CallSyntaxError, match="No contract `Bank` is called here"):
        parse_call("Bank.put(1)", functions)


def test_the_name_of_a_lone_target_may_stand_before_its_functions():
    functions = target_of(NURSERY, "Vault").functions
    assert parse_call("Vault.put(1)", functions).function.signature == "put(uint8)"
    with pytest.raises(CallSyntaxError, match="there is Vault"):
        parse_call("Bank.put(1)", functions)


def test_priorities_mean_a_function_of_every_contract_or_of_one():
    target = target_of(NURSERY, "World", all_contracts=True)
    assert len(prioritized_functions("put", target)) == 2
    assert prioritized_functions("Nursery.make", target) == ("Nursery.make()",)
    assert prioritized_functions("Vault.put(uint8)", target) == prioritized_functions(
        "put", target
    )


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_injected_call_reaches_the_child_that_it_names(tmp_path, backend):
    program = compile_solidity(NURSERY, "World")
    config = small_config(all_contracts=True)
    with started(tmp_path, program, config, backend=named(backend)) as running:
        sequence = ["make()", "make()", "make()", "Child#3.feed(77)"]
        running.rounds(2, {1: [("inject_transaction", {"sequence": sequence})]})
        entries = running.views.corpus.entries
    injected = next(entry for entry in entries if entry.injected)
    assert [call["result"] for call in injected.calls] == ["STOP"] * 4
    assert injected.calls[3]["instance"] == 2


def test_a_call_of_a_child_that_is_not_there_is_left_out(tmp_path):
    program = compile_solidity(NURSERY, "World")
    config = small_config(all_contracts=True)
    with started(tmp_path, program, config, backend=named("compiled")) as running:
        sequence = ["Child#1.feed(77)", "make()"]
        running.rounds(2, {1: [("inject_transaction", {"sequence": sequence})]})
        entries = running.views.corpus.entries
    injected = next(entry for entry in entries if entry.injected)
    assert [call["function"] for call in injected.calls] == ["Nursery.make()"]


def test_filters_name_the_contract():
    target = target_of(
        NURSERY,
        "World",
        all_contracts=True,
        filter_functions=("Nursery.make()", "Vault.put(uint8)"),
        filter_blacklist=False,
    )
    assert {name.rpartition(".")[2] for name in labels(target)} == {"make", "put"}


def test_all_contracts_tests_only_the_target():
    tests = target_of(NURSERY, "World", all_contracts=True).tests
    assert {test.name for test in tests} == {"echidna_second", "echidna_left"}


def test_test_all_contracts_tests_the_others_as_well():
    names = {t.name for t in target_of(NURSERY, "World", test_all_contracts=True).tests}
    assert {name for name in names if name.endswith(".echidna_small")} == {
        name for name in names if name.startswith("Vault@0x")
    }
    assert len(names) == 4


def test_target_contracts_are_called_and_tested():
    target = target_of(NURSERY, "World", target_contracts=("Vault",))
    assert {callee.contract.name for callee in target.callees} == {"World", "Vault"}
    assert len(target.tests) == 4


@pytest.mark.parametrize(
    ("name", "problem"),
    [("Child", "which is not deployed"), ("Vlt", "did you mean Vault")],
)
def test_a_target_contract_that_is_not_there_is_refused(name, problem):
    with pytest.raises(TargetError, match=problem):
        target_of(NURSERY, "World", target_contracts=(name,))


def test_a_contract_of_properties_alone_gets_calls_of_its_fallback(tmp_path):
    source = """contract Clock {
        uint start = block.timestamp;
        function echidna_young() external view returns (bool) {
            return block.timestamp < start + 5 days;
        }
        fallback() external {}
    }"""
    require_solc()
    program = compile_solidity(source.replace("fallback() external {}", ""), "Clock")
    assert labels(build_target(program, small_config())) == {"fallback"}
    with started(tmp_path, compile_solidity(source, "Clock")) as running:
        running.rounds(5)
        falsified = [each.name for each in running.views.properties.falsified]
        assert falsified == ["echidna_young"]


def test_a_contract_of_properties_beside_others_is_only_asked(tmp_path):
    require_solc()
    source = """
    contract Box { uint8 public x; function put(uint8 y) external { x = y; } }
    contract Asked {
        Box box = new Box();
        function echidna_x() external view returns (bool) { return box.x() == 0; }
    }"""
    target = target_of(source, "Asked", all_contracts=True)
    assert labels(target) == {"Box.put", "Box.x"}
    program = compile_solidity(source, "Asked")
    with started(tmp_path, program, small_config(all_contracts=True)) as running:
        running.rounds(8)
        report = final_report("text", running.views)
    # A text that has the name of its contract gets no other one.
    assert "\n    Box.put(" in report


# ---------------------------------------------------------------------- StdInvariant

SUITE = """
contract A {
    uint public x; function f() external { x++; } function g() external { x--; }
    function v() external view returns (uint) { return x; } }
contract B { uint public y; function h() external { y++; } }
contract Maker { B public made; function make() external { made = new B(); } }
struct FuzzSelector { address addr; bytes4[] selectors; }
struct FuzzArtifactSelector { string artifact; bytes4[] selectors; }
struct FuzzInterface { address addr; string[] artifacts; }
contract Suite {
    bool public IS_TEST = true; A a; A a2; B b; Maker maker;
    address[] targets; FuzzSelector[] chosen; string[] artifacts; address[] who;
    string[] notArtifacts; address[] notTargets; FuzzSelector[] notChosen;
    FuzzArtifactSelector[] artifactSelectors; FuzzInterface[] interfaces;
    function setUp() external { a = new A(); b = new B(); maker = new Maker(); more(); }
    function more() internal virtual {}
    function own(uint x) external {}
    function failed() external returns (bool) { return false; }
    function targetContracts() external view returns (address[] memory) {
        return targets; }
    function targetSelectors() external view returns (FuzzSelector[] memory) {
        return chosen; }
    function targetArtifacts() external view returns (string[] memory) {
        return artifacts; }
    function targetSenders() external view returns (address[] memory) { return who; }
    function excludeArtifacts() external view returns (string[] memory) {
        return notArtifacts; }
    function excludeContracts() external view returns (address[] memory) {
        return notTargets; }
    function excludeSelectors() external view returns (FuzzSelector[] memory) {
        return notChosen; }
    function targetArtifactSelectors() external view
        returns (FuzzArtifactSelector[] memory) { return artifactSelectors; }
    function targetInterfaces() external view returns (FuzzInterface[] memory) {
        return interfaces; }
    function names(string memory s) internal pure returns (string[] memory l) {
        l = new string[](1); l[0] = s; }
    function one(bytes4 s) internal pure returns (bytes4[] memory l) {
        l = new bytes4[](1); l[0] = s; }
    function echidna_true() external pure returns (bool) { return true; }
}
contract Case is Suite { function more() internal override { BODY } }
"""

ALL = {"A.f", "A.g", "B.h", "Maker.make"}
CREATED = {"B#n.h"}


@pytest.mark.parametrize(
    ("body", "called"),
    [
        ("", ALL | CREATED),
        ("targets.push(address(a));", {"A.f", "A.g"}),
        ("targets.push(address(this));", {"own"}),
        ("notTargets.push(address(a));", (ALL - {"A.f", "A.g"}) | CREATED),
        ("notArtifacts.push('B');", ALL - {"B.h"}),
        ("artifacts.push('A');", {"A.f", "A.g"}),
        (
            "artifacts.push('A'); notArtifacts.push('A');",
            ALL - {"A.f", "A.g"} | CREATED,
        ),
        (
            "artifactSelectors.push(FuzzArtifactSelector('A', one(A.f.selector)));",
            {"A.f"},
        ),
        (
            "chosen.push(FuzzSelector(address(a), one(A.f.selector)));",
            ALL - {"A.g"} | CREATED,
        ),
        (
            (
                "targets.push(address(b)); "
                "chosen.push(FuzzSelector(address(a), one(A.v.selector)));"
            ),
            {"A.v", "B.h"},
        ),
        (
            "notChosen.push(FuzzSelector(address(a), one(A.f.selector)));",
            ALL - {"A.f"} | CREATED,
        ),
        (
            (
                "targets.push(address(b)); "
                "interfaces.push(FuzzInterface(address(a), names('B')));"
            ),
            {"h"},
        ),
        ("a2 = new A();", {"A@.f", "A@.g", "B.h", "Maker.make"} | CREATED),
    ],
)
def test_the_getters_of_std_invariant_decide_what_is_called(body, called):
    target = target_of(SUITE.replace("BODY", body), "Case", std_invariant="always")
    names = {_without_address(name) for name in labels(target)}
    if called in ({"own"}, {"h"}):
        names = {name.rpartition(".")[2] for name in names}
    assert names == called
    assert {test.name for test in target.tests} == {"echidna_true"}


FRONT = """
interface IFront { function f() external; function v() external view returns (uint); }
contract Front {
    A behind; constructor(A to) { behind = to; }
    fallback() external { behind.f(); }
}
"""


def test_an_interface_can_be_what_is_called():
    body = "front = new Front(a); "
    body += "interfaces.push(FuzzInterface(address(front), names('IFront')));"
    source = SUITE.replace("BODY", body).replace("Maker maker;", "Front front;")
    source = source.replace("maker = new Maker();", "") + FRONT
    target = target_of(source, "Case", std_invariant="always")
    assert "IFront.f" in labels(target)
    (front,) = (c for c in target.callees if c.contract.name == "IFront")
    assert front.address is not None
    assert Program.from_json(target.program.to_json()) == target.program


@pytest.mark.parametrize(
    "body",
    [
        "chosen.push(FuzzSelector(address(a), one(0x12345678)));",
        "notChosen.push(FuzzSelector(address(a), one(0x12345678)));",
        "artifactSelectors.push(FuzzArtifactSelector('A', one(0x12345678)));",
    ],
)
def test_a_selector_that_no_function_has_is_refused(body):
    problem = "names the selector 0x12345678, which no function of A has"
    with pytest.raises(TargetError, match=problem):
        target_of(SUITE.replace("BODY", body), "Case")


def test_a_suite_without_getters_calls_what_it_has_deployed_if_that_is_wanted():
    source = """
    contract Box { uint public x; function put(uint y) external { x = y; } }
    contract Case {
        bool public IS_TEST = true; Box box;
        function setUp() external { box = new Box(); }
        function own() external {}
        function echidna_true() external pure returns (bool) { return true; }
    }"""
    assert labels(target_of(source, "Case", std_invariant="always")) == {"Box.put"}
    assert labels(target_of(source, "Case")) == {"own"}


def _without_address(name: str) -> str:
    qualifier, dot, function = name.rpartition(".")
    return qualifier.partition("0x")[0] + dot + function


def test_getters_that_say_nothing_leave_the_target_alone():
    target = target_of(SUITE.replace("BODY", ""), "Case")
    assert labels(target) == {"own"}


def test_getters_are_not_asked_if_that_is_wanted():
    source = SUITE.replace("BODY", "targets.push(address(a));")
    assert labels(target_of(source, "Case", std_invariant="never")) == {"own"}
    assert labels(target_of(source, "Case")) == {"A.f", "A.g"}


def test_target_senders_call():
    source = SUITE.replace("BODY", "who.push(address(0x77)); who.push(address(0x5));")
    assert target_of(source, "Case").senders == (0x5, 0x77)


def test_a_suite_that_leaves_nothing_to_call_is_refused():
    source = SUITE.replace("BODY", "artifacts.push('Suite');")
    with pytest.raises(TargetError, match="leaves no contract to be called"):
        target_of(source, "Case")


def test_a_suite_may_not_target_what_is_not_there():
    body = "chosen.push(FuzzSelector(address(0x99), one(A.f.selector)));"
    with pytest.raises(TargetError, match="where no contract of the project is"):
        target_of(SUITE.replace("BODY", body), "Case")


def test_a_test_contract_of_properties_alone_is_only_asked():
    source = """contract Clock {
        bool public IS_TEST = true; uint start;
        function setUp() external { start = block.timestamp; }
        function echidna_young() external view returns (bool) {
            return block.timestamp < start + 5 days;
        }
    }"""
    for asked in ("never", None):
        assert labels(target_of(source, "Clock", std_invariant=asked)) == {"fallback"}


@pytest.mark.parametrize("seed", [1, 2, 4])
def test_calls_of_what_is_not_created_yet_are_left_out_by_every_backend(
    tmp_path, seed
) -> None:
    """Prioritized, they stand in sequences that begin alike, and that are climbed."""
    commands = {3: [("prioritize_function", {"functionSignature": "Child.feed"})]}
    program = compile_solidity(NURSERY, "World")
    config = small_config(
        seed=seed, round_budget=60_000, seq_len=12, all_contracts=True
    )
    found = []
    for name in BACKENDS:
        with started(tmp_path / name, program, config, backend=named(name)) as running:
            running.rounds(6, commands)
            found.append(running.digests())
    assert found[0] == found[1]
