"""Serving tools that need no campaign: nothing is compiled, fuzzed or written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from live_server import READY, STOP_SECONDS, command, run_cli
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

pytestmark = pytest.mark.servers

PROJECT = Path(__file__).parents[1] / "editor" / "projects" / "orchard"
EDITOR = ("serve", "--plugins", "editor", "--unity-project", PROJECT)


async def test_a_set_without_tools_of_campaigns_is_served_by_itself(tmp_path):
    server = subprocess.Popen(  # noqa: ASYNC220 (nothing else runs yet)
        command(*EDITOR, "--port", 0), cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    try:
        told = server.stderr.readline()
        assert told.startswith(READY)
        async with Client(told.removeprefix(READY).strip()) as client:
            assert len((await client.list_tools()).tools) == 10
            result = await client.call_tool("mcp.server.info", {})
            assert result.structured_content["toolCount"] == 10
            assert (await client.list_resources()).resources == []
            assert "need no campaign" in client.instructions
            assert "fuzzing campaign" not in client.instructions
        server.send_signal(signal.SIGINT)
        _, rest = server.communicate(timeout=STOP_SECONDS)
        assert (server.returncode, rest) == (0, "")
    finally:
        server.kill()
    assert list(tmp_path.iterdir()) == []


async def test_they_are_served_over_standard_streams_as_well(tmp_path):
    program, *arguments = command(*EDITOR, "--transport", "stdio")
    started = StdioServerParameters(
        command=program, args=arguments, cwd=tmp_path, env=dict(os.environ)
    )
    async with Client(stdio_client(started)) as client:
        result = await client.call_tool("project.scenes.list", {})
        assert result.structured_content["scenes"]
    assert list(tmp_path.iterdir()) == []


async def test_without_a_campaign_only_tools_that_need_none_are_offered(tmp_path):
    program, *arguments = command(
        *("serve", "--no-campaign", "--plugins", "default,editor"),
        *("--unity-project", PROJECT, "--transport", "stdio"),
    )
    started = StdioServerParameters(
        command=program, args=arguments, cwd=tmp_path, env=dict(os.environ)
    )
    async with Client(stdio_client(started)) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert len(names) == 10
        result = await client.call_tool("get_corpus_size", {})
        assert result.is_error
        assert json.loads(result.content[0].text)["code"] == -32001


def test_plugins_of_a_configuration_without_a_campaign_are_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text("plugins: editor\n")
    done = run_cli("serve", "--config", "mine.yaml", "--port", 0)
    assert done.returncode == 2
    assert "are served with --no-campaign" in done.stderr


async def test_read_only_offers_nothing_that_changes_something_elsewhere(tmp_path):
    program, *arguments = command(
        *("serve", "--plugins", "circular", "--read-only", "--transport", "stdio"),
        *("--data-dir", tmp_path / "data"),
    )
    started = StdioServerParameters(
        command=program, args=arguments, cwd=tmp_path, env=dict(os.environ)
    )
    async with Client(stdio_client(started)) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names == {
            *("get_wallet_nonce", "get_transaction_status", "get_certification_proof")
        }
        result = await client.call_tool("certify_data", {"data": "x"})
        assert result.is_error


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--no-campaign",), "leave --no-campaign out"),
        (("--plugins", "editor", "--contract", "X"), "--contract is for campaigns"),
        (("--plugins", "editor", "--seal", "campaign"), "--seal is for campaigns"),
        (("--plugins", "editor", "--tier", "gold"), "'gold' is not one of"),
        (
            ("--plugins", "editor", "--unity-project", "nowhere"),
            "there is no such directory",
        ),
        (("--plugins", "editor", "--tools", "nope"), "choose from audio.mixer.list"),
        (("--certify",), "add --seal campaign"),
    ],
)
def test_options_that_do_not_fit_are_refused_with_a_sentence(
    tmp_path, monkeypatch, options, words
):
    monkeypatch.chdir(tmp_path)
    done = run_cli("serve", *options, "--port", 0)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []
