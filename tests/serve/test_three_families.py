"""One server, three families of tools: lists, calls and failures of each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft7Validator
from live_server import live_server
from mcp import Client

from echidna_mcp.contracts import load_bundle

pytestmark = pytest.mark.servers

PROJECT = Path(__file__).parents[1] / "editor" / "projects" / "orchard"
FAMILIES = {
    "echidna": "echidna_mcp._generated",
    "editor": "echidna_mcp_plugins.editor._generated",
    "circular": "echidna_mcp_plugins.circular._generated",
}
SPECS = {
    name: spec
    for package in FAMILIES.values()
    for name, spec in load_bundle(package).tools.items()
}
SMALL = ("--seed", 1, "--workers", 2, "--round-budget", 20_000)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    directory = tmp_path_factory.mktemp("families")
    options = (
        *("--plugins", "default,editor,circular", "--unity-project", PROJECT),
        *("--data-dir", directory / "data", *SMALL),
    )
    with live_server(directory / "campaign", *options) as running:
        yield running


def arguments(scene):
    """Arguments with which each tool gives a result on this server."""
    return {
        "read_logs": {"count": 5},
        "find_transaction_in_corpus": {"functionSignature": "deposit"},
        "inject_transaction": {"sequence": ["deposit()"], "value": "1"},
        "prioritize_function": {"functionSignature": "deposit()"},
        "mcp.tool.describe": {"toolId": "scene.hierarchy.dump"},
        "scene.hierarchy.dump": scene,
        "scene.objects.find": {**scene, "componentType": "Camera"},
    }


async def test_all_are_listed_with_what_their_dialects_say(server):
    async with Client(server.url) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert listed.keys() == SPECS.keys()
    assert len(listed) == 9 + 10 + 4
    for name, tool in listed.items():
        spec = SPECS[name]
        assert tool.description == spec.description
        assert tool.input_schema == spec.input_schema
        assert tool.annotations.read_only_hint is spec.read_only
        for key, value in spec.meta.items():
            assert tool.meta[key] == value


async def test_every_tool_gives_a_result_that_fits_its_document(server):
    async with Client(server.url) as client:

        async def call(name, values):
            result = await client.call_tool(name, values)
            assert not result.is_error, (name, result.content)
            schema = SPECS[name].output_schema
            content = result.structured_content
            if content is None:
                content = result.content[0].text
                content = json.loads(content) if schema["type"] != "string" else content
            Draft7Validator(schema).validate(content)
            return content

        scenes = (await call("project.scenes.list", {}))["scenes"]
        scene = {"scenePath": scenes[0]["path"]}
        objects = (await call("scene.hierarchy.dump", scene))["rootObjects"]
        place = {**scene, "gameObjectPath": objects[0]["path"]}
        await call("scene.components.list", place)
        mixers = (await call("audio.mixer.list", {}))["mixers"]
        mixer = next(each for each in mixers if each["snapshots"])
        chosen = {
            "mixerPath": mixer["path"],
            "snapshotName": mixer["snapshots"][0]["name"],
        }
        await call("audio.mixer.snapshot.read", chosen)
        sent = await call(
            "certify_data", {"data": "three families", "network": "testnet"}
        )
        where = {"transaction_id": sent["transaction_id"], "network": "testnet"}
        await call("get_transaction_status", where)
        await call("get_certification_proof", where)
        wallet = {"wallet_address": sent["sender"], "network": "testnet"}
        await call("get_wallet_nonce", wallet)
        called = {
            *("project.scenes.list", "scene.components.list", "audio.mixer.list"),
            *("audio.mixer.snapshot.read", "certify_data", "get_transaction_status"),
            *("get_certification_proof", "get_wallet_nonce"),
        }
        given = arguments(scene)
        for name in sorted(SPECS.keys() - called):
            await call(name, given.get(name, {}))


@pytest.mark.parametrize(
    ("name", "values", "keys"),
    [
        ("inject_transaction", {}, {"success", "error"}),
        ("scene.hierarchy.dump", {}, {"code", "message", "data"}),
        ("certify_data", {}, {"type", "status_code", "message"}),
    ],
)
async def test_each_family_fails_in_its_own_words(server, name, values, keys):
    async with Client(server.url) as client:
        result = await client.call_tool(name, values)
    assert result.is_error
    assert json.loads(result.content[0].text).keys() == keys


async def test_ids_with_dots_are_called_by_their_underscore_alias_as_well(server):
    async with Client(server.url) as client:
        result = await client.call_tool("project_info", {})
    assert not result.is_error
    assert result.structured_content["unityVersion"]


async def test_the_default_set_lists_the_nine_tools_of_campaigns(tmp_path):
    with live_server(tmp_path / "campaign", *SMALL) as running:
        async with Client(running.url) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
    assert names == load_bundle().tools.keys()
