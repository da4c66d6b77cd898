"""Options and configuration that make no sense: one sentence, exit 2."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import click
import pytest
from command_line import SMALL, artifact, files, invoke
from solc import require_solc

from echidna_mcp.cli.main import cli

TOO_LONG = 1 << 256

WORKERS = "a whole number from 0 to 4096, small, medium or large, not"


@pytest.fixture
def _empty_place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def refused(*arguments: object) -> str:
    """Return the sentence of a refused command; check that it leaves nothing behind."""
    before = files(Path.cwd())
    sentence = invoke(*arguments).refusal()
    assert files(Path.cwd()) == before
    return sentence


@pytest.mark.parametrize("command", ["run", "serve"])
@pytest.mark.parametrize(
    ("option", "value", "rule"),
    [
        (
            "--workers",
            4097,
            f"{WORKERS} `4097`",
        ),
        (
            "--workers",
            -3,
            f"{WORKERS} `-3`",
        ),
        (
            "--workers",
            10**30,
            f"{WORKERS} `1000000000",
        ),
        ("--seq-len", 0, "a whole number from 1 to 10000, not `0`"),
        ("--seq-len", 10**9, "a whole number from 1 to 10000, not `1000000000`"),
        ("--timeout", 0, "seconds from 1 to 2^32-1, not `0`"),
        ("--timeout", -1, "seconds from 1 to 2^32-1, not `-1`"),
        ("--timeout", 1 << 40, "seconds from 1 to 2^32-1, not `1099511627776`"),
        ("--round-budget", -1, "a whole number from 0 to 2^63-1, not `-1`"),
        ("--round-budget", TOO_LONG, "a whole number from 0 to 2^63-1, not `11579"),
        ("--test-limit", -1, "a whole number from 0 to 2^63-1, not `-1`"),
        ("--shrink-limit", -1, "a whole number from 0 to 2^32-1, not `-1`"),
        ("--seed", -1, "a whole number from 0 to 2^63-1, not `-1`"),
        ("--seed", TOO_LONG, "a whole number from 0 to 2^63-1, not `11579"),
        (
            "--test-mode",
            "proprty",
            (
                "property, assertion, optimization, overflow, "
                "all (property, assertion, optimization), exploration or foundry, not `"
            ),
        ),
    ],
)
def test_a_value_out_of_range(here, command, option, value, rule):
    assert refused(command, option, value).startswith(f"{option} must be {rule}")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--workers", "1.5"],
            "--workers must be a whole number from 0 to 4096, small,",
        ),
        (["--seed", "abc"], "Invalid value for '--seed'"),
        (["--format", "xml"], "'xml' is not one of 'text', 'json', 'none', 'github'."),
        (
            ["--sed", "3"],
            "No such option '--sed'. (Did you mean one of: '--seal', '--seed', '--se",
        ),
        (["--nosuch"], "No such option '--nosuch'."),
        (["one", "two"], "Got unexpected extra argument (two)"),
        (["--seed"], "Option '--seed' requires an argument."),
        (["--backend", "py-evn"], "--backend py-evn: no enabled plugin offers it; did"),
        (["--executor", "proceses"], "did you mean processes?"),
        (["--executor", ":"], "choose from inline, processes, ray, threads."),
        (["--executor", "processes:0"], "physical workers as 1 to 1024"),
        (["--executor", "processes:9999"], "physical workers as 1 to 1024"),
        (["--executor", "processes:x"], "physical workers as 1 to 1024"),
        (["--executor", "inline:4"], "The inline executor has one worker"),
        (["--plugins", "zzzz"], "`echidna-mcp plugins` lists what is installed."),
        (["--plugins", "defaul"], "no plugin 'defaul'; did you mean default?"),
        (["--plugins", ""], "The plugin selection is empty"),
        (["--plugins", "none"], "No enabled plugin has an EVM to fuzz with; the set"),
        (["--corpus-dir", ""], "--corpus-dir (corpusDir) is empty; name a directory."),
        (["--config", "nosuch.yaml"], "nosuch.yaml can't be read: No such file or"),
        (["--config", "."], "The configuration file . can't be read: Is a directory."),
    ],
)
@pytest.mark.parametrize("command", ["run", "serve"])
def test_an_option_that_makes_no_sense(here, command, arguments, sentence):
    assert sentence in refused(command, *arguments)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("seqLen: x", "c.yaml, line 1: `seqLen` must be a whole number"),
        ("\nseqLen: -1", "c.yaml, line 2: `seqLen` must be a whole number"),
        ("seqLen: 3\nseqLen: 4", "c.yaml, line 2: `seqLen` is already set in line 1"),
        ("- a", "c.yaml, line 1: a configuration is a list of `key: value` lines."),
        ("a: [", "this is no YAML"),
        ("a: \x07", "this is no YAML"),
        (
            "testMode: foo",
            "c.yaml, line 1: `testMode` must be property, assertion, optimization, ove",
        ),
        ("panicCodes: 1", "c.yaml, line 1: `panicCodes` must be a list of codes of"),
        ("testDestruction: 1", "c.yaml, line 1: `testDestruction` must be true or fal"),
        ("timeout: 1.5", "c.yaml, line 1: `timeout` must be seconds"),
        ("sender: []", "c.yaml, line 1: `sender` must be a list of one or more"),
        ("deployer: 0x1g", "c.yaml, line 1: `deployer` must be an address"),
        ("filterFunctions: [3]", "c.yaml, line 1: `filterFunctions` must be a list"),
        ("filterBlacklist: false", "c.yaml, line 1: with `filterBlacklist: false`"),
        ("format: xml", "c.yaml, line 1: `format` must be one of text, json, none"),
        ("backend: zz", "--backend zz: no enabled plugin offers it"),
        ("plugins: zz", "There is no plugin 'zz'"),
        ("corpusDir: ''", "--corpus-dir (corpusDir) is empty"),
    ],
)
def test_a_configuration_that_makes_no_sense(here, text, sentence):
    (here / "c.yaml").write_text(text)
    assert sentence in refused("run", "--config", "c.yaml")


@pytest.mark.solc
def test_a_wrong_argument_of_solc_is_named(here):
    require_solc()
    (here / "C.sol").write_text("contract C {}")
    (here / "c.yaml").write_text("solcArgs: --foo")
    assert "--foo" in refused("run", "C.sol", "--config", "c.yaml")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "seqlen: 3",
            "c.yaml, line 1: there is no key `seqlen`; did you mean `seqLen`?",
        ),
        (
            "rpcUrl: http://localhost:8545",
            "c.yaml, line 1: `rpcUrl` is not supported yet.",
        ),
    ],
)
def test_a_key_that_may_change_what_is_tested_stops_unless_told(target, text, sentence):
    Path("c.yaml").write_text(text)
    assert sentence in refused("run", target, "--config", "c.yaml")
    words = ("run", target, "--config", "c.yaml", "--ignore-unsupported", *SMALL)
    done = invoke(*words)
    assert done.code == 0
    assert done.err.splitlines()[0] == f"Warning: {sentence}"
    assert f"Not honoured: {sentence}" in done.out


def test_a_key_that_only_changes_the_search_is_a_warning(target):
    Path("c.yaml").write_text("symExecMaxIters: 6")
    done = invoke("run", target, "--config", "c.yaml", "--format", "json", *SMALL)
    sentence = (
        "c.yaml, line 1: `symExecMaxIters` is not supported yet and does nothing."
    )
    assert done.code == 0
    assert json.loads(done.out)["notHonoured"] == [sentence]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "Missing argument 'PATH'"),
        ((".",), "There is no campaign in .: campaign.db can't be read"),
        (("nosuch",), "There is neither a file nor a directory nosuch; check"),
        (("Good.json/x",), "There is neither a file nor a directory Good.json/x; "),
    ],
)
def test_verify_without_a_campaign(target, arguments, sentence):
    assert sentence in refused("verify", *arguments)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "Missing argument 'COMMANDS'"),
        (
            ("nosuch.jsonl",),
            "There is no nosuch.jsonl; name the directory",
        ),
        (("Good.json",), "There is no campaign in .: campaign.db can't be read"),
        ((".",), "There is no campaign in .: campaign.db can't be read"),
        (("Good.json/x",), "There is no Good.json/x; name"),
    ],
)
def test_replay_without_a_campaign(target, arguments, sentence):
    assert sentence in refused("replay", *arguments)


def test_an_unknown_command(here):
    assert refused("srve") == "No such command 'srve'. Did you mean 'serve'?"


# ---------------------------------------------------------------------- the server


def test_a_port_that_is_taken(target):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert refused("serve", target, "--port", port, "--corpus-dir", "s") == (
            f"Port {port} on 127.0.0.1 is already in use; choose another one with "
            "--port, or --port 0 for any free port."
        )


@pytest.mark.parametrize("port", ["-1", "65536", "abc"])
def test_a_port_that_does_not_exist(here, port):
    assert "Invalid value for '--port' / '--mcp-port'" in refused(
        "serve", "--port", port
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--host", "0.0.0.0"], "Listening on 0.0.0.0 lets other machines steer"),
        (["--host", "::"], "Listening on :: lets other machines steer"),
        (["--host", ""], "Listening on all addresses lets other machines steer"),
        (["--token", ""], "is empty; leave it out, or give one"),
        (["--transport", "stdio", "--port", "1"], "--port is for HTTP; leave it out"),
        (["--transport", "stdio", "--token", "x"], "--token is for HTTP; leave it"),
        (["--host", "192.0.2.1", "--token", "x"], "192.0.2.1 is not an address of"),
        (["--transport", "pigeon"], "'pigeon' is not one of 'http', 'stdio'."),
        (["--plugins", "default,-http,-sse"], "No transport over HTTP is enabled"),
        (
            ["--transport", "stdio", "--plugins", "default,-stdio"],
            "--transport stdio: enable the plugin stdio.",
        ),
    ],
)
def test_a_server_that_nobody_could_or_should_reach(target, arguments, sentence):
    port = () if "stdio" in arguments else ("--port", 0)
    assert sentence in refused("serve", target, *port, *arguments)


# ------------------------------------------------------------------------ the help


@pytest.mark.parametrize("name", [None, *cli.commands])
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_explains_every_option(here, name, flag):
    shown = invoke(*([name] if name else []), flag)
    assert (shown.code, shown.err) == (0, "")
    command = cli.commands[name] if name else cli
    assert command.help
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, option.name
            assert all(text in shown.out for text in option.opts)


def test_the_summary_of_each_command_is_whole(here):
    assert "..." not in invoke("--help").out.partition("Commands:")[2]


def test_every_option_of_a_campaign_is_explained_with_its_default(here):
    for option in cli.commands["run"].params:
        if isinstance(option, click.Option) and option.name not in (
            "config_file",
            "help",
        ):
            assert "[default:" in option.help, option.name


def test_version(here):
    assert invoke("--version").out.startswith("echidna-mcp, version ")


def test_a_refused_command_does_not_touch_a_campaign_that_is_there(target):
    assert invoke("run", target, "--corpus-dir", "s", *SMALL).code == 0
    artifact(target, runtime=b"\xfe")
    words = ("run", target, "--corpus-dir", "s", *SMALL, "--seq-len", 0)
    assert "--seq-len" in refused(*words)


@pytest.mark.parametrize("command", ["run", "serve"])
@pytest.mark.parametrize(
    ("words", "name"), [((), "threads"), (("--executor", "processes:2"), "processes")]
)
@pytest.mark.usefixtures("_empty_place")
def test_an_address_of_ray_needs_its_executor(monkeypatch, command, words, name):
    monkeypatch.setenv("RAY_ADDRESS", "")  # The option sets it, for this process.
    assert refused(command, "--ray-address", "auto", *words) == (
        f"--ray-address is for the executor ray, and this one is {name}; add "
        "--executor ray, or leave --ray-address out."
    )


@pytest.mark.usefixtures("_empty_place")
def test_the_variable_of_ray_may_be_there_for_others(monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", "auto")
    assert invoke("run", "--dry-run", *SMALL).code == 0
