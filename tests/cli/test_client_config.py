"""`echidna-mcp config`: for every client, what it prints is what that client reads."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from command_line import files, invoke
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from echidna_mcp.cli.clients.snippets import clients
from echidna_mcp.cli.main import cli

SCRIPT = str(Path(sys.executable).with_name("echidna-mcp"))
URL = "http://127.0.0.1:8080/mcp"
EDITORS = {
    # key of the servers, key of the URL, what a token is written as
    "cursor": ("mcpServers", "url", "Bearer ${env:ECHIDNA_MCP_TOKEN}"),
    "windsurf": ("mcpServers", "serverUrl", "Bearer ${env:ECHIDNA_MCP_TOKEN}"),
    "gemini-cli": ("mcpServers", "httpUrl", "Bearer ${ECHIDNA_MCP_TOKEN}"),
    "vscode": ("servers", "url", "Bearer ${input:echidna-token}"),
    "zed": ("context_servers", "url", None),
    "claude-desktop": ("mcpServers", None, None),
}
ALL = [*EDITORS, "claude-code", "codex", "inspector"]
OVER_HTTP = [name for name in ALL if name != "claude-desktop"]
WITH_TOKEN = [name for name in OVER_HTTP if name != "zed"]


def printed(*arguments):
    """Return what a command prints, which is whole on standard output."""
    done = invoke("config", *arguments)
    assert done.code == 0, done.err
    return done.out


def entry(name, text):
    """Return what a client reads of the server, whatever its format."""
    if name == "codex":
        return tomllib.loads(text)["mcp_servers"]["echidna"]
    found = json.loads(text)
    return found[EDITORS[name][0]]["echidna"]


def started(name, text):
    """Return the words with which a client starts the server."""
    match name:
        case "claude-code":
            words = shlex.split(text)
            assert words[:5] == ["claude", "mcp", "add", "echidna", "--"]
            return words[5:]
        case "inspector":
            words = shlex.split(text)
            assert words[:3] == ["npx", "-y", "@modelcontextprotocol/inspector"]
            dashes = words.index("--")
            return words[3:dashes] + words[dashes + 1 :]
        case _:
            found = entry(name, text)
            return [found["command"], *found["args"]]


def test_these_are_all_clients():
    assert set(ALL) == set(clients())
    for name in ALL:
        assert name in (cli.commands["config"].help or "")


@pytest.mark.parametrize("name", ALL)
def test_a_client_that_starts_the_server_gets_whole_paths_and_a_real_command(
    target, name
):
    before = files(target.parent)
    options = ("--transport", "stdio", "--contract", "Good")
    text = printed(name, target.name, *options, "--corpus-dir", "my corpus")
    program, command, *arguments = started(name, text)
    assert program == SCRIPT
    context = cli.commands[command].make_context(command, arguments)
    assert context.params["target"] == target
    assert context.params["contract"] == "Good"
    assert context.params["transport"] == "stdio"
    assert context.params["corpus_dir"] == str(target.parent / "my corpus")
    assert files(target.parent) == before  # nothing is written


@pytest.mark.parametrize("name", ALL)
def test_uvx_takes_the_place_of_this_installation(target, name):
    text = printed(name, target, "--transport", "stdio", "--uvx")
    words = started(name, text)
    assert words[:3] == ["uvx", "echidna-mcp", "serve"]
    assert SCRIPT not in text


@pytest.mark.parametrize(
    ("options", "place"), [((), "echidna-corpus"), (("--campaigns", "mine"), "mine")]
)
def test_campaigns_without_a_directory_each_get_one_in_a_common_one(
    target, options, place
):
    words = started("claude-desktop", printed("claude-desktop", target, *options))
    assert words[-2:] == ["--campaigns", str(target.parent / place)]
    context = cli.commands["serve"].make_context("serve", words[2:])
    assert context.params["campaigns"] == target.parent / place


@pytest.mark.parametrize("name", OVER_HTTP)
@pytest.mark.parametrize(
    ("options", "url"),
    [
        ((), URL),
        (("--port", 9999), "http://127.0.0.1:9999/mcp"),
        (("--url", "https://fuzz.example/mcp"), "https://fuzz.example/mcp"),
    ],
)
def test_a_client_of_a_server_that_runs_gets_its_url(here, name, options, url):
    text = printed(name, *options)
    match name:
        case "claude-code":
            wanted = f"claude mcp add --transport http echidna {url}"
            assert text == wanted + "\n"
        case "inspector":
            assert shlex.split(text)[-2:] == ["--server-url", url]
        case "codex":
            assert entry(name, text) == {"url": url}
        case _:
            extra = {"type": "http"} if name == "vscode" else {}
            assert entry(name, text) == {**extra, EDITORS[name][1]: url}


@pytest.mark.parametrize("name", WITH_TOKEN)
def test_a_token_stays_in_the_environment(here, name, monkeypatch):
    monkeypatch.setenv("ECHIDNA_MCP_TOKEN", "s3cret")
    done = invoke("config", name, "--with-token")
    assert done.code == 0
    assert "s3cret" not in done.out + done.err
    assert "ECHIDNA_MCP_TOKEN" in done.out
    match name:
        case "claude-code":
            header = "Authorization: Bearer ${ECHIDNA_MCP_TOKEN}"
            assert shlex.split(done.out)[-2:] == ["--header", header]
            assert "--scope project" in done.out
        case "inspector":
            # The shell puts it in.
            line = done.out.replace("npx", "printf '%s\\n'", 1)
            words = subprocess.run(
                ["sh", "-c", line], capture_output=True, text=True, check=True
            ).stdout.splitlines()
            assert words[-2:] == ["--header", "Authorization: Bearer s3cret"]
        case "codex":
            found = entry(name, done.out)
            assert found == {"url": URL, "bearer_token_env_var": "ECHIDNA_MCP_TOKEN"}
        case _:
            headers = entry(name, done.out)["headers"]
            assert headers == {"Authorization": EDITORS[name][2]}


def test_vscode_asks_for_the_token_because_its_headers_know_no_variables(here):
    (asked,) = json.loads(printed("vscode", "--with-token"))["inputs"]
    assert (asked["type"], asked["password"]) == ("promptString", True)
    assert asked["id"] == "echidna-token"


@pytest.mark.parametrize(
    ("name", "options", "places"),
    [
        (
            "claude-desktop",
            (),
            (
                "macOS    ~/Library/Application Support/Claude/",
                "Windows  %APPDATA%\\Claude\\claude_desktop_config.json",
                "Linux    ~/.config/Claude/claude_desktop_config.json",
            ),
        ),
        ("cursor", (), (".cursor/mcp.json", "serve TARGET --port 8080")),
        ("vscode", (), (".vscode/mcp.json",)),
        ("codex", ("--port", 9), ("~/.codex/config.toml", "serve TARGET --port 9")),
        ("windsurf", (), ("~/.codeium/windsurf/mcp_config.json",)),
        ("zed", (), ("settings.json",)),
        ("gemini-cli", (), (".gemini/settings.json",)),
        ("claude-code", (), ("Run this in the project's directory.",)),
        ("claude-code", ("--with-token",), ("writes .mcp.json", "ECHIDNA_MCP_TOKEN")),
        ("inspector", (), ("Node",)),
    ],
)
def test_where_it_belongs_is_told_on_standard_error(here, name, options, places):
    done = invoke("config", name, *options)
    for place in places:
        assert place in done.err
    assert done.err.startswith(("Add it to ", "Run this in "))


def test_a_server_elsewhere_is_not_told_to_be_started_here(here):
    assert "must run" not in invoke("config", "cursor", "--url", "https://a.b/mcp").err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["cursr"], "There is no client 'cursr'; did you mean cursor?"),
        (["Claude Code"], "'Claude Code'; did you mean claude-code or claude-desktop?"),
        (["qqqq"], "There is no client 'qqqq'; choose from claude-code, claude-desk"),
        (["claude-desktop", "--transport", "http"], "ask for --transport stdio"),
        (["claude-desktop", "--port", "1"], "--port is for a server over HTTP"),
        (["zed", "--with-token"], "Zed sends headers as they are written"),
        (["cursor", "Good.json"], "TARGET is for a server that the client starts"),
        (["cursor", "--uvx"], "--uvx is for a server that the client starts; add"),
        (["cursor", "--corpus-dir", "c"], "--corpus-dir is for a server that the"),
        (["cursor", "--campaigns", "c"], "--campaigns is for a server that the"),
        (
            ["zed", *("--transport", "stdio", "--corpus-dir", "a", "--campaigns", "b")],
            "--corpus-dir and --campaigns are both given; choose one.",
        ),
        (["cursor", "--contract", "c"], "--contract is for a server that the client"),
        (["cursor", "--url", "x", "--port", "1"], "--url has a port of its own"),
        (["cursor", "--url", "localhost:8080"], "'localhost:8080' is no address"),
        (["cursor", "--url", "http://[::1/mcp"], "is no address of a server; write"),
        (["cursor", "--url", "http://a:99999/"], "is no address of a server; write"),
        (["cursor", "--url", ""], "--url '' is no address of a server; write it as"),
        (["cursor", "--port", "0"], "0 is not in the range 1<=x<=65535"),
        (
            ["vscode", "No.sol", "--transport", "stdio"],
            "No such file or directory: No.sol.",
        ),
        (["codex", "--with-token", "--transport", "stdio"], "--with-token is for a"),
        (["codex", "--url", URL, "--transport", "stdio"], "--url is for a server"),
        ([], "Missing argument 'CLIENT'."),
    ],
)
def test_what_makes_no_sense_is_one_sentence(target, arguments, sentence):
    assert sentence in invoke("config", *arguments).refusal()


def test_strange_paths_survive_every_format(here):
    odd = here / "a \"b\" 'c' $d ü \\e.json"
    odd.write_text("{}")
    for name in ALL:
        words = started(name, printed(name, odd, "--transport", "stdio"))
        assert words[2] == str(odd)


def test_the_script_that_runs_is_named_even_if_it_was_called_by_a_relative_path(
    tmp_path,
):
    bin_ = Path(SCRIPT).parent
    done = subprocess.run(
        [f"./{bin_.name}/echidna-mcp", "config", "cursor", "--transport", "stdio"],
        cwd=bin_.parent,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    words = started("cursor", done.stdout)
    assert words[0] == SCRIPT
    assert words[-1] == str(bin_.parent / "echidna-corpus")
    assert not (bin_.parent / "echidna-corpus").exists()
    run = subprocess.run(
        [*words[:1], "--version"], capture_output=True, text=True, check=True
    )
    assert run.stdout.startswith("echidna-mcp, version ")


def test_without_a_script_the_module_is_run(here, monkeypatch):
    monkeypatch.setattr("sys.executable", str(here / "python3"))
    words = started("cursor", printed("cursor", "--transport", "stdio"))
    assert words[:4] == [str(here / "python3"), "-m", "echidna_mcp.cli", "serve"]


@pytest.mark.parametrize("name", ["claude-desktop", "codex"])
async def test_the_official_client_starts_what_is_printed(here, tmp_path, name):
    """From another directory, as clients do."""
    text = printed(name, "--transport", "stdio", "--corpus-dir", "corpus")
    program, *arguments = started(name, text)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    parameters = StdioServerParameters(
        command=program, args=arguments, cwd=str(elsewhere)
    )
    with (tmp_path / "errors").open("w+") as errors:
        transport = stdio_client(parameters, errlog=errors)
        async with Client(transport, read_timeout_seconds=120) as client:
            shown = await client.call_tool("show_coverage", {})
            assert shown.structured_content["contracts"][0]["name"] == "Vault"
    assert (here / "corpus" / "campaign.db").exists()
    assert not any(elsewhere.iterdir())
