"""What is exported reproduces under forge, and no longer where the bug is mended."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from exported_campaigns import CASES, Case
from exported_statuses import exported_statuses


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_finding_of_a_campaign_is_a_file(case: Case, project: Path):
    files = [*(project / "exported" / case.name).glob("*.t.sol")]
    assert len(files) >= case.findings


def is_finding(name: str) -> bool:
    return not name.startswith("exported/corpus/")


def test_all_findings_reproduce(project: Path, verdicts: Mapping[str, str]):
    files = [*(project / "exported").rglob("*.t.sol")]
    assert len(verdicts) == len(files)
    assert sum(map(is_finding, verdicts)) >= 100
    assert {name for name, status in verdicts.items() if status != "Success"} == set()


def test_sequences_of_the_corpus_do_what_they_did(verdicts: Mapping[str, str]):
    corpus = {name: verdicts[name] for name in verdicts if not is_finding(name)}
    assert len(corpus) > 2 * len(CASES)
    assert set(corpus.values()) == {"Success"}


def test_none_reproduces_where_the_bugs_are_mended(
    project: Path, verdicts: Mapping[str, str], tmp_path: Path
):
    mended = tmp_path / "mended"
    for part in ("src", "exported"):
        shutil.copytree(project / part, mended / part)
    for part in ("foundry.toml", "solc"):
        shutil.copy(project / part, mended / part)
    for source in (mended / "src").glob("*.sol"):
        text = source.read_text("utf-8")
        good = text.replace("constant BUGGY = true;", "constant BUGGY = false;")
        assert good != text
        source.write_text(good, "utf-8")
    statuses = exported_statuses(mended)
    statuses = {name: statuses[name] for name in statuses if is_finding(name)}
    assert statuses.keys() == set(filter(is_finding, verdicts))
    assert {name for name, status in statuses.items() if status != "Failure"} == set()
