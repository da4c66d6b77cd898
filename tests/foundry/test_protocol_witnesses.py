"""The bugs of `tests/bench/protocols` are there: forge says so, and so do we."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from command_line import invoke
from forge_verdicts import forge_statuses, our_statuses, write_compiler

HERE = Path(__file__).parent
PROTOCOLS = HERE.parent / "bench" / "protocols"


def test_each_witness_breaks_the_property_with_its_last_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    Path("foundry.toml").write_text('[profile.default]\ntest = "src/witness"\n')
    shutil.copytree(PROTOCOLS, "src")
    compiler = ("--solc", write_compiler(tmp_path, HERE, "foundry"))
    ours = our_statuses(invoke("run", "--format", "json", *compiler).out)
    tested = {name.removeprefix("WitnessTest.test_").partition("(")[0] for name in ours}
    assert tested >= {source.stem for source in PROTOCOLS.glob("*.sol")}
    assert set(ours.values()) == {"passed"}
    assert forge_statuses(tmp_path, HERE, "foundry") == ours
