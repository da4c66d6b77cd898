"""What is misspelt is told with what may have been meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import SMALL, artifact, invoke


@pytest.fixture(autouse=True)
def directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    artifact(tmp_path / "Vault.json")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("rnu",), "Did you mean 'run'?"),
        (("corpus", "shwo"), "Did you mean 'show'?"),
        (("run", "--tst-limit", 3), "'--test-limit'"),
        (("config", "claude-cod"), "did you mean claude-code"),
        (("run", "Valt.json"), "did you mean Vault.json?"),
        (("run", "Vault.json", "--contract", "Valt"), "did you mean Vault?"),
        (("run", "Vault.json", "--constructor-args", "Valt(1)"), "did you mean Vault?"),
        (("run", "Vault.json", "--backend", "nativ"), "did you mean native?"),
        (("run", "Vault.json", "--executor", "thread"), "did you mean threads?"),
        (("run", "Vault.json", "--plugins", "defalt"), "did you mean default?"),
        (("run", "Vault.json", "--test-mode", "asertion"), "did you mean `assertion`?"),
        (
            ("run", "Vault.json", "--test-mode", "property,asertion"),
            "did you mean `assertion`?",
        ),
        (("run", "Vault.json", "--test-mode", "foundri"), "did you mean `foundry`?"),
        (("run", "Vault.json", "--evm-version", "pragu"), "did you mean `prague`?"),
        (("run", "Vault.json", "--coverage-formats", "hmtl"), "did you mean `html`?"),
        (("run", "Vault.json", "--as", "foundri"), "did you mean foundry?"),
        (("run", "Vault.json", "--trace", "failure"), "did you mean failures?"),
        (("run", "Vault.json", "--format", "jsn"), "'github'; did you mean json?"),
        (("export", "c", "--as", "ehidna"), "did you mean echidna?"),
        (("corpus", "list", "--as", "medsa"), "did you mean medusa?"),
        (
            ("run", "Vault.json", "--allow-not-exercised", "echidna_hold"),
            "did you mean echidna_holds?",
        ),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_a_word_of_the_command_line(words, hint):
    more = SMALL if words[:2] == ("run", "Vault.json") else ()
    done = invoke(*words[:2], *more, *words[2:])
    assert (done.code, done.out) == (2, "")
    assert hint in done.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("testLimits: 3", "did you mean `testLimit`?"),
        ("testMode: [property, asertion]", "did you mean `assertion`?"),
        ("corpusFormat: medsa", "did you mean `medusa`?"),
        ("cheatDialect: foundri", "did you mean `foundry`?"),
        ("coverageFormats: [txt, hmtl]", "did you mean `html`?"),
        ("targetContracts: [Valt]", "did you mean Vault?"),
    ],
)
def test_a_word_of_a_file(line, hint):
    Path("e.yaml").write_text(line)
    done = invoke("run", "Vault.json", "--config", "e.yaml", *SMALL)
    assert done.code == 2
    assert hint in done.err.splitlines()[-1]


def test_a_test_of_a_stored_campaign():
    invoke("run", "Vault.json", *SMALL, "--corpus-dir", "c")
    for command in ("show", "export"):
        told = invoke(command, "c", "echidna_hold").refusal()
        assert "did you mean echidna_holds?" in told
    assert "did you mean poke(uint256)?" in invoke("exec", "c", "pok(1)").refusal()


def test_what_resembles_nothing_has_no_hint():
    told = invoke("run", "Vault.json", "--test-mode", "xyz").refusal()
    assert told.endswith("foundry, not `xyz`.")
    told = invoke("run", "Vault.json", "--trace", "xyz").err.splitlines()[-1]
    assert told.endswith("'xyz' is not one of 'failures', 'all', 'none'.")
    arguments = ("--constructor-args", "uint256(1)")
    assert "did you mean" not in invoke("run", "Vault.json", *arguments).refusal()
    assert "did you mean" not in invoke("run", "elsewhere/Q.sol").refusal()
