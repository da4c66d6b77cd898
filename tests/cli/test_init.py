"""`init` writes tests that compile and run as they stand, and changes nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from command_line import artifact, files, invoke
from init_contracts import DEMANDING, VAULT
from solc import require_solc

from echidna_mcp.config.projects.loader import load_config

pytestmark = pytest.mark.solc

NAMES = [(), ("Vault",), ("Vault.sol",), ("Vault.sol:Vault",)]
FIXED = ("--seed", 1, "--test-limit", 500, "--format", "json")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    require_solc()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def begun(*words: object) -> str:
    """Run `init`; return the command that it says comes next."""
    done = invoke("init", *words)
    assert done.code == 0, done
    *_, last = done.out.splitlines()
    before, _, command = last.partition(" Now: echidna-mcp ")
    assert before == "It compiles and can be deployed."
    return command


def statuses(command: str) -> dict[str, str]:
    """Run what it says; return what became of each test."""
    done = invoke(*command.split(), *FIXED)
    assert done.code == 0, done
    return {test["name"]: test["status"] for test in json.loads(done.out)["tests"]}


@pytest.mark.parametrize("source", [VAULT, DEMANDING], ids=["plain", "demanding"])
@pytest.mark.parametrize(
    "words", [(), ("Vault",), ("Vault.sol",), ("Vault.sol:Vault",)]
)
def test_properties_of_a_contract_run_as_they_are_written(source, words):
    if source == DEMANDING and words in ((), ("Vault.sol",)):
        words = ("Vault",)  # Wallet might be meant as well.
    Path("Vault.sol").write_text(source)
    command = begun(*words)
    assert command == "run"
    found = statuses(command)
    assert found.pop("echidna_first") == "passing"
    assert {"add(uint8)"} <= set(found)
    assert "total() returns (uint256)" in Path("VaultProperties.sol").read_text()
    assert "contract: VaultProperties" in Path("echidna.yaml").read_text()


@pytest.mark.parametrize("source", [VAULT, DEMANDING], ids=["plain", "demanding"])
def test_in_a_project_of_foundry_it_is_an_invariant(source):
    Path("foundry.toml").write_text("[invariant]\nruns = 4\ndepth = 5\n")
    Path("src").mkdir()
    Path("src/Vault.sol").write_text(source)
    command = begun("Vault")
    assert command == "run --match-contract VaultInvariants"
    assert statuses(command) == {"invariant_first()": "passed"}
    assert not Path("echidna.yaml").exists()


@pytest.mark.parametrize(
    ("text", "variables"),
    [
        ('[profile.default]\ntest = "checks/own"\n', {}),
        ('[profile.ci]\ntest = "checks/own"\n', {"FOUNDRY_PROFILE": "ci"}),
    ],
)
def test_tests_of_foundry_lie_where_its_profile_has_them(text, variables, monkeypatch):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    Path("foundry.toml").write_text(f"{text}[invariant]\nruns = 4\ndepth = 5\n")
    Path("src").mkdir()
    Path("src/Vault.sol").write_text(VAULT)
    command = begun("Vault")
    assert Path("checks/own/VaultInvariants.t.sol").is_file()
    assert not Path("test").exists()
    assert statuses(command) == {"invariant_first()": "passed"}


def test_tests_of_foundry_are_written_into_the_project_only(tmp_path, monkeypatch):
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    monkeypatch.chdir(project)
    Path("src/Vault.sol").write_text(VAULT)
    Path("foundry.toml").write_text('[profile.default]\ntest = "../elsewhere"\n')
    done = invoke("init", "Vault")
    assert (done.code, done.out) == (2, "")
    assert "outside the project" in done.err.splitlines()[-1]
    assert not (tmp_path / "elsewhere").exists()
    assert not list(project.glob("**/*.t.sol"))


def test_in_a_project_of_medusa_properties_have_its_prefix():
    Path("medusa.json").write_text('{"fuzzing": {"workers": 2}}')
    Path("contracts").mkdir()
    Path("contracts/Vault.sol").write_text(VAULT)
    command = begun("Vault")
    assert command == "run --contract VaultProperties"
    assert not Path("echidna.yaml").exists()
    assert (
        "function property_first()" in Path("contracts/VaultProperties.sol").read_text()
    )


def test_what_is_there_is_not_changed(project):
    Path("Vault.sol").write_text(VAULT)
    begun("Vault")
    with Path("VaultProperties.sol").open("a") as file:
        file.write("// mine\n")
    Path("echidna.yaml").write_text("seqLen: 5\n")
    before = files(project)
    done = invoke("init", "Vault")
    assert done.code == 0, done
    assert done.out.splitlines()[:2] == [
        "Left as it is: VaultProperties.sol",
        "Left as it is: echidna.yaml",
    ]
    assert done.out.endswith("run --contract VaultProperties\n")
    assert files(project) == before


def test_every_key_of_the_configuration_is_one_and_has_its_default():
    Path("Vault.sol").write_text(VAULT)
    begun()
    text = Path("echidna.yaml").read_text()
    assert load_config("echidna.yaml").unhonoured == ()
    keys = re.findall(r"^# (\w+: .+)$", text, re.MULTILINE)
    assert len(keys) >= 6
    everything = yaml.safe_load("\n".join(keys))
    Path("all.yaml").write_text(yaml.safe_dump(everything))
    assert load_config("all.yaml").unhonoured == ()
    given, usual = load_config("all.yaml").campaign, load_config(None).campaign
    for name in ("seq_len", "senders", "balance_addr", "all_contracts"):
        assert getattr(given, name) == getattr(usual, name)


def test_a_constructor_that_refuses_the_arguments_is_told():
    refusing = '    constructor(uint256 x) { require(x > 9, "low"); }\n'
    source = VAULT.replace("    function add", f"{refusing}    function add")
    Path("Vault.sol").write_text(source)
    done = invoke("init")
    assert done.code == 2
    last = done.err.splitlines()[-1]
    assert last.startswith("Error: VaultProperties.sol does not run as it stands; ")
    assert "low" in done.err
    written = Path("VaultProperties.sol")
    written.write_text(written.read_text().replace("uint256(1)", "10"))
    assert begun("Vault") == "run"


def test_a_misspelt_contract_has_a_hint():
    Path("Vault.sol").write_text(VAULT)
    assert "did you mean Vault?" in invoke("init", "Valt").err
    assert not Path("ValtProperties.sol").exists()


def test_a_contract_that_has_tests_is_refused(project):
    Path("Vault.sol").write_text(VAULT)
    begun()
    before = files(project)
    told = invoke("init").err.splitlines()[-1]
    assert told.startswith("Error: VaultProperties has tests already; ")
    assert files(project) == before


def test_tests_are_known_by_each_of_several_prefixes(project):
    Path("echidna.yaml").write_text('prefix: "crytic_,checks_"\n')
    tested = "function checks_all() public pure returns (bool) { return true; }"
    Path("Own.sol").write_text(f"contract Own {{ {tested} }}\n")
    before = files(project)
    told = invoke("init", "Own").err.splitlines()[-1]
    assert told.startswith("Error: Own has tests already; ")
    assert files(project) == before


def test_what_is_no_source_is_refused(project):
    artifact(project / "T.json")
    before = files(project)
    assert "has tests already" in invoke("init", "T.json").err
    artifact(project / "T.json", [{"type": "function", "name": "f", "inputs": []}])
    assert "no source of Solidity here" in invoke("init", "T.json").err
    assert {*files(project)} == {*before}


def test_elsewhere_there_is_nothing_to_begin_with():
    assert "There is no project here" in invoke("init").refusal()
