"""What `init` writes into a project of Foundry passes under forge as it does here."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import invoke
from forge_verdicts import forge_statuses, our_statuses, write_compiler
from init_contracts import DEMANDING, VAULT

HERE = Path(__file__).parent


@pytest.mark.parametrize("source", [VAULT, DEMANDING], ids=["plain", "demanding"])
def test_forge_says_the_same_of_a_first_invariant(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    Path("foundry.toml").write_text("[invariant]\nruns = 4\ndepth = 5\n")
    Path("src").mkdir()
    Path("src/Vault.sol").write_text(source)
    compiler = ("--solc", write_compiler(tmp_path, HERE, "foundry"))
    assert invoke("init", "Vault", *compiler).code == 0
    report = invoke("run", "--seed", 1, "--format", "json", *compiler).out
    ours = our_statuses(report)
    assert ours == {"VaultInvariants.invariant_first()": "passed"}
    assert forge_statuses(tmp_path, HERE, "foundry") == ours
