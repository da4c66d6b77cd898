"""No campaign passes that has not tested what was asked for.

Each project has one thing that is not honoured or never happens. None ends with 0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from command_line import invoke
from solc import require_solc

pytestmark = pytest.mark.solc

SMALL = (
    *("--executor", "inline", "--workers", "2", "--seed", "1", "--seq-len", "10"),
    *("--round-budget", "20000", "--test-limit", "400"),
)
VM = "0x7109709ECfa91a80626fF3989D68f67F5b1DD12D"
TRUE = "function echidna_true() external pure returns (bool) { return true; }"
SET = "uint public x; function set(uint y) external { x = y; }"
GOOD = f"contract C {{ {SET} {TRUE} }}"
ADDS = f"contract C {{ {SET} {TRUE} function add(uint y) external {{ x = x + y; }} }}"
DIVIDES = (
    f"contract C {{ {SET} {TRUE} "
    "function part(uint y) external view returns (uint) { return x / (y % 4); } }"
)
DIES = (
    f"contract C {{ {SET} "
    "function boom() external { selfdestruct(payable(msg.sender)); } }"
)
FAILS = "contract C { uint x; function f(uint) external pure { revert(); }"
VALUE = "function optimize_x() external view returns (int256) { return int256(x); }"
ASSERTION = ("--test-mode", "assertion")
FORGE = f"""interface Vm {{
    function prank(address) external;
    function assertEq(uint a, uint b) external pure;
    function assertEq(uint a, uint b, string calldata) external pure;
    function assertTrue(bool) external pure;
    function createSelectFork(string calldata) external returns (uint);
    function ffi(string[] calldata) external returns (bytes memory);
    function never() external;
    function store(address, bytes32, bytes32) external;
}}
abstract contract Base {{ Vm internal constant vm = Vm({VM}); }}
abstract contract Hashed {{
    Vm internal constant vm = Vm(address(uint160(uint(keccak256("hevm cheat code")))));
}}
"""


@dataclass(frozen=True)
class Project:
    """What somebody wrote, and how it must end."""

    code: int
    told: str
    source: str = GOOD
    words: tuple[str, ...] = ()
    yaml: str = ""
    files: Mapping[str, str] = field(default_factory=dict)


def medusa(section: Mapping[str, object]) -> Mapping[str, str]:
    """Return the file of a project of Medusa that checks properties of `C`."""
    testing = {
        "assertionTesting": {"enabled": False},
        "propertyTesting": {"enabled": True, "testPrefixes": ["echidna_"]},
        "optimizationTesting": {"enabled": False},
    }
    fuzzing = {"targetContracts": ["C"], "testing": testing, **section}
    return {"medusa.json": json.dumps({"fuzzing": fuzzing})}


def foundry(text: str) -> Mapping[str, str]:
    """Return the file of a project of Foundry."""
    return {"foundry.toml": f"[profile.default]\nsrc = '.'\n{text}\n"}


REVERTS: Mapping[str, Project] = {
    "a function that requires what is never so": Project(
        4,
        "f(uint256): not exercised!",
        "contract C { function f(uint y) external pure "
        "{ require(y > 5 && y < 5); assert(false); } }",
        ASSERTION,
    ),
    "one of two functions always reverts": Project(
        4,
        "g(): not exercised!",
        f"contract C {{ {SET} function g() external pure {{ revert(); }} }}",
        ASSERTION,
    ),
    "only an owner may call, who never does": Project(
        4,
        "g(): not exercised!",
        f"contract C {{ {SET} function g() external view "
        "{ require(msg.sender == address(0xdead)); assert(x != 1); } }",
        ASSERTION,
    ),
    "a handler calls what has no code": Project(
        4,
        "h(): not exercised!",
        "interface I { function f() external; } "
        "contract C { function h() external { I(address(99)).f(); assert(false); } }",
        ASSERTION,
    ),
    "no call lets the property be evaluated": Project(
        4,
        "echidna_true: not exercised!",
        f"contract C {{ function f(uint) external pure {{ revert(); }} {TRUE} }}",
    ),
    "a payable handler that is never given anything": Project(
        4,
        "echidna_true: not exercised!",
        f"contract C {{ function f() external payable "
        f"{{ require(msg.value > 0); }} {TRUE} }}",
        yaml="maxValue: 0",
    ),
    "calls have too little gas": Project(
        4, "echidna_true: not exercised!", yaml="testMaxGas: 21100"
    ),
    "there are no calls": Project(
        4,
        "echidna_true: not exercised!",
        yaml="testLimit: 0",
        words=("--test-limit", "0"),
    ),
}

FFI = "vm.ffi(new string[](0))"
ASKS_FFI = "f() calls vm.ffi(string[]), which runs a program of this machine"
RUNS = (
    FORGE + f"contract C is Base {{ {SET} {TRUE} function f() external {{ {FFI}; }} }}"
)
CHEATCODES: Mapping[str, Project] = {
    "a project wants to run programs": Project(
        4, ASKS_FFI, RUNS, yaml="allowFFI: true"
    ),
    "a handler calls a cheatcode that does not work": Project(
        4,
        ASKS_FFI,
        RUNS,
    ),
    "it catches the failure": Project(
        4,
        "f() calls vm.ffi(string[])",
        FORGE + f"contract C is Base {{ {SET} {TRUE} "
        f"function f() external {{ try {FFI} {{}} catch {{}} }} }}",
    ),
    "an assertion stands behind it": Project(
        4,
        "f(): not exercised!\n  Reason: f() calls vm.ffi(string[])",
        FORGE + f"contract C is Base {{ {SET} "
        f"function f() external {{ {FFI}; assert(false); }} }}",
        ASSERTION,
    ),
    "a property calls it": Project(
        4,
        "echidna_ffi: not exercised!\n  Reason: echidna_ffi calls vm.ffi(string[])",
        FORGE + f"contract C is Base {{ {SET} "
        f"function echidna_ffi() external returns (bool) {{ {FFI}; return true; }} }}",
    ),
    "a property catches it": Project(
        4,
        "echidna_ffi: not exercised!\n  Reason: echidna_ffi calls vm.ffi(string[])",
        FORGE + f"contract C is Base {{ {SET} "
        "function echidna_ffi() external returns (bool) "
        f"{{ try {FFI} {{}} catch {{}} return true; }} }}",
    ),
    "a cheatcode that nobody knows": Project(
        4,
        "f() calls vm.0x",
        FORGE + f"contract C is Base {{ {SET} {TRUE} "
        "function f() external { vm.never(); } }",
    ),
    "a cheatcode that needs a chain": Project(
        4,
        "f() calls vm.createSelectFork(string), which needs a live chain",
        FORGE + f"contract C is Base {{ {SET} {TRUE} "
        'function f() external { vm.createSelectFork("x"); } }',
    ),
    "the address is a hash that the code computes": Project(
        4,
        "f() calls vm.ffi(string[])",
        FORGE + f"contract C {{ {SET} {TRUE} function f() external {{ "
        'bytes memory text = "hevm cheat code"; '
        "Vm vm = Vm(address(uint160(uint(keccak256(text))))); "
        f"{FFI}; }} }}",
    ),
    "the address is an argument of the constructor": Project(
        4,
        "f() calls vm.ffi(string[])",
        FORGE + f"contract C {{ Vm immutable vm; constructor(Vm v) {{ vm = v; }} {TRUE}"
        f" {SET} function f() external {{ {FFI}; }} }}",
        ("--constructor-args", VM),
    ),
    "a contract that the target creates": Project(
        4,
        "f() calls vm.ffi(string[])",
        FORGE + f"contract H is Base {{ function f() external {{ {FFI}; }} }}"
        "contract C { H h = new H(); "
        f"{SET} {TRUE} function f() external {{ h.f(); }} }}",
    ),
    "the constructor": Project(
        2,
        "The constructor of C calls vm.ffi(string[]), which runs a program",
        FORGE + f"contract C is Base {{ {SET} {TRUE} constructor() {{ {FFI}; }} }}",
    ),
    "setUp": Project(
        2,
        "setUp() calls vm.ffi(string[]), which runs a program of this machine",
        FORGE + f"contract C is Base {{ bool public IS_TEST = true; {SET} {TRUE} "
        f"function setUp() external {{ {FFI}; }} }}",
    ),
    "there are no cheatcodes": Project(
        4,
        "echidna_true: not exercised!",
        FORGE + f"contract C is Base {{ uint x; {TRUE} "
        "function f() external { vm.prank(address(1)); x = 1; } }",
        yaml="cheatcodes: false",
    ),
    "an assertion of a cheatcode is false": Project(
        1,
        "f(): failed!",
        FORGE + f"contract C is Base {{ {SET} "
        "function f() external view { vm.assertEq(x, 1); } }",
        ASSERTION,
    ),
    "and has a message": Project(
        1,
        "f(): failed!",
        FORGE + f"contract C is Base {{ {SET} "
        'function f() external view { vm.assertEq(x, 1, "why"); } }',
        ASSERTION,
    ),
    "and has a message, in a dialect that keeps it": Project(
        1,
        "f(): failed!",
        FORGE + f"contract C is Base {{ {SET} "
        'function f() external view { vm.assertEq(x, 1, "why"); } }',
        ASSERTION,
        yaml="cheatDialect: foundry",
    ),
    "and panics": Project(
        1,
        "f(): failed!",
        FORGE + f"contract C is Base {{ {SET} "
        "function f() external view { vm.assertTrue(false); } }",
        ASSERTION,
        yaml="cheatDialect: medusa",
    ),
    "and only sets a flag": Project(
        1,
        "f(): failed!",
        FORGE + f"contract C is Base {{ {SET} "
        "function f() external view { vm.assertTrue(false); } }",
        ASSERTION,
        yaml="assertionsRevert: false",
    ),
    "the flag of old tests": Project(
        1,
        "f(): failed!",
        FORGE + f"contract C is Base {{ {SET} function f() external {{ "
        'vm.store(address(vm), bytes32("failed"), bytes32(uint(1))); } }',
        ASSERTION,
    ),
}

KEYS: Mapping[str, Project] = {
    "a testMode that is none": Project(
        2, "`testMode` must be", yaml="testMode: overflows"
    ),
    "testMode foundry without a test of Foundry": Project(
        2, "There is no test of Foundry", yaml="testMode: foundry"
    ),
    **{
        key: Project(2, f"`{key}` is not supported yet", yaml=f"{key}: {value}")
        for key, value in {
            "rpcUrl": "http://localhost:8545",
            "rpcBlock": "5",
        }.items()
    },
    "an unknown key": Project(2, "there is no key `seqlen`", yaml="seqlen: 3"),
    "an unknown key of the command line": Project(2, "--sed", words=("--sed", "3")),
    "a wrong type": Project(2, "`shrinkLimit` must be", yaml="shrinkLimit: many"),
    "a filter that leaves nothing": Project(
        2,
        "C has no function that can be called",
        yaml="filterFunctions: ['C.nosuch()']\nfilterBlacklist: false",
    ),
    "a filter of all handlers": Project(
        2,
        "C has no function that can be called",
        f"contract C {{ uint x; function set(uint y) external {{ x = y; }} {TRUE} }}",
        yaml="filterFunctions: ['C.set(uint256)']",
    ),
    "targetContracts of what is not deployed": Project(
        2,
        "targetContracts names D, which is not deployed",
        f"{GOOD} contract D {{ {SET} }}",
        yaml="targetContracts: [D]",
        words=("--contract", "C"),
    ),
    "targetContracts of what is not there": Project(
        2, "targetContracts: There is no contract 'D'", yaml="targetContracts: [D]"
    ),
    "deployContracts of what is not there": Project(
        2, "deployContracts: There is no", yaml="deployContracts: [['0x1234', 'D']]"
    ),
    "arguments of a contract that is not deployed": Project(
        2,
        "constructorArgs names C.sol:D, which is not deployed",
        f"{GOOD} contract D {{ {SET} }}",
        yaml="constructorArgs: {D: [1]}",
        words=("--contract", "C"),
    ),
    "a flag that solc does not know": Project(2, "--foo", yaml="solcArgs: --foo"),
    "an unknown test is allowed to be not exercised": Project(
        2,
        "there is no test echidna_ture; did you mean echidna_true?",
        words=("--allow-not-exercised", "echidna_ture"),
    ),
}

KINDS: Mapping[str, Project] = {
    "arithmetic that reverts": Project(
        1, "Integer (over/under)flow: failed!", ADDS, yaml="testMode: overflow"
    ),
    "arithmetic that reverts, and a property": Project(
        1,
        "echidna_true: passing\nInteger (over/under)flow: failed!",
        ADDS,
        ("--test-mode", "property,overflow"),
    ),
    "arithmetic that reverts, and is asserted not to": Project(
        1,
        "add(uint256): failed!",
        ADDS,
        ASSERTION,
        yaml="panicCodes: [0x11]",
    ),
    "no arithmetic is reached": Project(
        4,
        "Integer (over/under)flow: not exercised!",
        f"{FAILS} }}",
        yaml="testMode: overflow",
    ),
    "the target can be destroyed": Project(
        1,
        "Target contract is not self-destructed: failed!",
        DIES,
        ("--evm-version", "shanghai", "--test-mode", "exploration"),
        yaml="testDestruction: true",
    ),
    "a contract that the call creates can be": Project(
        1,
        "Target contract is not self-destructed: passing\n"
        "No contract can be self-destructed: failed!",
        "contract H { function boom() external { selfdestruct(payable(msg.sender)); } }"
        f"contract C {{ {SET} {TRUE} function f() external {{ new H().boom(); }} }}",
        ("--contract", "C"),
        yaml="testDestruction: true",
    ),
    "what destroys is never reached": Project(
        4,
        "Target contract is not self-destructed: not exercised!",
        f"{FAILS} }}",
        yaml="testDestruction: true\ntestMode: exploration",
    ),
    "another panic": Project(
        1, "part(uint256): failed!", DIVIDES, ASSERTION, yaml="panicCodes: [1, 0x12]"
    ),
    "no panic counts, but AssertionFailed does": Project(
        1,
        "f(): failed!",
        f"contract C {{ {SET} event AssertionFailed(); "
        "function f() external { emit AssertionFailed(); } }",
        ASSERTION,
        yaml="panicCodes: []",
    ),
    "no value to be maximized": Project(
        2,
        "C has no function that starts with 'echidna_' or 'optimize_'; add values",
        f"contract C {{ {SET} }}",
        yaml="testMode: optimization",
    ),
    "a property is no value": Project(
        2,
        "The value C.echidna_true() that is to be maximized must be one int256.",
        yaml="testMode: optimization",
    ),
    "a value with arguments": Project(
        2,
        "C.optimize_x(uint256): a value has no arguments",
        f"contract C {{ {SET} function optimize_x(uint y) external view "
        "returns (int256) { return int256(x + y); } }",
        yaml="testMode: optimization",
    ),
    "a value that always reverts": Project(
        4,
        "optimize_x: not exercised!\n  Reason: it never returned a value",
        f"contract C {{ {SET} function optimize_x() external pure "
        "returns (int256) { revert(); } }",
        yaml="testMode: optimization",
    ),
    "a value that is only measured at the start": Project(
        4,
        "optimize_x: not exercised!",
        f"{FAILS} {VALUE} }}",
        yaml="testMode: optimization",
    ),
    "a value of a handler that calls what does not work": Project(
        4,
        "optimize_x: not exercised!\n  Reason: f() calls vm.ffi(string[])",
        FORGE + f"contract C is Base {{ {SET} {VALUE} "
        f"function f() external {{ {FFI}; }} }}",
        yaml="testMode: optimization",
    ),
    "a property is wrong where a value is maximized": Project(
        1,
        "echidna_low: failed!",
        f"contract C {{ {SET} {VALUE} function echidna_low() external view "
        "returns (bool) { return x < 100; } }",
        yaml="testMode: all",
    ),
}

OTHERS_FILES: Mapping[str, Project] = {
    "medusa: the default checks properties, too": Project(
        1,
        "property_never: failed!",
        f"contract C {{ {SET} function property_never() external view "
        "returns (bool) { return x != x; } }",
        files={"medusa.json": json.dumps({"fuzzing": {"targetContracts": ["C"]}})},
    ),
    "medusa: the default checks assertions, too": Project(
        1,
        "set(uint256): failed!",
        "contract C { uint x; function set(uint y) external { x = y; assert(y != y); }"
        " function property_true() external pure returns (bool) { return true; } }",
        files={"medusa.json": json.dumps({"fuzzing": {"targetContracts": ["C"]}})},
    ),
    "foundry: handlers that setUp deploys": Project(
        1,
        "echidna_empty: failed!",
        "contract H { uint public x; function put() external { x++; } } "
        f"contract C {{ bool public IS_TEST = true; H h; {SET} "
        "function setUp() external { h = new H(); } function echidna_empty() "
        "external view returns (bool) { return h.x() == 0; } }",
        ("--contract", "C"),
        files=foundry(""),
    ),
    "medusa: ffi": Project(
        4,
        ASKS_FFI,
        RUNS,
        files=medusa({"chainConfig": {"cheatCodes": {"enableFFI": True}}}),
    ),
    "medusa: a fork": Project(
        2,
        "forkModeEnabled",
        files=medusa({"chainConfig": {"forkConfig": {"forkModeEnabled": True}}}),
    ),
    "medusa: optimization alone, and no value": Project(
        2,
        "C has no function that starts with 'property_' or 'optimize_'",
        files=medusa(
            {
                "testing": {
                    "assertionTesting": {"enabled": False},
                    "propertyTesting": {"enabled": False},
                    "optimizationTesting": {"enabled": True},
                }
            }
        ),
    ),
    "medusa: other panics": Project(
        1,
        "part(uint256): failed!",
        DIVIDES,
        files=medusa(
            {
                "testing": {
                    "assertionTesting": {
                        "enabled": True,
                        "panicCodeConfig": {"failOnDivideByZero": True},
                    },
                    "propertyTesting": {"enabled": False},
                    "optimizationTesting": {"enabled": False},
                }
            }
        ),
    ),
    "medusa: accounts are checked": Project(
        2,
        "skipAccountChecks` is false, which is not supported yet",
        files=medusa({"chainConfig": {"skipAccountChecks": False}}),
    ),
    "medusa: a genesis of its own": Project(
        2,
        "genesisStateFile` is `state.json`, which is not supported yet",
        files=medusa({"chainConfig": {"genesisStateFile": "state.json"}}),
    ),
    "medusa: an unknown key": Project(2, "seqLen", files=medusa({"seqLen": 3})),
    "foundry: ffi": Project(4, ASKS_FFI, RUNS, files=foundry("ffi = true")),
    "foundry: a fork": Project(
        2, "eth_rpc_url", files=foundry("eth_rpc_url = 'http://localhost:8545'")
    ),
    "foundry: fail_on_revert": Project(
        1,
        "invariant_x(): failed!",
        "contract H { function f() external { revert(); } } contract C { "
        "function setUp() external { new H(); } function invariant_x() external {} }",
        files=foundry("[invariant]\nfail_on_revert = true"),
    ),
    "foundry: all calls of handlers revert": Project(
        4,
        "invariant_x(): not exercised!",
        "contract H { function f() external { revert(); } } contract C { "
        "function setUp() external { new H(); } function invariant_x() external {} }",
        files=foundry(""),
    ),
    "foundry: an invariant that is wrong": Project(
        1,
        "invariant_x(): failed!",
        f"contract C {{ {SET} function targetContracts() external view returns "
        "(address[] memory a) { a = new address[](1); a[0] = address(this); } "
        "function invariant_x() external view { assert(x == 0); } }",
        files=foundry(""),
    ),
    "foundry: an assertion that only sets a flag": Project(
        1,
        "test_x(): failed!",
        FORGE + "contract C is Base { function test_x() external "
        "{ vm.assertTrue(false); } }",
        files=foundry("assertions_revert = false"),
    ),
    "foundry: a caught assertion of vm": Project(
        1,
        "test_x(): failed!",
        FORGE + "contract C is Base { function test_x() external "
        "{ try this.f() {} catch { revert(); } } "
        "function f() external { vm.assertTrue(false); } }",
        files=foundry(""),
    ),
    "foundry: a test that needs a fork": Project(
        4,
        "test_x(): not exercised!",
        FORGE + "contract C is Base { function test_x() external "
        "{ vm.createSelectFork('x'); } }",
        files=foundry(""),
    ),
    "foundry: a setUp that needs a fork": Project(
        1,
        "setUp(): failed!",
        FORGE + "contract C is Base { function setUp() external "
        "{ vm.createSelectFork('x'); } function test_x() external {} }",
        files=foundry(""),
    ),
    "foundry: isolate": Project(2, "isolate", files=foundry("isolate = true")),
}

TARGETS: Mapping[str, Project] = {
    "a library that is nowhere": Project(
        2,
        "Lots",
        f"""library Lost {{ function f(uint y) external pure returns (uint) {{
            return y; }} }}
        contract C {{ uint x; function set(uint y) external {{ x = Lost.f(y); }}
            {TRUE} }}""",
        yaml="cryticArgs: ['--compile-libraries=(Lots,0x1234)']",
    ),
    "setUp fails": Project(
        2,
        "setUp() failed",
        f"contract C {{ bool public IS_TEST = true; {SET} {TRUE} "
        'function setUp() external pure { revert("no"); } }',
    ),
    "the constructor fails": Project(
        2,
        "The constructor of C failed",
        f'contract C {{ constructor() {{ revert("no"); }} {SET} {TRUE} }}',
    ),
    "the properties are another contract's": Project(
        2,
        "C has no function that starts with 'echidna_'",
        f"contract C {{ {SET} }} contract T {{ {SET} {TRUE} }}",
        ("--contract", "C"),
    ),
    "the prefix is another one": Project(
        2, "no function that starts with 'property_'", yaml="prefix: property_"
    ),
    "StdInvariant leaves nothing": Project(
        2,
        "leaves no contract to be called",
        f"""contract C {{ bool public IS_TEST = true; {SET} {TRUE}
        function targetContracts() external view returns (address[] memory a) {{
            a = new address[](1); a[0] = address(this); }}
        function excludeContracts() external view returns (address[] memory a) {{
            a = new address[](1); a[0] = address(this); }} }}""",
    ),
    "an assertion only sets a flag": Project(
        2,
        "C.failed() is not asked:",
        f"contract C {{ bool public IS_TEST = true; bool public failed; {SET} "
        "function f() external { failed = true; } }",
        ASSERTION,
    ),
    "a contract without functions": Project(
        2, "C has no function that can be called", "contract C {}", ASSERTION
    ),
    "arguments of the constructor that nobody gives": Project(
        2,
        "The constructor of C takes arguments",
        f"contract C {{ constructor(uint) {{}} {SET} {TRUE} }}",
    ),
    "an interface": Project(
        2,
        "'I' can't be deployed",
        f"interface I {{ function f() external; }} {GOOD}",
        ("--contract", "I"),
    ),
    "a property with arguments": Project(
        2,
        "C.echidna_x(uint256) takes arguments",
        f"contract C {{ {SET} {TRUE} function echidna_x(uint) external pure "
        "returns (bool) { return true; } }",
    ),
    "a property that returns a number": Project(
        2,
        "must return one bool",
        f"contract C {{ {SET} {TRUE} function echidna_x() external pure "
        "returns (uint) { return 1; } }",
    ),
    "a property that returns nothing": Project(
        2,
        "must return one bool",
        f"contract C {{ {SET} function echidna_x() external {{ x = 2; }} }}",
    ),
    "code of a newer fork": Project(
        2,
        "was compiled for osaka, which is newer than the rules",
        yaml="solcArgs: --evm-version osaka",
        words=("--evm-version", "cancun"),
    ),
    "the constructor leaves no code": Project(
        1,
        "echidna_true: failed!",
        "contract C { constructor() { assembly { return(0, 0) } } "
        f"function f() external {{}} {TRUE} }}",
    ),
}

PROJECTS = REVERTS | CHEATCODES | KEYS | KINDS | OTHERS_FILES | TARGETS


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, with a compiler."""
    require_solc()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", PROJECTS)
def test_no_project_passes_that_was_not_tested(here, name):
    project = PROJECTS[name]
    (here / "C.sol").write_text(project.source)
    files = dict(project.files)
    if project.yaml:
        files["echidna.yaml"] = project.yaml
    for path, text in files.items():
        (here / path).write_text(text)
    done = invoke("run", ".", *SMALL, *project.words)
    assert done.code == project.code, done
    assert project.told in done.out + done.err


def test_a_function_that_never_succeeds_is_told_in_the_result(here):
    source = (
        f"contract C {{ {SET} {TRUE} function mint(uint) external pure "
        '{ revert("auth"); } }'
    )
    (here / "C.sol").write_text(source)
    done = invoke("run", ".", *SMALL)
    assert done.code == 0, done
    assert "Never succeeded: mint(uint256): all calls failed" in done.out
    told = json.loads(invoke("run", ".", *SMALL, "--format", "json").out)
    (idle,) = told["neverSucceeded"]
    assert (idle["function"], idle["reason"]) == ("mint(uint256)", 'Error("auth")')
    assert invoke("run", ".", *SMALL, *ASSERTION, "--format", "json").code == 4


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (TARGETS["setUp fails"].source, "setUp() failed"),
        (TARGETS["the constructor fails"].source, "The constructor of C failed"),
    ],
)
def test_a_dry_run_carries_the_plan_out(here, source, told):
    (here / "C.sol").write_text(source)
    assert told in invoke("run", ".", "--dry-run").refusal()
    (here / "C.sol").write_text(GOOD)
    done = invoke("run", ".", "--dry-run", "--format", "json")
    plan = json.loads(done.out)
    assert plan["tests"] == ["echidna_true"]
    assert plan["called"][0]["functions"] == ["x()", "set(uint256)"]


def test_the_same_without_what_is_wrong_passes(here):
    (here / "C.sol").write_text(GOOD)
    assert invoke("run", ".", *SMALL).code == 0
    assert invoke("run", ".", *SMALL, *ASSERTION).code == 0


@pytest.mark.parametrize(
    ("source", "yaml", "told"),
    [
        (GOOD, "testMode: overflow", "Integer (over/under)flow: passing"),
        (ADDS, "testMode: all", "echidna_true: passing"),
        (ADDS, "testMode: assertion", "add(uint256): passing"),
        (DIVIDES, "testMode: overflow", "Integer (over/under)flow: passing"),
        (DIVIDES, "testMode: assertion", "part(uint256): passing"),
        (
            GOOD,
            "testDestruction: true",
            (
                "echidna_true: passing\n"
                "Target contract is not self-destructed: passing\n"
                "No contract can be self-destructed: passing\n"
            ),
        ),
        (  # Code that is not of the same call stays, since Cancun.
            DIES,
            "testMode: exploration\ntestDestruction: true",
            "No contract can be self-destructed: passing\n",
        ),
        (
            f"contract C {{ {SET} {VALUE} }}".replace("= y", "= y % 8"),
            "testMode: optimization",
            "optimize_x: max value: 7\n",
        ),
    ],
)
def test_a_kind_is_only_falsified_by_what_it_is_about(here, source, yaml, told):
    (here / "C.sol").write_text(source)
    (here / "echidna.yaml").write_text(yaml)
    done = invoke("run", ".", *SMALL)
    assert done.code == 0, done
    assert told in done.out


def test_a_project_of_medusa_may_only_maximize(here):
    off = {"enabled": False}
    value = VALUE.replace("optimize_", "best_")
    (here / "C.sol").write_text(f"contract C {{ {SET} {value} }}")
    testing = {
        "assertionTesting": off,
        "propertyTesting": off,
        "optimizationTesting": {"enabled": True, "testPrefixes": ["best_"]},
    }
    for name, text in medusa({"testing": testing}).items():
        (here / name).write_text(text)
    done = invoke("run", ".", *SMALL, "--format", "json")
    assert done.code == 0, done
    (told,) = json.loads(done.out)["tests"]
    assert (told["name"], told["status"]) == ("best_x", "maximized")
    assert int(told["value"]) > 0
    assert told["transactions"]


def test_cheatcodes_that_work_are_no_obstacle(here):
    source = (
        FORGE + f"contract C is Hashed {{ {SET} {TRUE} address public last; "
        "function f() external { vm.prank(address(1)); this.g(); assert(last == "
        "address(1)); } function g() external { last = msg.sender; } }"
    )
    (here / "C.sol").write_text(source)
    assert invoke("run", "C.sol", *SMALL, "--test-mode", "assertion,property").code == 0


@pytest.mark.parametrize("place", ["a handler calls", "setUp", "the constructor"])
def test_who_ignores_cheatcodes_is_told(here, place):
    (name,) = (each for each in CHEATCODES if each.startswith(place))
    (here / "C.sol").write_text(CHEATCODES[name].source)
    words = ("run", "C.sol", *SMALL, "--ignore-unsupported")
    done = invoke(*words)
    # A constructor that fails fails, whatever is ignored.
    assert done.code == (0 if place == "a handler calls" else 2)
    if not done.code:
        assert "Warning: f() calls vm.ffi(string[])" in done.out + done.err


def test_code_of_ones_own_at_the_address_of_cheatcodes_is_called(here):
    source = (
        FORGE + f"contract C is Base {{ {SET} {TRUE} "
        "function f() external { vm.prank(address(1)); assert(x != 1); } }"
    )
    mock = "contract Mock { function prank(address) external {} }"
    (here / "C.sol").write_text(source + mock)
    (here / "e.yaml").write_text(f"deployContracts: [['{VM}', 'Mock']]\n")
    assert invoke("run", "C.sol", "--config", "e.yaml", *SMALL).code == 0
