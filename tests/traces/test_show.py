"""`show`, and the traces at the end of `run`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from command_line import Outcome, files, invoke
from solc import require_solc

pytestmark = pytest.mark.solc

SOURCE = """\
// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

contract Coin {
    event Paid(address indexed to, uint256 amount);
    error Poor(uint256 has);
    mapping(address => uint256) public has;

    function mint(address to, uint256 amount) external {
        has[to] += amount;
        emit Paid(to, amount);
    }

    function burn(uint256 amount) external {
        if (amount > has[msg.sender]) revert Poor(has[msg.sender]);
        has[msg.sender] -= amount;
    }
}

contract Vault {
    Coin coin = new Coin();
    uint256 opened;

    function open() external payable {
        opened = 7;
        coin.mint(msg.sender, 5);
    }

    function close(uint256 amount) external {
        require(opened == 7);
        coin.burn(amount);
    }

    function check() external view {
        assert(opened != 7);
    }

    function echidna_closed() external view returns (bool) {
        return coin.has(msg.sender) == 0 && opened == 0;
    }

    function echidna_holds() external pure returns (bool) {
        return true;
    }
}
"""
RUN = (
    *("run", "V.sol", "--contract", "Vault", "--executor", "inline", "--workers", "2"),
    *("--round-budget", "4000", "--test-limit", "400", "--seq-len", "6", "--seed", "3"),
    *("--test-mode", "property,assertion"),
)


def run(directory: Path, *words: str) -> Outcome:
    done = invoke(*RUN, "--corpus-dir", directory, *words)
    assert done.code == 1, done
    return done


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a directory with the source and, in `native`, a campaign on it."""
    require_solc()
    place = tmp_path_factory.mktemp("show")
    (place / "V.sol").write_text(SOURCE)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        run(place / "native")
        yield place


@pytest.fixture(autouse=True)
def here(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)


def shown(*words: str, directory: str = "native") -> str:
    done = invoke("show", directory, *words)
    assert (done.code, done.err) == (0, ""), done
    return done.out


def document(*words: str, directory: str = "native") -> dict[str, Any]:
    return json.loads(shown(*words, "--json", directory=directory))


def test_all_findings_are_shown_by_default():
    subjects = [each["subject"] for each in document()["traces"]]
    assert subjects == ["echidna_closed", "check()"]


def test_a_trace_tells_what_the_calls_of_the_reproducer_do():
    text = shown("check")
    (call,) = document("check")["traces"][0]["calls"][:-1]
    assert call["trace"]["function"] == "open"
    first, _, _ = text.partition("  call 2\n")
    assert "Vault.open() [" in first
    assert "├─ Coin.mint(to: 0x" in first
    assert "│  ├─ emit Paid(to: 0x" in first
    assert "amount: 5)" in first


def test_a_failure_has_its_line_and_the_lines_around_it():
    number = SOURCE[: SOURCE.index("assert(opened")].count("\n") + 1
    lines = shown("check()").splitlines()
    at = lines.index(f"    at V.sol:{number}")
    assert lines[at + 3] == f"    > {number} |         assert(opened != 7);"
    assert lines[at + 1].startswith(f"      {number - 2} |")
    assert "✗ reverted: Panic(0x01): assertion failed" in lines[at - 1]


def test_a_property_is_shown_as_it_was_judged():
    (trace,) = document("echidna_closed")["traces"]
    question = trace["question"]["trace"]
    assert question["function"] == "echidna_closed"
    assert [each["value"] for each in question["results"]] == ["false"]
    assert trace["reason"] == "returned false"
    (inner,) = question["inner"]
    assert (inner["kind"], inner["function"]) == ("staticcall", "has")
    text = shown("echidna_closed")
    assert "  judged by\n    Vault.echidna_closed() [" in text


def test_json_has_the_bytes_of_calls_logs_and_storage():
    trace = document("check")["traces"][0]["calls"][0]["trace"]
    coin, write = trace["inner"]
    log, _ = coin["inner"]
    assert (trace["data"], trace["output"]) == ("0xfcfff16f", "0x")
    assert coin["data"].startswith("0x40c10f19")
    assert coin["callee"] == coin["address"]
    assert (len(log["topics"]), int(log["data"], 16)) == (2, 5)
    assert (write["slot"], write["words"]) == ("0x1", ["0x0", "0x7"])


def test_a_line_tells_what_the_reference_said_when_it_was_found():
    version = metadata.version("py-evm")
    for name, said in (
        (
            "check()",
            "call 2 fails the assertion: reverted: Panic(0x01): assertion fail",
        ),
        ("echidna_closed", "after 1 call echidna_closed returned false"),
    ):
        line = shown(name).splitlines()[1]
        assert line.startswith(f"  confirmed on py-evm {version}: {said}")
        assert document(name)["traces"][0]["confirmed"] == line.strip()
    assert document("corpus", "0")["traces"][0]["confirmed"] is None
    assert "confirmed on" not in shown("corpus", "0")


def test_the_deployment_is_told_on_demand():
    assert document("check")["traces"][0]["deployment"] is None
    (deployed,) = document("check", "--deployment")["traces"][0]["deployment"]
    (coin, *_) = deployed["trace"]["inner"]
    assert (deployed["trace"]["contract"], coin["contract"]) == ("Vault", "Coin")
    assert "new Coin() at 0x" in shown("check", "--deployment")
    assert "new Coin() at 0x" not in shown("check")


def test_sequences_of_the_corpus_are_shown_by_number():
    (trace,) = document("corpus", "0")["traces"]
    assert (trace["subject"], trace["question"]) == ("corpus 0", None)
    assert trace["calls"]


def test_both_evms_have_the_same_trace():
    run(Path("py-evm"), "--backend", "py-evm")
    assert document(directory="py-evm")["traces"] == document()["traces"]


def test_to_look_at_a_campaign_leaves_it_as_it_is():
    before = files(Path("native"))
    shown()
    assert files(Path("native")) == before


def test_text_has_colours_where_they_are_wanted(monkeypatch: pytest.MonkeyPatch):
    plain = shown("check")
    assert "\x1b" not in plain
    assert "\x1b" not in shown("check", "--color", "never")
    coloured = shown("check", "--color", "always")
    assert "\x1b[31m✗ reverted" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    assert shown("check", "--color", "always") == coloured


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("echidna_close",), r"is no test of native; did you mean echidna_closed"),
        (("nothing",), r"nothing is no test of native; it has echidna_holds, "),
        (
            ("echidna_holds",),
            r"echidna_holds is not falsified, so there is no sequence",
        ),
        (("corpus",), r"After the directory comes the name of one test, or corpus"),
        (("corpus", "99"), r"corpus 99 is no sequence of native, which has 0 to \d"),
        (("corpus", "-1"), r"-1"),
        (("check", "open"), r"After the directory comes the name of one test"),
    ],
)
def test_what_is_not_there_is_refused_in_a_sentence(words, sentence):
    done = invoke("show", "native", "--", *words)
    assert done.code == 2
    assert re.search(sentence, done.err), done


def test_a_directory_that_is_not_there_is_refused(tmp_path):
    done = invoke("show", tmp_path / "none")
    assert f"{tmp_path / 'none'} is no directory; name one" in done.refusal()


def test_a_campaign_without_findings_says_so(tmp_path):
    source = SOURCE.replace("assert(opened != 7)", "assert(true)")
    Path("Good.sol").write_text(
        source.replace("coin.has(msg.sender) == 0 &&", "true ||")
    )
    words = [word.replace("V.sol", "Good.sol") for word in RUN]
    assert invoke(*words, "--corpus-dir", tmp_path).code in (0, 4)
    assert "No test of" in shown(directory=str(tmp_path))
    assert document(directory=str(tmp_path))["traces"] == []


def test_run_ends_with_traces_only_where_they_are_asked_for(tmp_path):
    traced = run(tmp_path / "a", "--trace", "failures").out
    plain = run(tmp_path / "b").out
    assert "Trace of" not in plain
    *report, last = plain.splitlines(keepends=True)
    told = shown(directory=str(tmp_path / "a"))
    assert traced == "".join([*report, told, last])
    everything = run(tmp_path / "c", "--trace", "all").out
    told = shown("--deployment", directory=str(tmp_path / "c"))
    assert everything == "".join([*report, told, last])


def test_a_json_report_has_traces_only_where_they_are_asked_for(tmp_path):
    plain = json.loads(run(tmp_path / "a", "--format", "json").out)
    traced = json.loads(
        run(tmp_path / "b", "--format", "json", "--trace", "failures").out
    )
    assert "traces" not in plain
    assert traced.pop("traces") == document(directory=str(tmp_path / "b"))["traces"]
    assert traced == plain
