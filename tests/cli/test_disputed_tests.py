"""`run` when two EVMs disagree: it says so, and takes neither's word silently."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import SMALL, Outcome, invoke

PLUGIN = """
from echidna_mcp.evm.backend import Status
from echidna_mcp.plugins.hookspecs import hookimpl
from eth_hash.auto import keccak
from faulty_backend import lying

@hookimpl
def register_backends():
    return [lying(keccak(b"echidna_holds()")[:4], status=Status.RETURN_FALSE)]
"""
SENTENCE = (
    "Test echidna_holds: two EVMs disagree, so one has a bug. lying: the test fails: "
    "returned false ("
)


@pytest.fixture
def liar(here: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed plugin whose backend says that the property is false."""
    info = here / "liar-1.0.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: liar\n")
    info.joinpath("entry_points.txt").write_text("[echidna_mcp]\nliar = a_liar\n")
    here.joinpath("a_liar.py").write_text(PLUGIN)
    # The lie is told while the contract has ether.
    here.joinpath("config.yaml").write_text("balanceContract: 1\n")
    monkeypatch.syspath_prepend(here)
    yield
    sys.modules.pop("a_liar", None)


def run(target: Path, *arguments: object) -> Outcome:
    which = ("--plugins", "default,liar", "--backend", "lying")
    return invoke("run", target, "--config", "config.yaml", *which, *SMALL, *arguments)


@pytest.mark.usefixtures("liar")
def test_a_disputed_test_is_no_failure_and_no_success(target: Path) -> None:
    outcome = run(target)
    assert outcome.code == 2
    assert "echidna_holds: disputed!\n  " + SENTENCE in outcome.out
    assert "No transactions were needed to reach the failure." in outcome.out
    assert "passing" not in outcome.out
    assert f"[Worker 0] {SENTENCE}" in outcome.err
    last = outcome.err.splitlines()[-1]
    assert last.startswith(
        "Error: Whether these tests pass is undecided: echidna_holds."
    )


@pytest.mark.usefixtures("liar")
def test_the_report_for_programs_has_the_sequence(target: Path) -> None:
    outcome = run(target, "--format", "json")
    assert outcome.code == 2
    (test,) = json.loads(outcome.out)["tests"]
    assert test["status"] == "disputed"
    assert test["reason"].startswith(SENTENCE)
    assert (test["shrunk"], test["transactions"]) == (False, [])
