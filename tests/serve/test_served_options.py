"""What the options of `serve` change for a client."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from live_server import RawClient, live_server, run_cli
from mcp import Client
from tool_results import TOOLS

pytestmark = pytest.mark.servers

CONTROL = {"inject_transaction", "prioritize_function", "clear_priorities"}
QUICK = ("--executor", "threads:1")


async def listed(url: str) -> list[dict[str, Any]]:
    async with Client(url) as client:
        tools = (await client.list_tools()).tools
    return [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools]


async def test_a_server_that_only_reads_offers_no_control(tmp_path: Path) -> None:
    with live_server(tmp_path / "c", "--read-only", *QUICK) as server:
        names = {tool["name"] for tool in await listed(server.url)}
        assert names == set(TOOLS) - CONTROL
        with RawClient(server.url) as client:
            _, answer = client.send("clear_priorities", {})
            text = answer["result"]["content"][0]["text"]
            assert json.loads(text)["error"]["code"] == "TOOL_NOT_FOUND"
            _, answer = client.send("dump_lcov", {"outputPath": "a.info"})
            assert "--read-only" in answer["result"]["content"][0]["text"]
            _, answer = client.send("dump_lcov", {})
            assert "end_of_record" in answer["result"]["content"][0]["text"]
        assert not list(server.directory.glob("*.info"))


async def test_a_server_offers_the_tools_that_are_named(tmp_path: Path) -> None:
    some = "show_coverage, get_corpus_size"
    with live_server(tmp_path / "c", "--tools", some, *QUICK) as server:
        names = [tool["name"] for tool in await listed(server.url)]
        assert names == ["get_corpus_size", "show_coverage"]
        async with Client(server.url) as client:
            uris = [each.uri for each in (await client.list_resources()).resources]
        documents = [uri for uri in uris if "/contracts/" in uri]
        assert [uri.rpartition("/")[2] for uri in documents] == names


@pytest.mark.parametrize("declared", [True, False])
async def test_schemas_declare_their_dialect_if_asked_to(
    tmp_path: Path, declared: bool
) -> None:
    options = ("--declare-dialect",) if declared else ()
    with live_server(tmp_path / "c", *options, *QUICK) as server:
        for tool in await listed(server.url):
            for key in ("inputSchema", "outputSchema"):
                schema = tool.get(key, {"$schema": True} if declared else {})
                assert ("$schema" in schema) == declared


def test_further_names_and_a_token_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("abc\n")
    file.chmod(0o644)
    options = ("--token-file", file, "--allow-host", "fuzz.example", *QUICK)
    with live_server(tmp_path / "c", *options) as server:
        assert "chmod 600" in server.stderr
        for host, token, expected in (
            ("fuzz.example", "abc", 400),
            ("fuzz.example", "abd", 401),
            ("other.example", "abc", 421),
        ):
            with RawClient(server.url) as client:
                connection = client._connection
                headers = {"Host": host, "Authorization": f"Bearer {token}"}
                connection.request("POST", "/mcp", b"{}", headers)
                assert connection.getresponse().status == expected


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--tools", "show_coverag"], "did you mean show_coverage"),
        (["--tools", "xyz"], "choose from clear_priorities, "),
        (["--tools", "inject_transaction", "--read-only"], "leave no tool"),
        (["--tools", " , "], "leave no tool"),
        (["--token-file", "absent"], "can't be read: No such file"),
        (["--token-file", "empty"], "a line for each token"),
        (["--token-file", "blank"], "line 2 is wrong: after the tier comes a name"),
        (["--token-file", "tier"], "a tier, core, tier1, tier2, tier3 or tier4"),
        (["--token-file", "twice"], "line 3 is wrong: it has the token of an earlier"),
        (["--token-file", "strange"], "line 1 is wrong: a token is printable ASCII"),
        (["--token-file", "binary"], "it is not text"),
        (["--token-file", "good", "--token", "x"], "both given"),
    ],
)
def test_bad_options_are_refused_with_a_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in {
        "empty": b" \n",
        "blank": b"# a comment\nabc core name more\n",
        "tier": b"abc gold\n",
        "twice": b"abc tier4 boss\n\nabc core guest\n",
        "strange": "gehe\u00efm".encode(),
        "binary": b"\xff\xfe",
        "good": b"abc",
    }.items():
        Path(name).write_bytes(content)
    done = run_cli("serve", *options, "--port", "0", "--corpus-dir", "c")
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not Path("c").exists()
