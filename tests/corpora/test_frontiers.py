"""Frontiers: those that are written are some, and they are seeds of campaigns."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from campaigns import views_of
from command_line import files, invoke
from compared_words import Compared, Witness
from hypothesis import given
from hypothesis import strategies as st
from solc import require_solc

from echidna_mcp.corpora.directory import read_corpus
from echidna_mcp.corpora.foundry import read_calls
from echidna_mcp.corpora.frontier_files import (
    Frontier,
    read_frontiers,
    write_frontiers,
)
from echidna_mcp.corpora.model import Interfaces, StoredCall
from echidna_mcp.corpora.stored import stored_calls
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.evm.sites import COMPARING, SiteComparison
from echidna_mcp.views.campaign import CampaignViews

RUN = (
    *("run", "--executor", "inline", "--workers", 2, "--round-budget", 60_000),
    *("--seed", 5, "--test-limit", 2_000),
)
FILE = Path("Vault", "echidna_solvent", "branch-frontiers.json")
FOUNDRY = """\
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Lock {
    function open(uint256 a) external pure returns (uint256) {
        if (a * 3 + 7 < 1000) return 1;
        if (a == 1 << 200) return 2;
        return 3;
    }
}

contract LockTest {
    Lock lock;

    function setUp() public {
        lock = new Lock();
    }

    function testFuzz_low(uint64 a) public view {
        lock.open(uint256(a) + 1000);
    }

    function testFuzz_low(uint32 a) public view {
        lock.open(uint256(a) + 2000);
    }

    function testFuzz_high(uint64 a, bool b) public view {
        lock.open(b ? 2000 : uint256(a) + 1000);
    }
}
"""
TWINS = """\
contract Lock {
    uint256 immutable limit;
    constructor(uint256 limit_) { limit = limit_; }
    function open(uint256 a) external view returns (bool) { return a < limit; }
}

contract Twins {
    Lock small = new Lock(0);
    Lock large = new Lock(type(uint256).max);
    bool opened;
    function trySmall(uint8 a) external { if (small.open(a)) opened = true; }
    function tryLarge(uint8 a) external { if (large.open(a)) opened = true; }
    function echidna_true() external pure returns (bool) { return true; }
}
"""
RAW = """\
contract Box {
    uint256 stored;
    uint256 public opened;
    fallback() external { if (stored == 77) opened = 1; }
}

contract Raw {
    Box box = new Box();
    function poke() external returns (bool ok) {
        (ok,) = address(box).call(new bytes(8));
    }
    function echidna_true() external pure returns (bool) { return true; }
}
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign on the demo, `one`, and its frontiers."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        patch.delenv("ECHIDNA_MCP_PLUGINS", raising=False)
        assert invoke(*RUN, "--corpus-dir", "one").code in (0, 1)
        done = invoke("corpus", "frontiers", "one", "--output", "found")
        assert done.code == 0, done
        assert done.out.splitlines()[0].startswith(str(Path("found") / FILE))
    return home


@pytest.fixture
def at_home(home: Path, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(home, here / "home")
    monkeypatch.chdir(here / "home")


def sequences_of(views: CampaignViews) -> list[tuple[StoredCall, ...]]:
    told = [each.calls for each in views.properties.falsified]
    told += [each.calls for each in views.corpus.entries]
    return [stored_calls(calls, views.target) for calls in told if calls]


def document_of(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def selectors_of(home: Path) -> set[int]:
    """The selectors of the functions of the demo."""
    functions = views_of(str(home / "one")).target.functions
    return {int.from_bytes(each.selector, "big") for each in functions}


def inherited(place: str) -> Any:
    with EventStore.read_only(store_path(Path(place))) as store:
        (event,) = store.read(types=("CorpusInherited",))
    return event.payload


# ------------------------------------------------------------------------ writing


@pytest.fixture(scope="module")
def witnessed(home: Path) -> tuple[Witness, list[Compared]]:
    """Unmodified py-evm, and what it says that the sequences of `one` compare."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        views = views_of("one")
    witness = Witness(views.target)
    compared = [x for calls in sequences_of(views) for x in witness.run(calls)]
    return witness, compared


def test_each_frontier_is_reached_as_it_says_and_nothing_has_the_other_outcome(
    home, witnessed
):
    witness, compared = witnessed
    shown = {(each.code, each.counter, each.holds) for each in compared}
    frontiers = document_of(home / "found" / FILE)["frontiers"]
    assert len(frontiers) > 20
    for each in frontiers:
        site, operands = each["site"], each["operands"]
        calls = read_calls(each["sequence"])
        assert each["call_index"] == len(calls) - 1
        there = [
            found
            for found in witness.run(calls)
            if (found.call, found.address, found.counter, found.opcode)
            == (len(calls) - 1, int(site["address"], 16), site["pc"], site["opcode"])
        ]
        words = int(operands["lhs"], 16), int(operands["rhs"], 16)
        assert words in {(found.left, found.right) for found in there}
        assert {found.holds for found in there} == {operands["result"]}
        assert COMPARING[site["opcode"]] == site["opcode_name"]
        code = there[0].code
        assert (code, site["pc"], operands["result"]) in shown
        assert (code, site["pc"], not operands["result"]) not in shown


def test_no_comparison_with_one_outcome_is_missing(home, witnessed):
    _, compared = witnessed
    found = document_of(home / "found" / FILE)["frontiers"]
    told = {each["site"]["pc"] for each in found}
    outcomes: dict[tuple[str, int], set[bool]] = {}
    selectors = selectors_of(home)
    for each in compared:
        name = COMPARING[each.opcode]
        if selectors & {each.left, each.right}:
            continue
        # What says nothing that another instruction does not say as well, or decides
        # no jump, is none.
        if name not in ("ISZERO", "SUB", "XOR"):
            outcomes.setdefault((name, each.counter), set()).add(each.holds)
    open_ = {counter for (_, counter), both in outcomes.items() if len(both) == 1}
    assert open_ <= told
    closed = {counter for (_, counter), both in outcomes.items() if len(both) == 2}
    assert not closed & told
    assert open_
    assert closed


def test_what_chooses_the_function_is_no_frontier(home, witnessed):
    _, compared = witnessed
    selectors = selectors_of(home)
    assert any(selectors & {each.left, each.right} for each in compared)
    frontiers = document_of(home / "found" / FILE)["frontiers"]
    assert frontiers
    for each in frontiers:
        operands = each["operands"]
        assert not selectors & {int(operands["lhs"], 16), int(operands["rhs"], 16)}


def test_zeros_are_no_selector(here):
    """What a fallback compares with 0 is a frontier when it is called with zeros."""
    Path("Raw.sol").write_text(RAW, "utf-8")
    assert invoke(*RUN, "Raw.sol", "--corpus-dir", "c").code == 0
    assert invoke("corpus", "frontiers", "c", "--output", "f").code == 0
    (path,) = Path("f").rglob(FILE.name)
    operands = [each["operands"] for each in document_of(path)["frontiers"]]
    assert {0, 77} in [{int(x["lhs"], 16), int(x["rhs"], 16)} for x in operands]


def test_of_all_calls_that_reach_a_comparison_the_nearest_represents_it(
    home, witnessed
):
    _, compared = witnessed
    nearest: dict[int, int] = {}
    for each in compared:
        distance = SiteComparison(0, each.opcode, each.left, each.right).distance
        known = nearest.get(each.counter, distance)
        nearest[each.counter] = min(known, distance)
    for each in document_of(home / "found" / FILE)["frontiers"]:
        distance = int(each["operands"]["operand_delta"], 16)
        assert distance == nearest[each["site"]["pc"]]


@pytest.mark.usefixtures("at_home")
def test_the_same_campaign_gives_the_same_files_and_stays_as_it_is():
    before = files(Path("one"))
    done = invoke("corpus", "frontiers", "one", "--output", "again")
    assert done.code == 0
    assert files(Path("again")) == files(Path("found"))
    assert files(Path("one")) == before


@pytest.mark.usefixtures("at_home")
def test_a_limit_keeps_the_most_promising():
    done = invoke("corpus", "frontiers", "one", "--output", "few", "--limit", 3)
    assert "3 frontiers" in done.out
    few, all_ = document_of("few" / FILE), document_of("found" / FILE)
    assert few == {**all_, "limit": 3, "frontiers": all_["frontiers"][:3]}


@pytest.mark.usefixtures("at_home")
def test_a_corpus_of_another_fuzzer_has_frontiers_of_its_target():
    assert (
        invoke("corpus", "convert", "one", "--to", "medusa", "--output", "m").code == 0
    )
    shutil.copytree("one", "m/one")
    done = invoke("corpus", "frontiers", "m", "--output", "of-m")
    assert done.code == 0, done
    sites = [
        [each["site"] for each in document_of(place / FILE)["frontiers"]]
        for place in (Path("of-m"), Path("found"))
    ]
    assert sites[0] == sites[1]


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("nowhere", "--output", "x"), "nowhere is no directory"),
        (("found", "--output", "x"), "name it with --target"),
        (("one", "--output", "found"), "holds something"),
        (("one", "--output", "x", "--limit", 0), "--limit"),
    ],
)
def test_what_can_not_be_written_is_refused_in_one_sentence(words, says):
    assert says in invoke("corpus", "frontiers", *words).refusal()
    assert not Path("x").exists()


@pytest.mark.solc
def test_the_frontiers_of_a_fuzz_test_are_what_forge_reads(here):
    # Its reader wants the signature of the test, and one call of it without wei.
    require_solc()
    Path("Lock.t.sol").write_text(FOUNDRY)
    mode = ("--test-mode", "foundry", "--corpus-dir", "c")
    done = invoke(*RUN, "Lock.t.sol", "--contract", "LockTest", *mode)
    assert done.code == 0, done
    assert invoke("corpus", "frontiers", "c", "--output", "f").code == 0
    tests = {
        "testFuzz_low": "testFuzz_low(uint32)",
        "testFuzz_low(uint64)": "testFuzz_low(uint64)",
        "testFuzz_high": "testFuzz_high(uint64,bool)",
    }
    assert {x.parent.name for x in Path("f").glob("LockTest/*/*.json")} == {*tests}
    for name, signature in tests.items():
        document = document_of(Path("f", "LockTest", name, FILE.name))
        assert document["test"] == signature
        for each in document["frontiers"]:
            (call,) = each["sequence"]
            assert each["call_index"] == 0
            assert "value" not in call
        # Neither a sum of at most 2^64 + 999 is that small, nor that large.
        names = [each["site"]["opcode_name"] for each in document["frontiers"]]
        assert "LT" in names
        # What leads to a block that was never entered comes before what only reverts:
        # calldata that is too short.
        assert names.index("SUB") < names.index("SLT")


@pytest.mark.solc
def test_an_outcome_counts_wherever_the_same_code_is_deployed(here):
    require_solc()
    Path("Twins.sol").write_text(TWINS)
    done = invoke(*RUN, "Twins.sol", "--contract", "Twins", "--corpus-dir", "c")
    assert done.code == 0, done
    assert invoke("corpus", "frontiers", "c", "--output", "f").code == 0
    views = views_of("c")
    witness = Witness(views.target)
    main = views.target.config.contract_addr
    outcomes: dict[tuple[int, int], set[bool]] = {}
    for calls in sequences_of(views):
        for each in witness.run(calls):
            if each.address != main:
                site = each.counter, each.opcode
                outcomes.setdefault(site, set()).add(each.holds)
    (path,) = Path("f").rglob(FILE.name)
    told = {
        (each["site"]["pc"], each["site"]["opcode"])
        for each in document_of(path)["frontiers"]
        if int(each["site"]["address"], 16) != main
    }
    both = {site for site, seen in outcomes.items() if len(seen) == 2}
    # It is less than the one limit, and not less than the other.
    assert "LT" in {COMPARING[opcode] for _, opcode in both}
    assert told
    assert told <= {*outcomes} - both


# ----------------------------------------------------------------------- the format


def call(number: int) -> StoredCall:
    return StoredCall(sender=0x10000, target=0xA1, calldata=bytes([number]))


def frontier(*calls: StoredCall, opcode: int = 0x10) -> Frontier:
    return Frontier(
        calls=calls,
        address=0xA2,
        comparison=SiteComparison(7, opcode, 100, 90),
        new_coverage=True,
    )


def test_a_file_is_written_as_forge_writes_it():
    timed = StoredCall(
        sender=0x10000, target=0xA1, calldata=b"\xab", value=5, time_delay=16
    )
    text = write_frontiers("f(uint256)", 9, [frontier(call(1), timed)])
    assert text == (
        '{"schema":"foundry:fuzz.branch-frontiers@v1","version":1,"generated_at":0,'
        '"test":"f(uint256)","limit":9,"frontiers":[{"id":0,"new_coverage":true,'
        '"call_index":1,"sequence":['
        '{"sender":"0x0000000000000000000000000000000000010000",'
        '"target":"0x00000000000000000000000000000000000000a1","calldata":"0x01"},'
        '{"warp":"0x10","sender":"0x0000000000000000000000000000000000010000",'
        '"target":"0x00000000000000000000000000000000000000a1","calldata":"0xab",'
        '"value":"0x5"}],'
        '"site":{"address":"0x00000000000000000000000000000000000000a2","pc":7,'
        '"opcode":16,"opcode_name":"LT"},'
        '"operands":{"lhs":"0x64","rhs":"0x5a","result":false,"operand_delta":"0xa"}}]}'
    )


@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=3), max_size=6))
def test_what_is_written_is_read_each_sequence_once(numbers):
    sequences = [tuple(call(x) for x in each) for each in numbers]
    text = write_frontiers("f()", 9, [frontier(*each) for each in sequences])
    found = read_frontiers(text)
    assert [*found.values()] == [*dict.fromkeys(sequences)]
    assert all(sequences[number] == calls for number, calls in found.items())


# -------------------------------------------------------------------------- reading


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("place", [FILE, Path(FILE.name)])
def test_frontiers_are_seeds_of_a_campaign_and_lead_it_on(place):
    Path("d", place.parent).mkdir(parents=True)
    shutil.copy("found" / FILE, "d" / place)
    before = files(Path("d"))
    small = ("--seed", 99, "--test-limit", 200)
    done = invoke(*RUN, *small, "--corpus-dir", "d", "--corpus-format", "native")
    (directory,) = [each.parent for each in Path("d").rglob("*.db")]
    payload = inherited(str(directory))
    frontiers = document_of("d" / place)["frontiers"]
    wanted = dict.fromkeys(
        tuple(call["calldata"] for call in each["sequence"]) for each in frontiers
    )
    found = [tuple(call["calldata"] for call in x) for x in payload["sequences"]]
    assert {*found} == {*wanted}
    assert (payload["formats"], payload["remarks"]) == (["foundry"], [])
    named = f"{place.as_posix()}#0"
    assert payload["files"][0] == {"sequence": 0, "file": named}
    assert {x: y for x, y in files(Path("d")).items() if x in before} == before
    # As many calls without the seeds see less.
    plain = invoke(*RUN, *small, "--corpus-dir", "plain")
    assert {done.code, plain.code} <= {0, 1}
    with_seeds, without = views_of(str(directory)), views_of("plain")
    assert with_seeds.coverage.points > without.coverage.points
    assert "imported" in {each.source for each in with_seeds.corpus.entries}


def test_a_file_as_forge_writes_it_is_read(here):
    call = {"sender": "0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38", "target": "0xA1"}
    told = {
        "schema": "foundry:fuzz.branch-frontiers@v1",
        "version": 1,
        "generated_at": 1770000000,
        "test": "testFuzz_a(uint256)",
        "limit": 256,
        "frontiers": [
            {
                "id": 0,
                "seed": "0x1234",
                "run": 3,
                "worker": 0,
                "call_index": 0,
                "sequence": [
                    {**call, "warp": None, "calldata": "0x12345678", "value": None}
                ],
                "site": {"address": "0xA1", "pc": 7, "opcode": 16, "opcode_name": "LT"},
                "operands": {
                    "lhs": "0x64",
                    "rhs": "0x64",
                    "result": False,
                    "operand_delta": "0x0",
                },
            }
        ],
    }
    path = Path("c", "ATest", "testFuzz_a", FILE.name)
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(told))
    corpus = read_corpus(Path("c"), Interfaces(()))
    assert corpus is not None
    (sequence,) = corpus.sequences
    assert corpus.problems == ()
    assert (sequence.contract, sequence.test) == ("ATest", "testFuzz_a")
    (found,) = sequence.calls
    assert (found.target, found.calldata) == (0xA1, bytes.fromhex("12345678"))


GOOD: dict[str, Any] = {
    "schema": "foundry:fuzz.branch-frontiers@v1",
    "version": 1,
    "frontiers": [],
}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "it is no JSON"),
        ([], "there is no object with the member schema"),
        ({}, "the member schema is missing"),
        (
            {**GOOD, "schema": "foundry:fuzz.corpus@v1"},
            "its schema is not foundry:fuzz.branch-frontiers@v1",
        ),
        ({**GOOD, "version": 2}, "its version is not 1, the only one that is known"),
        ({**GOOD, "frontiers": 5}, "its frontiers are no JSON array"),
        (GOOD, "it has no calls"),
        ({**GOOD, "frontiers": [7]}, "frontier 0: there is no object with the member "),
        (
            {**GOOD, "frontiers": [{"sequence": []}, {"sequence": {}}]},
            "frontier 1: it is no JSON array of calls",
        ),
        (
            {**GOOD, "frontiers": [{"sequence": [{"calldata": "0x1"}]}]},
            "frontier 0: the calldata is no text of hexadecimal digits",
        ),
    ],
)
def test_a_file_that_is_none_is_told_in_one_sentence(here, content, says):
    path = "d" / FILE
    path.parent.mkdir(parents=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    done = invoke(*RUN, "--test-limit", 50, "--corpus-dir", "d")
    (directory,) = [each.parent for each in Path("d").rglob("*.db")]
    (remark,) = inherited(str(directory))["remarks"]
    assert remark.startswith(f"{FILE.as_posix()}: {says}")
    assert remark in done.err + done.out
    listed = invoke("corpus", "list", "d")
    assert remark in listed.err
