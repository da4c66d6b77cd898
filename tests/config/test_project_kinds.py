"""Which kind a directory is, which file is read, and what a project may not decide."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.config.keys import KEYS
from echidna_mcp.config.project_files import HARDHAT_FILES, KIND_NAMES
from echidna_mcp.config.projects.choice import KINDS, NO_CHOICE, choose
from echidna_mcp.config.projects.loader import load_choice
from echidna_mcp.errors import ConfigError

CONTENTS = {
    "echidna.yaml": "seqLen: 11\n",
    "echidna.yml": "seqLen: 12\n",
    "echidna.config.yaml": "seqLen: 15\n",
    "echidna.config.yml": "seqLen: 16\n",
    "echidna-config.yaml": "seqLen: 17\n",
    "echidna-config.yml": "seqLen: 18\n",
    "medusa.json": '{"fuzzing": {"callSequenceLength": 13}}',
    "foundry.toml": "[invariant]\ndepth = 14\n",
    **dict.fromkeys(HARDHAT_FILES, "not JavaScript"),
}


def project(directory: Path, *names: str) -> Path:
    for name in names:
        (directory / name).write_text(CONTENTS[name])
    return directory


def test_kinds_are_named_as_the_command_line_takes_them():
    assert tuple(kind.name for kind in KINDS) == KIND_NAMES


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_presets_set_keys_that_exist(kind):
    assert set(kind.preset) <= KEYS.keys()


@pytest.mark.parametrize(
    ("names", "kind", "length"),
    [
        (["echidna.yaml"], "echidna", 11),
        (["echidna.yml"], "echidna", 12),
        (["echidna.yml", "echidna.yaml"], "echidna", 11),
        (["echidna.config.yml", "medusa.json", "echidna.yml"], "echidna", 12),
        (["echidna.config.yaml"], "echidna", 15),
        (["echidna.config.yml", "foundry.toml"], "echidna", 16),
        (["echidna-config.yaml"], "echidna", 17),
        (["echidna-config.yml", "medusa.json"], "echidna", 18),
        (["medusa.json"], "medusa", 13),
        (["foundry.toml"], "foundry", 14),
        (["foundry.toml", "medusa.json"], "medusa", 13),
        (["foundry.toml", "medusa.json", "echidna.yaml"], "echidna", 11),
        (["foundry.toml", "hardhat.config.ts"], "foundry", 14),
        *([[name], "hardhat", 100] for name in HARDHAT_FILES),
        ([], "plain", 100),
    ],
)
def test_the_first_kind_of_which_there_is_a_file(tmp_path, names, kind, length):
    choice = choose(project(tmp_path, *names))
    assert choice.kind.name == kind
    assert load_choice(choice).campaign.seq_len == length
    others = [name for name in names if choice.file is None or name != choice.file.name]
    assert set(choice.others) == set(others)


@pytest.mark.parametrize(
    ("kind", "length"),
    [
        ("echidna", 11),
        ("medusa", 13),
        ("foundry", 14),
        ("hardhat", 100),
        ("plain", 100),
    ],
)
def test_the_user_says_what_it_is(tmp_path, kind, length):
    project(tmp_path, "echidna.yaml", "medusa.json", "foundry.toml")
    choice = choose(tmp_path, name=kind)
    assert choice.kind.name == kind
    assert load_choice(choice).campaign.seq_len == length


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_kind_without_its_file_is_its_preset(tmp_path, kind):
    for directory in (tmp_path, None):
        choice = choose(directory, name=kind.name)
        assert (choice.kind, choice.file) == (kind, None)
        assert load_choice(choice).given == ()


def test_nothing_is_read_for_a_file(tmp_path):
    assert choose(None) == NO_CHOICE
    assert load_choice(NO_CHOICE).campaign == CampaignConfig()


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("any.yaml", "seqLen: 3", "echidna"),
        ("any.yml", "seqLen: 3", "echidna"),
        ("any.toml", "", "foundry"),
        ("any.json", '{"fuzzing": {}}', "medusa"),
        ("any.json", '\n {"a": 1,\n"compilation": {}}', "medusa"),
        ("any.json", '{"seqLen": 3}', "echidna"),
        ("medusa.json", "{}", "medusa"),
        ("medusa.json", "{", "medusa"),
        ("63", '{"slither": {}}', "medusa"),
        ("63", "[profile.default]\n", "foundry"),
        ("63", "# x\n[invariant]\n", "foundry"),
        ("63", "seqLen: 3", "echidna"),
        ("63", "", "echidna"),
    ],
)
def test_the_format_shows_in_name_and_content(tmp_path, name, content, kind):
    (tmp_path / name).write_text(content)
    choice = choose(None, tmp_path / name)
    assert (choice.kind.name, choice.project) == (kind, None)


def test_a_file_that_is_named_has_the_preset_that_is_named(tmp_path):
    project(tmp_path, "echidna.yaml", "foundry.toml")
    choice = choose(tmp_path, tmp_path / "echidna.yaml", "foundry")
    campaign = load_choice(choice).campaign
    assert (campaign.chain_id, campaign.seq_len) == (31337, 11)
    assert choice.others == ("foundry.toml",)


def test_file_wins_over_preset_and_command_line_over_file(tmp_path):
    (tmp_path / "foundry.toml").write_text("[profile.default]\nchain_id = 5\n")
    choice = choose(tmp_path)
    campaign = load_choice(choice).campaign
    assert (campaign.chain_id, campaign.block_number) == (5, 1)
    campaign = load_choice(choice, {"chainId": 6, "blockNumber": 7}).campaign
    assert (campaign.chain_id, campaign.block_number) == (6, 7)


TOLD = {
    (): None,
    ("foundry.toml",): "Project: Foundry; reads DIR/foundry.toml.",
    ("hardhat.config.ts",): (
        "Project: Hardhat; does not read hardhat.config.ts (--as or --config chooses)."
    ),
    ("echidna.yaml", "medusa.json", "foundry.toml"): (
        "Project: Echidna; reads DIR/echidna.yaml, not medusa.json or foundry.toml "
        "(--as or --config chooses)."
    ),
}


@pytest.mark.parametrize("names", TOLD)
def test_what_was_chosen_is_told(tmp_path, names):
    line = choose(project(tmp_path, *names)).told
    assert (line and line.replace(str(tmp_path), "DIR")) == TOLD[names]


# ------------------------------------------------------- what a project may not decide

YOURS = "is for you to decide"
OUT = "leads out of the project"
PATH = "names a path outside of the project"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("allowPaths: [/]", YOURS),
        ("plugins: all", YOURS),
        ("corpusDir: /elsewhere", OUT),
        ("corpusDir: ../elsewhere", OUT),
        ("target: ../other", OUT),
        ("target: link", OUT),
        ("solcArgs: --allow-paths /", PATH),
        ("solcArgs: --allow-paths=a,/b", PATH),
        ("solcArgs: c:a=../b", PATH),
        ("cryticArgs: [--solc-remaps, a=/b]", PATH),
        ("cryticArgs: ['--solc-args=--include-path ..']", PATH),
    ],
)
def test_a_file_that_was_found_does_not_decide_for_the_machine(tmp_path, line, why):
    (tmp_path / "echidna.yaml").write_text(line)
    (tmp_path / "link").symlink_to(tmp_path.parent)
    file = tmp_path / "echidna.yaml"
    with pytest.raises(ConfigError) as caught:
        load_choice(choose(tmp_path), ignore_unsupported=True)
    assert caught.value.message == (
        f"{file}, line 1: `{line.partition(':')[0]}` {why}; it counts if you name the "
        f"file: --config {file}."
    )
    assert load_choice(choose(tmp_path, file)).unhonoured == ()


@pytest.mark.parametrize(
    "line",
    [
        "solcArgs: --optimize --optimize-runs 200 --via-ir --evm-version prague",
        "solcArgs: '@oz/=node_modules/@oz/ c:x/=lib/x/'",
        "cryticArgs: [--foundry-compile-all, '--compile-libraries=(A,0x1234)']",
        "corpusDir: corpus/deep",
        "target: src/T.sol",
        "allowPaths: []",
    ],
)
def test_what_stays_in_the_project_counts(tmp_path, line):
    (tmp_path / "echidna.yaml").write_text(line)
    assert load_choice(choose(tmp_path)).unhonoured == ()


def test_the_command_line_makes_up_for_what_is_refused(tmp_path):
    (tmp_path / "echidna.yaml").write_text("allowPaths: [/]\nplugins: all\n")
    given = {"allowPaths": "/here", "plugins": "default"}
    loaded = load_choice(choose(tmp_path), given)
    assert (loaded.allow_paths, loaded.options.plugins) == (("/here",), "default")


@pytest.mark.parametrize("name", ["echidna.yaml", "medusa.json", "foundry.toml"])
def test_a_link_out_of_the_project_is_refused(tmp_path, name):
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / name).write_text(CONTENTS[name])
    (inside / name).symlink_to(outside / name)
    with pytest.raises(ConfigError, match=r"leads to .*, outside of the project"):
        choose(inside)
    assert choose(inside, inside / name).source == CONTENTS[name]


def test_a_project_behind_a_link_is_a_project(tmp_path):
    (tmp_path / "real").mkdir()
    project(tmp_path / "real", "medusa.json")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert load_choice(choose(tmp_path / "link")).campaign.seq_len == 13


@pytest.mark.skipif(os.name == "nt", reason="every file can be read")
def test_a_file_that_can_not_be_read_is_named(tmp_path):
    (tmp_path / "medusa.json").write_bytes(b"\xff")
    with pytest.raises(ConfigError, match="can't be read: it is not UTF-8 text"):
        choose(tmp_path)
    with pytest.raises(ConfigError, match="No such file"):
        choose(tmp_path, tmp_path / "none.toml")
