"""Settings in comments beside Foundry's tests: what is wrong is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Outcome, invoke
from solc import require_solc

pytestmark = pytest.mark.solc

WORDS = ("--executor", "inline", "--workers", "1", "--round-budget", "30000")
TOML = """\
[profile.default]

[profile.ci]

[invariant]
runs = 4
depth = 5
"""
SOURCE = """\
contract Handler {{ function step(uint8) external {{}} }}

/// forge-config: {contract}
contract CommentsTest {{
    function setUp() external {{ new Handler(); }}

    /// forge-config: {test}
    function testFuzz_Once(uint8 x) external {{}}

    function invariant_Holds() external {{}}
}}
"""


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    require_solc()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "foundry.toml").write_text(TOML)
    (tmp_path / "test").mkdir()


def run(contract: str, test: str = "default.fuzz.runs = 3", *words: str) -> Outcome:
    Path("test/Comments.t.sol").write_text(SOURCE.format(contract=contract, test=test))
    return invoke("run", ".", *WORDS, "--seed", "1", *words)


def campaigns(
    contract: str, test: str = "default.fuzz.runs = 3", *words: str
) -> dict[str, dict[str, Any]]:
    done = run(contract, test, "--format", "json", *words)
    assert done.code == 0, done
    document = json.loads(done.out)
    return {each["testMode"]: each for each in document["campaigns"]}


@pytest.mark.parametrize(
    ("comment", "told"),
    [
        (
            "default.fuzz.rns = 3",
            "`fuzz.rns` is no key of Foundry (did you mean `fuzz.runs`?).",
        ),
        ("default.fuzz.depth = 3", "`fuzz.depth` is no key of Foundry"),
        ("default.fuzs.runs = 3", "`fuzs` is no key of Foundry"),
        ("default.fuzz.runs = true", "`fuzzRuns` must be a whole number from 0"),
        ("default.fuzz.runs = 3 4", "which is no line of TOML"),
        (
            "fuzz.runs = 3",
            "does not begin with a profile: ci or default; write `default.",
        ),
        ("night.fuzz.runs = 3", "does not begin with a profile: ci or default"),
        ("default.invariant.call_override = 1", "`callOverride` must be true or false"),
        ("default.fuzz.fail_on_revert = 0", "`fuzzFailOnRevert` must be true or false"),
        ('default.evm_version = "paris"', "is not supported beside a test"),
    ],
)
def test_a_wrong_comment_is_refused_wherever_it_stands(comment: str, told: str):
    for arguments in ((comment,), ("default.fuzz.runs = 3", comment)):
        done = run(*arguments)
        assert done.code == 2, done
        assert "test/Comments.t.sol:CommentsTest" in done.err
        assert told in done.err


def test_what_is_not_supported_can_be_passed_over():
    found = campaigns(
        "default.fuzz.rns = 3", "default.fuzz.runs = 3", "--ignore-unsupported"
    )
    [told] = found["stateless"]["notHonoured"]
    assert "`fuzz.rns` is no key of Foundry" in told


def test_a_comment_that_changes_nothing_here_is_told():
    found = campaigns('default.src = "elsewhere"')
    assert found["stateless"]["notHonoured"] == [
        "test/Comments.t.sol:CommentsTest, a comment: `src` does nothing beside a test."
    ]


@pytest.mark.parametrize(
    ("comment", "calls"),
    [
        ("default.invariant.depth = 2", 4 * 2),
        ("default.invariant.runs = 7", 7 * 5),
        ("default.invariant = { runs = 2, depth = 3 }", 6),
        ("ci.invariant.runs = 7", 4 * 5),
        ("default.invariant.max-time-delay = 9", 4 * 5),
    ],
)
def test_what_a_comment_does_not_say_is_as_in_the_file(comment: str, calls: int):
    assert campaigns(comment)["invariant"]["calls"] == calls


def test_the_profile_that_holds_is_stronger(monkeypatch):
    monkeypatch.setenv("FOUNDRY_PROFILE", "ci")
    lines = "ci.invariant.runs = 7\n/// forge-config: default.invariant.runs = 2"
    assert campaigns(lines)["invariant"]["calls"] == 7 * 5


def test_a_comment_limits_the_time_of_its_campaign():
    more = (
        "default.fuzz.timeout = 1\n    /// forge-config: default.fuzz.runs = 4000000000"
    )
    found = campaigns("default.invariant.shrink_run_limit = 3", more)
    assert found["stateless"]["reason"] == "TimeLimitReached"
    assert found["invariant"]["calls"] == 20


def test_a_campaign_of_the_file_has_its_time():
    Path("foundry.toml").write_text(f"{TOML}timeout = 1\n[fuzz]\nruns = 9\n")
    found = campaigns("default.invariant.runs = 900000000")
    assert found["invariant"]["reason"] == "TimeLimitReached"
    assert found["stateless"]["calls"] >= 3
