"""Resources, prompts and completions through the SDK, in both eras."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import PromptReference

from echidna_mcp.catalogue.catalogue import Catalogue
from echidna_mcp.catalogue.prompt import Prompt, PromptArgument
from echidna_mcp.catalogue.resource import Resource
from echidna_mcp.catalogue.transport import TransportOptions
from echidna_mcp.errors import InvalidInputError
from echidna_mcp_plugins.transports.mcp_server import mcp_server

MODES = ["auto", "legacy"]


async def read(values: Any, _context: Any) -> str | bytes:
    if values.get("what") == "fail":
        raise RuntimeError("secret")
    return b"\x00\xff" if values.get("what") == "bytes" else "text"


def fail(*_: Any) -> Any:
    raise RuntimeError("secret")


def refuse(*_: Any) -> Any:
    raise InvalidInputError("Write it otherwise.", argument="a")


def client_of(sample_catalogue: Catalogue, mode: Any) -> Client:
    resources = [
        Resource(
            name=uri,
            uri=uri,
            title="T",
            description="D",
            mime_type="text/plain",
            read=read,
        )
        for uri in ("test://one", "test://{what}/x")
    ]
    prompts = [
        Prompt(
            name=name,
            title="T",
            description="D",
            arguments=(PromptArgument(name="a", description="A.", values=fail),),
            render=render,
        )
        for name, render in (("broken", fail), ("strict", refuse))
    ]
    catalogue = Catalogue(
        sample_catalogue.tools, sample_catalogue.tools._stage, resources, prompts
    )
    server = mcp_server(catalogue, TransportOptions(), connected=True)
    return Client(server, mode=mode)


@pytest.mark.parametrize("mode", MODES)
async def test_text_and_bytes_are_read(sample_catalogue, mode):
    async with client_of(sample_catalogue, mode) as client:
        listed = await client.list_resources()
        assert [each.uri for each in listed.resources] == ["test://one"]
        families = (await client.list_resource_templates()).resource_templates
        assert [each.uri_template for each in families] == ["test://{what}/x"]
        (content,) = (await client.read_resource("test://one")).contents
        assert content.text == "text"
        (content,) = (await client.read_resource("test://bytes/x")).contents
        assert content.blob == "AP8="


@pytest.mark.parametrize(("mode", "code"), [("auto", -32602), ("legacy", -32002)])
async def test_an_unknown_resource_has_the_code_of_the_revision(
    sample_catalogue, mode, code
):
    async with client_of(sample_catalogue, mode) as client:
        with pytest.raises(MCPError) as raised:
            await client.read_resource("test://two")
    assert raised.value.code == code
    assert "did you mean test://one" in raised.value.message


@pytest.mark.parametrize("mode", MODES)
async def test_no_exception_of_a_plugin_reaches_a_client(
    sample_catalogue, mode, caplog
):
    reference = PromptReference(type="ref/prompt", name="broken")
    async with client_of(sample_catalogue, mode) as client:
        for ask in (
            lambda: client.read_resource("test://fail/x"),
            lambda: client.get_prompt("broken", {}),
            lambda: client.complete(reference, {"name": "a", "value": ""}),
        ):
            with pytest.raises(MCPError) as raised:
                await ask()
            assert "secret" not in str(raised.value)
            assert raised.value.code == -32603
    assert caplog.text.count("secret") >= 3


@pytest.mark.parametrize("mode", MODES)
async def test_a_refused_argument_tells_what_to_do(sample_catalogue, mode):
    async with client_of(sample_catalogue, mode) as client:
        with pytest.raises(MCPError, match="Write it otherwise") as raised:
            await client.get_prompt("strict", {})
    assert raised.value.code == -32602
    assert raised.value.data == {"code": "INVALID_INPUT", "argument": "a"}


@pytest.mark.filterwarnings("ignore:resources/:mcp.MCPDeprecationWarning")
async def test_subscriptions_of_a_connection_are_bounded(sample_catalogue):
    async with client_of(sample_catalogue, "legacy") as client:
        for number in range(256):
            await client.subscribe_resource(f"test://{number}/x")
        with pytest.raises(MCPError, match="256"):
            await client.subscribe_resource("test://more/x")
        with pytest.raises(MCPError, match="2048"):
            await client.subscribe_resource("test://" + "x" * 3000)
        await client.unsubscribe_resource("test://0/x")
        await client.subscribe_resource("test://more/x")
