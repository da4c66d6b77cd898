"""`echidna-mcp doctor` tells what a campaign would not test, and finds its canary."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Outcome, invoke, stopped
from solc import require_solc

from echidna_mcp.program.canary import NAME, SECRET

SMALL = (
    *("--executor", "inline", "--workers", "2", "--seed", "1"),
    *("--round-budget", "50000", "--test-limit", "20000", "--seq-len", "20"),
)
PROPERTY = "function echidna_true() external pure returns (bool) { return true; }"
SET = "uint public x; function set(uint y) external { x = y; }"
HEALTHY = f"contract C {{ {SET} {PROPERTY} }}"
CLOSED = f"""contract C {{
    {SET}
    function closed(uint y) external pure {{ require(y > 5 && y < 5, "closed"); }}
    {PROPERTY}
}}"""
ASSERTION = ("--test-mode", "assertion")


def doctor(here: Path, source: str, *words: object) -> Outcome:
    """Examine a source in a small campaign; afterwards nothing else lies there."""
    require_solc()
    file = here / "C.sol"
    file.write_text(f"pragma solidity >=0.7.0;\n{source}\n", encoding="utf-8")
    before = sorted(here.rglob("*"))
    outcome = invoke("doctor", file, *SMALL, *words)
    assert sorted(here.rglob("*")) == before
    return outcome


def diagnosis(here: Path, source: str, *words: object) -> tuple[int, dict[str, Any]]:
    """Examine as `doctor` does; return the exit code and the document."""
    outcome = doctor(here, source, "--format", "json", *words)
    assert outcome.out, outcome
    return outcome.code, json.loads(outcome.out)


@pytest.mark.solc
def test_a_healthy_contract_is_told_so(here: Path):
    outcome = doctor(here, HEALTHY)
    assert outcome.code == 0, outcome
    assert outcome.out.endswith("All is exercised.\n")
    assert f"{NAME}.sing({SECRET})" in outcome.out
    assert "2 functions of" in outcome.out


@pytest.mark.solc
@pytest.mark.parametrize(
    "test",
    [
        "function testFuzz_holds(uint y) external view { require(x == 1 || y != x); }",
        """
        function targetContracts() external view returns (address[] memory found) {
            found = new address[](1);
            found[0] = address(this);
        }
        function invariant_holds() external view { require(x >= 0); }
        """,
    ],
)
def test_the_canary_sings_where_tests_are_foundrys(here: Path, test: str):
    source = f"contract C {{ {SET} function setUp() external {{ x = 1; }} {test} }}"
    outcome = doctor(here, source, "--test-mode", "foundry", "--test-limit", 200_000)
    assert outcome.code == 0, outcome
    assert f"{NAME}.sing({SECRET})" in outcome.out
    assert outcome.out.endswith("All is exercised.\n")


@pytest.mark.solc
def test_what_is_told_as_json_is_complete(here: Path):
    code, told = diagnosis(here, HEALTHY)
    assert code == 0
    assert told.pop("calls") == 20_000
    assert told.pop("rounds") > 0
    canary = told.pop("canary")
    assert canary.pop("round") > 0
    assert 0 < canary.pop("calls") <= 20_000
    assert canary == {
        "found": True,
        "reproducer": [f"{NAME}.sing({SECRET})"],
        "reason": None,
    }
    (called,) = told.pop("called")
    assert (called["contract"].rpartition(":")[2], called["functions"]) == ("C", 2)
    assert told.pop("contract") == called["contract"]
    assert told == {
        "healthy": True,
        "project": {"kind": "plain", "configuration": None},
        "testMode": "property",
        "tests": 1,
        "seed": 1,
        "notHonoured": [],
        "withoutEffect": [],
        "falsified": [],
        "notExercised": [],
        "functions": [],
        "withoutCode": [],
        "advice": [],
    }


@pytest.mark.solc
def test_the_same_seed_gives_the_same_diagnosis(here: Path):
    assert diagnosis(here, HEALTHY) == diagnosis(here, HEALTHY)


@pytest.mark.solc
def test_nothing_is_printed_if_nothing_is_asked_for(here: Path):
    outcome = doctor(here, CLOSED, "--format", "none")
    assert (outcome.code, outcome.out) == (4, "")


@pytest.mark.solc
def test_a_function_that_always_reverts_is_told_with_the_reason(here: Path):
    code, told = diagnosis(here, CLOSED)
    assert (code, told["healthy"]) == (4, False)
    (function,) = told["functions"]
    assert function["name"] == "closed(uint256)"
    assert function["calls"] > 0
    assert "closed" in function["reason"]
    assert told["notExercised"] == []
    text = doctor(here, CLOSED).out
    assert "closed(uint256): all calls failed (" in text
    assert "A campaign would not test all that it seems to test." in text


@pytest.mark.solc
def test_a_test_of_a_function_that_always_reverts_is_told_once(here: Path):
    code, told = diagnosis(here, CLOSED, *ASSERTION)
    assert code == 4
    assert [each["name"] for each in told["notExercised"]] == ["closed(uint256)"]
    assert doctor(here, CLOSED, *ASSERTION).out.count("closed(uint256): ") == 1


@pytest.mark.solc
def test_a_test_that_may_be_not_exercised_is_no_sickness(here: Path):
    allowed = ("--allow-not-exercised", "closed")
    code, told = diagnosis(here, CLOSED, *ASSERTION, *allowed)
    assert (code, told["notExercised"], told["functions"]) == (0, [], [])


@pytest.mark.solc
def test_a_property_that_is_never_evaluated_is_told(here: Path):
    source = f"contract C {{ function f() external {{ revert(); }} {PROPERTY} }}"
    code, told = diagnosis(here, source)
    assert code == 4
    (test,) = told["notExercised"]
    assert test["name"] == "echidna_true"
    assert "all calls failed" in test["reason"]


@pytest.mark.solc
def test_a_function_that_is_never_called_is_told(here: Path):
    functions = " ".join(f"function f{n}() external {{}}" for n in range(9))
    code, told = diagnosis(
        here, f"contract C {{ {functions} {PROPERTY} }}", "--test-limit", 4
    )
    assert code == 4
    assert any(
        (each["calls"], each["reason"]) == (0, None) for each in told["functions"]
    )
    assert any("testLimit" in each for each in told["advice"])
    assert "raise testLimit" in told["canary"]["reason"]


@pytest.mark.solc
def test_a_falsified_test_is_a_finding_and_no_sickness(here: Path):
    source = f"""contract C {{ {SET}
        function echidna_small() external view returns (bool) {{ return x < 9; }}
    }}"""
    code, told = diagnosis(here, source)
    assert (code, told["healthy"]) == (1, True)
    (test,) = told["falsified"]
    assert (test["name"], test["reason"]) == ("echidna_small", "returned false")
    assert test["round"] > 0


@pytest.mark.solc
def test_a_function_that_always_fails_its_assertion_is_a_finding(here: Path):
    source = f"contract C {{ {SET} function f() external pure {{ assert(false); }} }}"
    code, told = diagnosis(here, source, *ASSERTION)
    assert code == 1
    assert [each["name"] for each in told["falsified"]] == ["f()"]
    assert told["functions"] == []


@pytest.mark.solc
@pytest.mark.parametrize(
    ("yaml", "key"),
    [
        ("seqLen: 1", "seqLen"),
        ("{maxTimeDelay: 0, maxBlockDelay: 0}", "maxTimeDelay"),
        ("maxValue: 0", "maxValue"),
    ],
)
def test_settings_under_which_little_is_tested_are_only_advice(
    here: Path, yaml: str, key: str
):
    config = here / "echidna.yaml"
    config.write_text(yaml, encoding="utf-8")
    pay = f"contract C {{ {SET} function pay() external payable {{}} {PROPERTY} }}"
    length = () if key == "seqLen" else ("--seq-len", 20)
    require_solc()
    (here / "C.sol").write_text(f"pragma solidity >=0.7.0;\n{pay}", encoding="utf-8")
    outcome = invoke("doctor", "C.sol", "--config", config, *SMALL[:8], *length)
    assert outcome.code == 0, outcome
    (advice,) = [x for x in outcome.out.splitlines() if x.startswith(f"  {key}")]
    assert "raise" in advice


@pytest.mark.solc
def test_all_that_is_not_honoured_is_told_at_once(here: Path):
    config = here / "echidna.yaml"
    text = "rpcBlock: 5\nrpcUrl: https://example.org\nsymExecMaxIters: 6\n"
    config.write_text(text, encoding="utf-8")
    code, told = diagnosis(here, CLOSED, "--config", config)
    assert code == 4
    assert len(told["notHonoured"]) == 2
    assert "rpcBlock" in told["notHonoured"][0]
    assert "rpcUrl" in told["notHonoured"][1]
    assert len(told["withoutEffect"]) == 1
    assert [each["name"] for each in told["functions"]] == ["closed(uint256)"]
    assert told["project"]["kind"] == "echidna"


@pytest.mark.solc
def test_what_has_no_effect_does_no_harm(here: Path):
    config = here / "echidna.yaml"
    config.write_text("symExecMaxIters: 6\n", encoding="utf-8")
    outcome = doctor(here, HEALTHY, "--config", config)
    assert outcome.code == 0
    assert "Without effect, and harmless:" in outcome.out


@pytest.mark.solc
@pytest.mark.parametrize("mode", ["property", "assertion", "exploration"])
def test_the_canary_is_found_in_every_mode(here: Path, mode: str):
    code, told = diagnosis(here, HEALTHY, "--test-mode", mode)
    assert (code, told["testMode"], told["canary"]["found"]) == (0, mode, True)


@pytest.mark.solc
def test_the_canary_is_found_on_the_reference_alone(here: Path):
    words = ("--backend", "py-evm", "--test-limit", 3000, "--timeout", 60)
    code, told = diagnosis(here, HEALTHY, *words)
    assert (code, told["canary"]["found"]) == (0, True)


@pytest.mark.solc
@pytest.mark.parametrize(
    ("yaml", "hint"),
    [
        ("{filterFunctions: ['C.set(uint256)'], filterBlacklist: false}", None),
        ("prefix: sing", None),
        ("stopOnFail: true", None),
        ("allContracts: true", None),
        ("{testMaxGas: 100}", "testMaxGas"),
        ("{propMaxGas: 100}", "propMaxGas"),
        ("{dictFreq: 0, climbing: false, echoes: false}", "dictFreq"),
        ("shrinkLimit: 0", None),
    ],
)
def test_the_canary_is_found_if_a_failure_could_be(
    here: Path, yaml: str, hint: str | None
):
    config = here / "echidna.yaml"
    config.write_text(yaml, encoding="utf-8")
    source = f"""contract C {{ {SET}
        function echidna_small() external view returns (bool) {{ return x < 9; }}
        function sing_true() external pure returns (bool) {{ return true; }}
    }}"""
    _, told = diagnosis(here, source, "--config", config)
    canary = told["canary"]
    assert canary["found"] == (hint is None), canary
    assert hint is None or hint in canary["reason"]


@pytest.mark.solc
def test_a_canary_that_can_not_be_found_is_a_sickness(here: Path):
    config = here / "echidna.yaml"
    config.write_text("{dictFreq: 0, climbing: false, echoes: false}", encoding="utf-8")
    outcome = doctor(here, HEALTHY, "--config", config)
    assert outcome.code == 4
    assert "Canary: the planted failure was not found: " in outcome.out


@pytest.mark.solc
@pytest.mark.parametrize("mode", ["property", "assertion", "exploration"])
def test_too_little_gas_is_named_in_every_mode(here: Path, mode: str):
    config = here / "echidna.yaml"
    config.write_text("testMaxGas: 100", encoding="utf-8")
    words = ("--config", config, "--test-mode", mode)
    code, told = diagnosis(here, HEALTHY, *words)
    assert (code, told["canary"]["found"]) == (4, False)
    assert "all of its calls failed" in told["canary"]["reason"]
    assert "testMaxGas" in told["canary"]["reason"]


@pytest.mark.solc
def test_the_canary_sings_beside_what_a_test_contract_chooses(here: Path):
    source = f"""
    contract Handler {{ {SET} function other() external {{ revert(); }} }}
    contract C {{
        Handler handler = new Handler();
        bool public IS_TEST = true;
        function targetContracts() external view returns (address[] memory found) {{
            found = new address[](1);
            found[0] = address(handler);
        }}
        function setUp() external {{}}
        function invariant_true() external pure returns (bool) {{ return true; }}
    }}"""
    config = here / "echidna.yaml"
    config.write_text("prefix: invariant_", encoding="utf-8")
    words = ("--contract", "C", "--config", config)
    code, told = diagnosis(here, source, *words)
    assert (code, told["canary"]["found"]) == (4, True)
    assert [each["name"] for each in told["functions"]] == ["Handler.other()"]


@pytest.mark.solc
def test_a_called_contract_without_code_is_told(here: Path):
    source = f"""
    contract Handler {{ {SET} }}
    contract C {{
        struct FuzzInterface {{ address addr; string[] artifacts; }}
        bool public IS_TEST = true;
        function targetInterfaces() external pure returns (FuzzInterface[] memory f) {{
            f = new FuzzInterface[](1);
            f[0].addr = address(0xdead);
            f[0].artifacts = new string[](1);
            f[0].artifacts[0] = "Handler";
        }}
        function setUp() external {{}}
        function step() external {{}}
        {PROPERTY}
    }}"""
    code, told = diagnosis(here, source, "--contract", "C")
    assert code == 4
    (missing,) = told["withoutCode"]
    assert "Handler at 0x" in missing


@pytest.mark.solc
def test_where_no_function_is_called_there_is_no_canary(here: Path):
    config = here / "echidna.yaml"
    config.write_text("prefix: ''", encoding="utf-8")
    words = ("--config", config)
    code, told = diagnosis(here, f"contract C {{ {PROPERTY} }}", *words)
    assert (code, told["canary"]["found"]) == (4, False)
    assert "prefix" in told["canary"]["reason"]


@pytest.mark.solc
def test_a_target_whose_constructor_leaves_no_code_is_told(here: Path):
    source = f"""contract C {{
        constructor() {{ assembly {{ return(0, 0) }} }}
        {SET}
    }}"""
    code, told = diagnosis(here, source, *ASSERTION)
    assert (code, len(told["withoutCode"])) == (4, 1)
    assert told["functions"] == []  # Calls of nothing succeed.


def test_without_a_target_the_demo_is_examined(here: Path):
    outcome = invoke("doctor", "--seed", 1, "--round-budget", 100_000)
    assert outcome.code == 1, outcome
    assert "Contract: Vault.sol:Vault" in outcome.out
    assert list(here.iterdir()) == []


def test_what_can_not_be_fuzzed_is_refused_in_a_sentence(here: Path):
    assert "missing.sol" in invoke("doctor", "missing.sol").refusal()


@pytest.mark.parametrize(
    "option", ["--corpus-dir", "--campaigns", "--ignore-unsupported"]
)
def test_options_of_campaigns_that_are_kept_do_not_exist(here: Path, option: str):
    assert option in invoke("doctor", option).refusal()


@pytest.fixture
def scratch(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory in which temporary files are made."""
    scratch = here / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    return scratch


def test_an_interrupted_examination_leaves_nothing(scratch: Path, target: Path):
    words = ("--test-limit", 10**9, "--timeout", 60)
    outcome = stopped("doctor", target, *SMALL, *words)
    assert (outcome.code, outcome.out) == (130, "")
    assert list(scratch.iterdir()) == []


def test_the_bundle_of_a_defect_stays(
    scratch: Path, target: Path, monkeypatch: pytest.MonkeyPatch
):
    def fail(*_: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr("echidna_mcp.rounds.engine.Engine.merge", fail)
    outcome = invoke("doctor", target, *SMALL)
    assert (outcome.code, outcome.out) == (3, "")
    (bundle,) = scratch.rglob("*.zip")
    assert str(bundle) in outcome.err


def test_no_directory_is_left_behind(scratch: Path, target: Path):
    assert invoke("doctor", target, *SMALL).code in (0, 4)
    assert list(scratch.iterdir()) == []
