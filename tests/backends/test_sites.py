"""Sites: each place at which an assertion test fails is a finding, on every EVM."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from campaigns import replayed, small_config, started
from native_backends import REFERENCE, named
from solc import compile_solidity

from echidna_mcp.program.model import Program

pytestmark = [pytest.mark.solc, pytest.mark.digests]

FUNCTIONS, SITES = 5, 6
ROUNDS = 30


def source_of(sites: int = SITES, before: str = "") -> str:
    """Return a contract with so many sites in each of its functions."""
    asserted = [
        "assert(x % 64 != {n});",
        'require(x % 64 != {n}, "assertion failed: number {n}");',
        "Lib.must(x % 64 != {n});",
        't(x % 64 != {n}, "number {n}");',
        "inner.check(x % 64, {n});",
        'if (x % 64 == {n}) emit AssertionFailed("at {letter}");',
    ]
    functions = [
        f"function f{number}(uint8 x) public {{ count++;\n"
        + "\n".join(
            asserted[(number + at) % len(asserted)].format(
                n=at + 1, letter="abcdef"[at]
            )
            for at in range(sites)
        )
        + "\n}"
        for number in range(FUNCTIONS)
    ]
    return (
        "library Lib { function must(bool b) internal pure { assert(b); } }\n"
        "contract Inner { function check(uint256 x, uint256 n) public pure {"
        " assert(x != n); } }\n"
        "contract Sites { event AssertionFailed(string); event Log(string);\n"
        f"Inner inner = new Inner(); uint256 count; {before}\n"
        "function t(bool ok, string memory why) internal {"
        " if (!ok) { emit Log(why); assert(false); } }\n" + "\n".join(functions) + "}"
    )


@cache
def program(before: str = "") -> Program:
    return compile_solidity(source_of(before=before), "Sites")


@cache
def played(backend: str, executor: str = "inline", rounds: int = ROUNDS, before=""):
    config = small_config(
        test_mode="assertion", workers=2, round_budget=100_000, test_limit=20_000
    )
    with (
        TemporaryDirectory() as directory,
        started(
            Path(directory), program(before), config, executor, backend=named(backend)
        ) as running,
    ):
        running.rounds(rounds)
        return running.digests(), running.views.properties.falsified, running.events


def own(findings):
    return [each for each in findings if each.site is not None]


def test_each_of_thirty_sites_is_found_once():
    _, findings, _ = played("compiled")
    found = own(findings)
    # What is emitted anywhere is the finding of a test of its own as well.
    assert len(findings) == len(found) + 1
    assert len(found) == FUNCTIONS * SITES
    assert len({each.finding for each in found}) == len(found)
    assert {each.name for each in found if each.name == each.test} == {
        f"f{number}(uint8)" for number in range(FUNCTIONS)
    }


def test_a_finding_tells_statement_message_and_contracts():
    _, findings, _ = played("compiled")
    sites = [each.site for each in own(findings) if each.test == "f0(uint8)"]
    told = {(s["text"], s["message"], *s["path"]) for s in sites}
    assert ("assert(false)", "number 4", "Sites") in told
    panic = "reverted: Panic(0x01): assertion failed"
    assert ("assert(x % 64 != 1)", panic, "Sites") in told
    assert ("assert(b)", panic, "Sites") in told
    assert ("assert(x != n)", panic, "Sites", "Inner") in told
    assert any(s["message"].startswith("logged AssertionFailed") for s in sites)
    lines = source_of().splitlines()
    for site in sites:
        if site["line"]:
            assert site["text"] in lines[site["line"] - 1]


def test_shrinking_stays_at_the_site():
    _, findings, _ = played("compiled")
    for each in own(findings):
        assert each.is_shrunk
        (call,) = each.calls
        number = int(call["calldata"][10:], 16) % 64
        assert 1 <= number <= SITES
    numbers = {
        (each.test, int(each.calls[0]["calldata"][10:], 16) % 64)
        for each in own(findings)
    }
    assert len(numbers) == FUNCTIONS * SITES


@pytest.mark.parametrize(
    ("backend", "executor", "rounds"),
    [
        (REFERENCE, "inline", 5),
        ("checked", "inline", 4),
        ("hot", "inline", ROUNDS),
        ("compiled", "threads:2", ROUNDS),
        ("compiled", "processes:2", ROUNDS),
    ],
)
def test_sites_are_searched_alike(backend: str, executor: str, rounds: int):
    found, _, _ = played(backend, executor, rounds)
    assert found == played("compiled")[0][:rounds]


MAKER = """
contract Even {
    uint256 public x;
    constructor(uint256 y) { x = y; }
    function poke(uint256 z) external {
        if (z % 5 == 1) assert(z % 3 != 0);
        if (z % 7 == x % 7) assert(x % 11 != 3);
    }
}
contract Odd {
    uint256 public sum;
    constructor(uint256 y) { sum = y; for (uint256 i; i < 3; i++) sum += i; }
    function poke(uint256 z) external { sum = z; if (z % 6 == 2) assert(z % 4 != 2); }
}
contract Maker {
    Even[] evens; Odd[] odds;
    function make(uint256 y) public {
        if (y % 2 == 0) evens.push(new Even(y)); else odds.push(new Odd(y));
        assert(y % 97 != 5);
    }
    function poke(uint256 i, uint256 z) public {
        if (evens.length > 0) evens[i % evens.length].poke(z);
        if (odds.length > 0) odds[i % odds.length].poke(z);
        assert(z % 89 != 7);
    }
}
"""


@cache
def made(backend: str, executor: str) -> list[str]:
    config = small_config(
        test_mode="assertion", workers=2, round_budget=40_000, shrink_limit=20
    )
    program = compile_solidity(MAKER, "Maker")
    with (
        TemporaryDirectory() as directory,
        started(
            Path(directory), program, config, executor, backend=named(backend)
        ) as running,
    ):
        running.rounds(10)
        assert len(own(running.views.properties.falsified)) > 3
        return running.digests()


@pytest.mark.parametrize("executor", ["inline", "threads:2"])
@pytest.mark.parametrize("backend", [REFERENCE, "compiled"])
def test_contracts_that_calls_create_have_sites_of_their_own(backend, executor):
    """Rows of contracts that were forgotten are given to others."""
    assert made(backend, executor) == made("hot", "inline")


def test_a_replay_reproduces_findings():
    digests, _, events = played("compiled")
    assert replayed(events, named("compiled")) == digests[-1]


def test_ids_stay_when_the_program_is_edited_elsewhere():
    _, first, _ = played("compiled")
    _, second, _ = played("compiled", before="uint256 unused; function g() public {}")
    assert {each.finding for each in own(first)} == {
        each.finding for each in own(second)
    }


def test_as_many_findings_as_are_allowed_end_the_search():
    config = small_config(test_mode="assertion", max_findings=3, round_budget=50_000)
    with (
        TemporaryDirectory() as directory,
        started(Path(directory), program(), config, backend=named("compiled")) as it,
    ):
        reason = it.director.run()
    assert reason.name == "FindingsLimitReached"
    assert len(it.views.properties.falsified) == 3
    assert all(each.is_shrunk for each in it.views.properties.falsified)


def test_without_sites_a_test_has_one_finding():
    config = small_config(test_mode="assertion", max_findings=0, round_budget=50_000)
    with (
        TemporaryDirectory() as directory,
        started(Path(directory), program(), config, backend=named("compiled")) as it,
    ):
        it.rounds(10)
    findings = it.views.properties.falsified
    assert {each.name for each in findings} == {each.test for each in findings}
    assert not any(each.site or each.finding for each in findings)
