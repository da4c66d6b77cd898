"""A project on the command line: what is read, what is told, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import SMALL, artifact, invoke
from solc import require_solc

from echidna_mcp.events.store import EventStore, store_path

CONTRACT = """contract NAME {
    uint x; function set(uint y) external { x = y; }
    function echidna_true() external pure returns (bool) { return true; }
}"""
MEDUSA = {
    "fuzzing": {
        "targetContracts": ["Mine"],
        "testing": {"optimizationTesting": {"enabled": False}},
    }
}
DRY = ("run", "--dry-run", "--executor", "inline")

CREATED = "0xa647ff3c36cfab592509e13860ab8c4f28781a66"


@pytest.fixture
def project(here: Path) -> Path:
    """A project of Chimera's shape, with two contracts that could be meant."""
    require_solc()
    for name in ("Mine", "Other"):
        (here / f"{name}.sol").write_text(CONTRACT.replace("NAME", name))
    (here / "echidna.yaml").write_text("contract: Mine\ncontractAddr: '0x1234'\n")
    (here / "medusa.json").write_text(json.dumps(MEDUSA))
    (here / "foundry.toml").write_text("[profile.default]\nsrc = '.'\nchain_id = 99\n")
    return here


@pytest.mark.solc
@pytest.mark.parametrize("target", [(), (".",)])
def test_the_configuration_of_the_project_is_read_and_told(project, target):
    done = invoke(*DRY, *target)
    assert done.err == (
        "Project: Echidna; reads echidna.yaml, not medusa.json or foundry.toml "
        "(--as or --config chooses).\n"
    )
    assert f"Mine.sol:Mine at 0x{0x1234:040x} (target)" in done.out
    assert "Block 4370000 at time 1524785992, chain 1" in done.out


@pytest.mark.solc
def test_the_user_says_what_it_is(project):
    done = invoke(*DRY, "--as", "medusa")
    assert done.err.startswith(
        "Project: Medusa; reads medusa.json, not echidna.yaml or "
    )
    assert f"Mine.sol:Mine at {CREATED} (target)" in done.out
    assert "Block 1 at time 1, chain 1" in done.out
    done = invoke(*DRY, "--as", "foundry", "--contract", "Other")
    assert "Other.sol:Other at 0x7fa9385be102ac3eac297483dd6233d62b3e1496" in done.out
    assert "Block 1 at time 1, chain 99" in done.out
    assert f"Balance of each: {(1 << 96) - 1} wei" in done.out


@pytest.mark.solc
def test_a_file_that_is_named_is_read_wherever_the_target_is(project):
    done = invoke(*DRY, "Other.sol", "--config", "medusa.json", "--contract", "Other")
    assert f"Other.sol:Other at {CREATED} (target)" in done.out
    assert done.err == ""


@pytest.mark.solc
def test_a_single_file_reads_no_configuration(project):
    done = invoke(*DRY, "Mine.sol")
    assert "Mine.sol:Mine at 0x00a329c0648769a73afac7f9381e08fb43dbea72" in done.out
    assert done.err == ""


@pytest.mark.solc
def test_the_command_line_wins_over_the_file(project):
    words = ("--block-number", 5, "--block-timestamp", 6, "--chain-id", 7)
    done = invoke(*DRY, "--as", "foundry", "--contract", "Mine", *words)
    assert "Block 5 at time 6, chain 7" in done.out


@pytest.mark.solc
def test_nothing_is_told_if_it_is_to_be_quiet(project):
    (project / "echidna.yaml").write_text("contract: Mine\nquiet: true\n")
    done = invoke(*DRY)
    assert (done.code, done.err) == (0, "")


@pytest.mark.solc
def test_a_project_says_which_part_of_it_is_fuzzed(project):
    (project / "part").mkdir()
    (project / "part" / "Part.sol").write_text(CONTRACT.replace("NAME", "Part"))
    platform = {"platformConfig": {"target": "part/Part.sol"}}
    (project / "medusa.json").write_text(json.dumps({"compilation": platform}))
    for words in (("--as", "medusa"), (".", "--as", "medusa")):
        assert "Part.sol:Part at" in invoke(*DRY, *words).out
    words = (".", "--config", "medusa.json", "--contract", "Mine")
    assert "Mine.sol:Mine at" in invoke(*DRY, *words).out


@pytest.mark.solc
def test_foundrys_profile_is_that_of_the_compiler_too(project, monkeypatch):
    (project / "foundry.toml").write_text(
        "[profile.default]\nsrc = '.'\n"
        "[profile.old]\nevm_version = 'shanghai'\nblock_number = 77\n"
    )
    words = (*DRY, "--as", "foundry", "--contract", "Mine")
    assert "Block 1 at" in invoke(*words).out
    monkeypatch.setenv("FOUNDRY_PROFILE", "old")
    done = invoke(*words)
    assert "Block 77 at" in done.out
    assert done.out.startswith("Rules: shanghai; compiled by")


def test_the_preset_is_stored_with_the_campaign(target, here):
    done = invoke("run", target, *SMALL, "--as", "medusa", "--corpus-dir", "out")
    assert done.code == 0, done
    assert done.err.startswith("Project: Medusa; reads no configuration.\n")
    with EventStore.open(store_path(Path("out"))) as store:
        config = next(iter(store.read())).payload["config"]
    assert (config["block_number"], config["block_gas_limit"]) == (1, 125_000_000)


def test_an_unknown_kind_is_refused(target):
    told = invoke("run", target, "--as", "brownie", *SMALL).refusal()
    assert "'brownie' is not one of 'echidna', 'medusa', 'foundry'" in told


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "medusa.json",
            "{",
            "medusa.json, line 1: this is no JSON: Expecting property",
        ),
        ("medusa.json", "[" * 60_000, "medusa.json: the JSON is nested too deeply."),
        ("medusa.json", '{"a": 1, "a": 2}', "medusa.json: `a` is set twice; remove"),
        ("foundry.toml", "[profile", "foundry.toml can't be read: it is no TOML: "),
        (
            "foundry.toml",
            "a = " + "[" * 200_000,
            "foundry.toml: the TOML is nested too",
        ),
        (
            "foundry.toml",
            "a = 1\na = 2",
            "foundry.toml can't be read: it is no TOML: Cannot overwr",
        ),
        ("echidna.yaml", "[", "echidna.yaml, line 1: this is no YAML"),
    ],
)
def test_a_malformed_file_of_a_project_is_refused(here, name, text, message):
    (here / name).write_text(text)
    assert message in invoke("run", ".", *SMALL).refusal()


@pytest.mark.parametrize("key", ["\x1b[2J", "fuzzing", "\u202e"])
def test_a_project_can_not_move_the_cursor(here, key):
    (here / "medusa.json").write_text(json.dumps({key: "\x1b[31m\u202e"}))
    told = invoke("run", ".", *SMALL).refusal()
    assert told.isprintable()


def test_all_problems_of_a_project_are_told_at_once(here):
    (here / "foundry.toml").write_text(
        "[profile.default]\ncelo = true\nisolate = true\nchain_id = -1\n"
    )
    done = invoke("run", ".", *SMALL)
    assert done.code == 2
    assert [line.split("`")[1] for line in done.err.splitlines()] == [
        *("celo", "isolate", "chainId")
    ]


def test_what_is_ignored_is_listed_in_the_result(target, here):
    (here / "f.toml").write_text("[profile.default]\nisolate = true\n")
    words = ("run", target, *SMALL, "--config", "f.toml", "--format", "json")
    done = invoke(*words, "--ignore-unsupported")
    assert json.loads(done.out)["notHonoured"] == [
        "f.toml: `isolate` is true, which is not supported yet."
    ]


def test_a_project_may_not_let_itself_run_programs(project):
    config = project / "echidna.yaml"
    config.write_text(f"allowFFI: true\n{config.read_text()}")
    done = invoke("run", ".", *SMALL, "--format", "json")
    assert done.code == 0
    told = json.loads(done.out)
    (text,) = told["notHonoured"]
    assert text == (
        "echidna.yaml, line 1: `allowFFI` is for you to decide, and does nothing here: "
        "--allow-ffi lets tests run programs."
    )
    named = invoke("run", ".", *SMALL, "--allow-ffi", "--format", "json")
    assert json.loads(named.out)["notHonoured"] == []


def test_a_project_may_not_enable_plugins(here):
    (here / "echidna.yaml").write_text("plugins: all\n")
    artifact(here / "Good.json")
    assert invoke("run", ".", *SMALL).refusal() == (
        "echidna.yaml, line 1: `plugins` is for you to decide; it counts if you name "
        "the file: --config echidna.yaml."
    )
