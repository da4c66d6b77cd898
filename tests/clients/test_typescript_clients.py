"""The clients of the TypeScript SDK, v1 and v2, over each transport that they have."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from client_calls import CALLS, WRONG
from client_steps import CAMPAIGN, KINDS, PROMPTS
from lab_contract import UNLOCK
from live_server import LiveServer, command
from mcp.types import CallToolResult
from node_packages import require_node, require_package
from tool_results import TOOLS, error_of, output_of

pytestmark = pytest.mark.solc

HERE = Path(__file__).parent
PACKAGES = {"v1": "@modelcontextprotocol/sdk", "v2": "@modelcontextprotocol/client"}
REVISIONS = {"legacy": "2025-11-25", "modern": "2026-07-28"}
KINDS_OF_CLIENT = [("v1", "legacy"), ("v2", "legacy"), ("v2", "modern")]

each_client = pytest.mark.parametrize(("sdk", "era"), KINDS_OF_CLIENT)


@pytest.fixture(scope="module")
def node() -> Path:
    for package in PACKAGES.values():
        require_package(HERE, package, "clients")
    return require_node("clients")


def run(node: Path, **job: Any) -> dict[str, Any]:
    """Let a client do its job, and check all that does not depend on which it is."""
    calls = {"calls": CALLS, "wrong": WRONG}
    done = subprocess.run(
        [str(node), str(HERE / "typescript_client.mjs")],
        input=json.dumps({**job, **calls}),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    check(found)
    assert found["updates"] == ([CAMPAIGN] * 3 if job.get("watch") else [])
    return found


def check(found: dict[str, Any]) -> None:
    assert found["server"]["name"] == "echidna-mcp"
    assert [tool["name"] for tool in found["tools"]] == TOOLS
    results = {
        name: CallToolResult.model_validate(result)
        for name, result in found["answers"].items()
    }
    outputs = {name: output_of(name, result) for name, result in results.items()}
    assert sorted(outputs) == TOOLS
    assert outputs["prioritize_function"]["prioritizedFunctions"] == [UNLOCK]
    failure = CallToolResult.model_validate(found["failure"])
    assert error_of(failure)["code"] == "PARSE_ERROR"

    assert set(found["contents"]) >= KINDS
    for contents in found["contents"].values():
        (content,) = contents
        assert content["text"]
        if content["mimeType"] == "application/json":
            json.loads(content["text"])
    assert sorted(found["prompts"]) == list(PROMPTS)
    for messages in found["prompts"].values():
        assert len(messages[0]["content"]["text"]) > 200
    assert found["completed"] == ["withdraw(uint256)"]


@each_client
def test_over_streamable_http(node, lab: LiveServer, sdk, era):
    job = {"sdk": sdk, "era": era, "transport": "http", "url": lab.url}
    if era == "modern":
        job["watch"] = CAMPAIGN
    found = run(node, **job)
    assert found["revision"] == REVISIONS[era]
    # Without a session there is nobody to tell.
    assert found["capabilities"]["resources"]["subscribe"] is (era == "modern")


@each_client
def test_over_legacy_sse(node, lab: LiveServer, sdk, era):
    url = lab.sse_url
    run(node, sdk=sdk, era=era, transport="sse", url=url, watch=CAMPAIGN)


@each_client
def test_over_stdio(node, lab_arguments, tmp_path, sdk, era):
    words = command("serve", *lab_arguments, "--transport", "stdio")
    words += ["--corpus-dir", str(tmp_path / "campaign")]
    run(
        node,
        sdk=sdk,
        era=era,
        transport="stdio",
        watch=CAMPAIGN,
        command=words[0],
        args=words[1:],
    )
