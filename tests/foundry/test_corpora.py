"""What forge itself writes is read, and forge takes what we have written."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from forge_verdicts import forge_test, write_compiler

from echidna_mcp.corpora.directory import read_corpus
from echidna_mcp.corpora.layouts import LAYOUTS
from echidna_mcp.corpora.model import Interfaces
from echidna_mcp.events.store import EventStore, store_path

HERE = Path(__file__).parent
SOURCE = """\
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Counter {
    uint256 public n;
    bool public paid;
    mapping(uint256 => uint256) seen;

    function add(uint256 x) external payable {
        if (msg.value > 5) paid = true;
        if (x > 1000) n++;
        seen[x] = n;
        if (n == 2) seen[0] = 4;
    }

    function name(bytes calldata what, uint8[] calldata which) external {
        if (what.length > 5) seen[1]++;
        if (which.length == 2) seen[2]++;
    }
}

contract CounterTest {
    Counter counter;

    function setUp() public {
        counter = new Counter();
    }

    function targetContracts() public view returns (address[] memory found) {
        found = new address[](1);
        found[0] = address(counter);
    }

    function invariant_few() public view {
        require(counter.n() < LIMIT, "many");
    }

    function testFuzz_small(uint256 x) public pure {
        require(x < 1000, "large");
    }
}
"""
SETTINGS = """\
[profile.default]
src = "src"
test = "test"
solc = "./solc"
offline = true

[invariant]
runs = 30
depth = 20
corpus_dir = "corpus"
corpus_gzip = GZIP
max_time_delay = 1000
max_block_delay = 100

[fuzz]
runs = 200
seed = "0x7"
corpus_dir = "corpus"
corpus_gzip = GZIP
"""


@pytest.fixture(scope="module", params=["false", "true"])
def searched(request, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in which forge has found both tests to fail, and a corpus before."""
    project = tmp_path_factory.mktemp("forge") / "project"
    (project / "test").mkdir(parents=True)
    write_compiler(project, HERE, "foundry")
    (project / "foundry.toml").write_text(SETTINGS.replace("GZIP", request.param))
    for limit in (10**9, 3):
        source = SOURCE.replace("LIMIT", str(limit))
        (project / "test" / "Counter.t.sol").write_text(source)
        found = forge_test(project, HERE, "foundry")
    (suite,) = found.values()
    statuses = {result["status"] for result in suite["test_results"].values()}
    assert statuses == {"Failure"}
    return project


@pytest.fixture
def project(searched: Path, tmp_path: Path) -> Path:
    """A copy of that, in which nothing of ours has run."""
    return shutil.copytree(searched, tmp_path / "project")


def run(project: Path, *words: object) -> Any:
    """Run the tests of the project with its corpus; return the report."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "echidna_mcp.cli", "run", "."),
            *("--corpus-dir", "corpus", "--seed", "3", "--workers", "2"),
            *("--test-limit", "2000", "--solc", "./solc", "--format", "json"),
            *map(str, words),
        ],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done
    return json.loads(done.stdout)


def test_all_that_forge_stores_is_read_and_written_alike(project):
    corpus = read_corpus(project / "corpus", Interfaces(()))
    assert corpus is not None
    assert corpus.problems == ()
    told = {(each.purpose, each.contract, each.test) for each in corpus.sequences}
    assert told >= {
        ("reproducer", "CounterTest", "invariant_few"),
        ("reproducer", "CounterTest", "testFuzz_small"),
        ("coverage", "CounterTest", "invariant_few"),
        ("coverage", "CounterTest", "testFuzz_small"),
    }
    layout, plain = LAYOUTS["foundry"], 0
    for file in layout.files(project / "corpus"):
        if file.purpose == "coverage" and file.path.suffix == ".json":
            text = file.path.read_text("utf-8")
            assert layout.write(layout.read(text, Interfaces(()))) == text
            plain += 1
    assert plain


def test_what_forge_found_is_still_broken_here_and_none_of_it_is_lost(project):
    report = run(project)
    told = [
        (each["test"], each["status"], each["file"])
        for campaign in report["campaigns"]
        for each in campaign["failedBefore"]
    ]
    assert sorted(told) == [
        (
            *("invariant_few()", "still broken"),
            "../cache/invariant/failures/CounterTest/invariant_few",
        ),
        (
            *("testFuzz_small(uint256)", "still broken"),
            "../cache/fuzz/failures/CounterTest/testFuzz_small",
        ),
    ]
    for campaign in report["campaigns"]:
        with EventStore.read_only(store_path(project / campaign["directory"])) as store:
            (payload,) = [
                event.payload for event in store.read(types=("CorpusInherited",))
            ]
        assert payload["droppedSequences"] == 0
        assert payload["sequences"]
        # The senders of forge are any, so no seed of invariants had to change.
        assert [x for x in payload["remarks"] if "left out" in x] == []


def test_forge_goes_on_with_what_we_have_written(project):
    run(project)
    written = [*(project / "corpus").glob("CounterTest/*/worker0/corpus/*-0.json")]
    assert written
    found = forge_test(project, HERE, "foundry")
    (suite,) = found.values()
    assert {x["status"] for x in suite["test_results"].values()} == {"Failure"}
    assert all(path.exists() for path in written)
