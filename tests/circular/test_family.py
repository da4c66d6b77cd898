"""The tools as a server calls them: configuration, metadata, deadlines, take-over."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from echidna_mcp.errors import UsageError
from echidna_mcp.tools.service import ToolService
from echidna_mcp.tools.stage import Stage
from echidna_mcp.tools.tool import CallContext
from echidna_mcp_plugins.circular.family import (
    register_error_renderers,
    register_tools,
)

NOBODY = {"wallet_address": "ab" * 32, "network": "testnet"}
DATA = {"data": "data", "network": "testnet"}


@asynccontextmanager
async def served(directory, *, timeout_ms=None):
    """Serve the tools in this process; `timeout_ms` is their deadline."""
    tools = register_tools()
    if timeout_ms is not None:
        tools = [
            replace(each, spec=replace(each.spec, timeout_ms=timeout_ms))
            for each in tools
        ]
    service = ToolService(
        tools,
        Stage(),
        renderers={each.name: each for each in register_error_renderers()},
        base=CallContext(directories={"data": directory}),
    )
    try:
        yield service
    finally:
        await service.close()


@pytest.mark.parametrize(
    ("tool", "arguments", "kind"),
    [
        ("get_wallet_nonce", NOBODY, "INVALID_ADDRESS"),
        ("certify_data", {**DATA, "wallet_address": "12"}, "INVALID_INPUT"),
        ("certify_data", {**DATA, "network": "mainnet"}, "INVALID_INPUT"),
        (
            "get_certification_proof",
            {"transaction_id": "ab" * 32, "network": "testnet"},
            "INVALID_INPUT",
        ),
    ],
)
async def test_what_fails_on_a_devnet_says_that_it_is_local(
    tmp_path, tool, arguments, kind
):
    async with served(tmp_path) as service:
        outcome = await service.call(tool, arguments)
    assert outcome.error["type"] == kind
    assert outcome.meta["backend"] == "local-devnet"


async def test_the_code_of_the_node_stands_beside_the_backend(
    lab, devnet, tmp_path, monkeypatch
):
    for name, value in lab.environment(devnet.discovery).items():
        monkeypatch.setenv(name, value)
    async with served(tmp_path) as service:
        outcome = await service.call("get_wallet_nonce", NOBODY)
    assert outcome.meta == {"backend": "local-devnet", "nag_result": 108}


async def test_after_the_deadline_the_same_call_finishes_as_the_message_says(
    lab, devnet, tmp_path, monkeypatch
):
    for name, value in lab.environment(devnet.discovery).items():
        monkeypatch.setenv(name, value)
    async with lab.client(devnet, place="registrar") as session:
        wallet = session.wallet("testnet", None)
        await session.register_on_devnet(session.nag("testnet"), wallet)
    await lab.order(devnet, "slow", method="AddTransaction", seconds=600)
    async with served(tmp_path, timeout_ms=2000) as service:
        outcome = await service.call("certify_data", DATA)
        assert outcome.error["type"] == "API_UNAVAILABLE"
        assert "make the same call again" in outcome.error["message"]
        assert "makes no second one" in outcome.error["message"]
        assert outcome.meta["backend"] == "local-devnet"
        assert devnet.faults.planned == 0
        outcome = await service.call("certify_data", DATA)
    assert json.loads(outcome.text)["status"] == "Pending"
    assert outcome.meta["resumed"]
    assert devnet.chain.store.wallet(wallet.address).nonce == 1


async def test_a_server_whose_devnet_ended_with_another_one_serves_it(tmp_path):
    async with served(tmp_path) as two:
        async with served(tmp_path) as one:
            sent = await one.call("certify_data", DATA)
            other = await two.call("certify_data", {**DATA, "data": "other"})
            assert other.meta["nonce"] == 2
        where = {"transaction_id": sent.content["transaction_id"]}
        outcome = await two.call(
            "get_transaction_status", {**where, "network": "testnet"}
        )
        assert outcome.content["status"] == "Executed"
        outcome = await two.call("certify_data", {**DATA, "data": "third"})
        assert outcome.meta["nonce"] == 3


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("CIRCULAR_CEP_TESTNET_PRIVATE_KEY", "TESTNET_PRIVATE_KEY is no private key"),
        ("CIRCULAR_CEP_TESTNET_KEY", "TESTNET_KEY is no known variable"),
    ],
)
def test_a_wrong_configuration_stops_the_start_and_is_not_shown(
    monkeypatch, name, message
):
    monkeypatch.setenv(name, "swordfish")
    with pytest.raises(UsageError, match=message) as caught:
        register_tools()
    assert "swordfish" not in str(caught.value)
