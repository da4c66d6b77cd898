"""What `export` writes, without forge: our own EVMs run the tests as Foundry's."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import invoke
from exported_campaigns import PROJECT
from solc import require_solc

CAMPAIGN = "campaign"


@pytest.fixture(scope="module", autouse=True)
def report(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a campaign in a copy of the project, with exports; return its report."""
    require_solc()
    copy = tmp_path_factory.mktemp("export") / "project"
    shutil.copytree(PROJECT, copy)
    here = Path.cwd()
    os.chdir(copy)
    try:
        outcome = invoke(
            *("run", "src/Raw.sol", "--seed", 3, "--format", "text"),
            *("--test-limit", 60_000, "--corpus-dir", CAMPAIGN),
            *("--export-foundry", "exported"),
        )
        assert outcome.code == 1, outcome
        yield outcome.out
    finally:
        os.chdir(here)


def exported(*words: object) -> str:
    outcome = invoke("export", CAMPAIGN, *words)
    assert (outcome.code, outcome.err) == (0, ""), outcome
    return outcome.out


def statuses() -> dict[str, str]:
    """Return what a run of two exports as Foundry's tests says of each."""
    found = {}
    for name in ("echidna_received", "echidna_senders"):
        file = Path("exported", f"Raw_{name}_Test.t.sol")
        outcome = invoke(
            *("run", file, "--test-mode", "foundry", "--format", "json"),
            "--ignore-unsupported",  # `isolate`, which these sequences can do without
            *("--executor", "inline", "--corpus-dir", f"again/{file.stem}"),
        )
        for test in json.loads(outcome.out)["tests"]:
            found[test["name"]] = test["status"]
        shutil.rmtree(f"again/{file.stem}")
    return found


def test_a_run_writes_what_export_prints_for_each_finding():
    files = sorted(Path("exported").iterdir())
    assert len(files) == 9
    for file in files:
        name = file.name.removeprefix("Raw_").removesuffix("_Test.t.sol")
        assert exported(name) == file.read_text("utf-8")


def test_files_are_those_of_the_run(tmp_path: Path):
    exported("--output", tmp_path)
    for file in Path("exported").iterdir():
        assert (tmp_path / file.name).read_bytes() == file.read_bytes()


def test_tests_pass_here_and_fail_where_the_bugs_are_mended():
    before = statuses()
    assert len(before) == 2
    assert set(before.values()) == {"passed"}
    source = Path("src/Raw.sol")
    text = source.read_text("utf-8")
    source.write_text(text.replace("BUGGY = true", "BUGGY = false"), "utf-8")
    after = statuses()
    source.write_text(text, "utf-8")
    assert after.keys() == before.keys()
    assert set(after.values()) == {"failed"}


def test_calls_are_written_out_with_what_they_are_sent_with():
    text = exported("echidna_senders")
    for sender in ("0x10000", "0x20000", "0x30000"):
        assert f"perform(address({sender}), 0x00a3" in text
    assert 'abi.encodeWithSignature("visit' in text
    assert 'import {Raw} from "src/Raw.sol";' in text
    assert "wait(259200, 0);" in exported("echidna_time")


def test_a_sequence_of_the_corpus_tells_how_each_call_ends():
    text = exported("corpus", 0)
    assert "contract Raw_corpus_0_Test {" in text
    assert text.count('require(ok, "Call ') + text.count('require(!ok, "Call ') > 0


def test_text_is_that_of_the_report(report: str):
    for line in exported("--as", "text").splitlines():
        if line.startswith("    "):
            assert f"\n{line}\n" in report


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["echidna_tyme"], "did you mean echidna_time"),
        (["corpus", "9999"], "corpus 9999 is no sequence of"),
        (["corpus"], "as in: export DIR corpus 3."),
        (["--output", "src/Raw.sol/below"], "name another directory."),
    ],
)
def test_what_is_not_there_is_refused(words: list[str], sentence: str):
    assert sentence in invoke("export", CAMPAIGN, *words).refusal()


@pytest.mark.parametrize(
    ("form", "file", "folder"),
    [
        ("echidna", "echidna_received.txt", "reproducers"),
        ("medusa", "echidna_received.json", "test_results"),
    ],
)
def test_one_finding_is_an_entry_of_another_fuzzers_corpus(
    tmp_path, form, file, folder
):
    text = exported("echidna_received", "--as", form)
    exported("echidna_received", "--as", form, "--output", tmp_path / folder)
    assert (tmp_path / folder / file).read_text() == text
    # What `corpus convert` writes of all of them has the same one.
    whole = tmp_path / "whole"
    done = invoke("corpus", "convert", CAMPAIGN, "--to", form, "--output", whole)
    assert done.code == 0, done
    entries = [json.loads(each.read_text()) for each in (whole / folder).iterdir()]
    assert json.loads(text) in entries


@pytest.mark.parametrize("form", ["echidna", "medusa"])
def test_a_sequence_of_the_corpus_replays_from_its_export(tmp_path, form):
    folder = {"echidna": "coverage", "medusa": "call_sequences"}[form]
    exported("corpus", 1, "--as", form, "--output", tmp_path / "corpus" / folder)
    done = invoke("corpus", "show", tmp_path / "corpus", "0", "--target", "src/Raw.sol")
    assert done.code == 0, done
    calls = exported("corpus", 1, "--as", "text").splitlines()[2:]
    assert len(calls) >= 1
    for line in calls:
        assert line.split("(")[0].strip().rpartition(".")[2] in done.out
