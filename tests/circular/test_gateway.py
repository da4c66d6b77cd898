"""Odd answers of a gateway: a server of the test gives them over real HTTP."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route

from echidna_mcp.server.address import Hosts, listen
from echidna_mcp.server.guard import Guard
from echidna_mcp.server.limits import Limits
from echidna_mcp.server.listener import Listener
from echidna_mcp_plugins.circular.chain_view import ChainTransaction, Status
from echidna_mcp_plugins.circular.document import Document
from echidna_mcp_plugins.circular.errors import CircularError, ErrorType
from echidna_mcp_plugins.circular.exchange import Exchange
from echidna_mcp_plugins.circular.nag import Nag
from echidna_mcp_plugins.circular.settings import SANDBOX, Settings
from echidna_mcp_plugins.circular.tools.certify_data import certify_data
from echidna_mcp_plugins.circular.tools.get_certification_proof import (
    get_certification_proof,
)
from echidna_mcp_plugins.circular.tools.session import open_session
from echidna_mcp_plugins.circular.transaction import certificate_payload

WALLET = "ab" * 32


class Oddity:
    """A gateway that answers what it is told, and remembers what it was asked."""

    def __init__(self):
        self.discovery = None
        self.answers = []
        self.asked = []

    async def discover(self, request):
        self.asked.append(request.query_params["network"])
        default = {"status": "success", "url": f"{request.base_url}nag?cep="}
        return JSONResponse(default if self.discovery is None else self.discovery)

    async def nag(self, request):
        self.asked.append((request.query_params["cep"], await request.json()))
        answer = self.answers.pop(0)
        return answer if isinstance(answer, PlainTextResponse) else JSONResponse(answer)


@asynccontextmanager
async def listening(oddity):
    routes = [
        Route("/getNAG", oddity.discover),
        Route("/nag", oddity.nag, methods=["POST"]),
    ]
    guard = Guard(
        Starlette(routes=routes), hosts=Hosts.of("127.0.0.1"), limits=Limits()
    )
    with listen("127.0.0.1", 0) as socket:
        listener = Listener(guard, Limits())
        task = asyncio.create_task(listener.serve(sockets=[socket]))
        await listener.ready.wait()
        yield f"http://127.0.0.1:{socket.getsockname()[1]}/getNAG"
        listener.should_exit = True
        await task


@asynccontextmanager
async def served(oddity):
    async with (
        listening(oddity) as url,
        httpx2.AsyncClient(trust_env=False, verify=False) as client,
    ):
        yield Nag(Exchange(client), "testnet", url, SANDBOX)


def ok(response):
    return {"Result": 200, "Response": response, "Node": "00"}


async def test_discovery_is_asked_once_even_by_many():
    oddity = Oddity()
    oddity.answers = [ok({"Nonce": 7})] * 5
    async with served(oddity) as nag:
        found = await asyncio.gather(*(nag.last_nonce(WALLET) for _ in range(5)))
    assert found == [7] * 5
    assert [each for each in oddity.asked if isinstance(each, str)] == ["testnet"]
    method, body = oddity.asked[-1]
    assert method == "Circular_GetWalletNonce_testnet"
    assert body == {"Blockchain": SANDBOX, "Address": WALLET, "Version": "1.0.13"}


async def test_both_envelopes_of_answers_are_understood():
    oddity = Oddity()
    oddity.answers = [
        ok({"Nonce": 55}),
        ok({"Nonce": "55"}),
        {"TBody": ok({"Nonce": 55})},
        {"Result": "200", "Response": {"Nonce": 55}},
    ]
    async with served(oddity) as nag:
        while oddity.answers:
            assert await nag.last_nonce(WALLET) == 55


async def test_an_answer_without_what_was_asked_for_is_api_unavailable():
    oddity = Oddity()
    oddity.answers = [
        [],
        "text",
        {},
        {"TBody": 1},
        {"Response": {"Nonce": 1}},
        {"Result": None},
        {"Result": True, "Response": {"Nonce": 1}},
        ok(None),
        ok("text"),
        ok({}),
        ok({"Nonce": None}),
        ok({"Nonce": -1}),
        ok({"Nonce": 1.5}),
        PlainTextResponse("<html>down for maintenance</html>"),
        PlainTextResponse("gone", 404),
    ]
    async with served(oddity) as nag:
        while oddity.answers:
            left = len(oddity.answers)
            with pytest.raises(CircularError) as caught:
                await nag.last_nonce(WALLET)
            assert caught.value.type is ErrorType.API_UNAVAILABLE
            assert len(oddity.answers) == left - 1  # It is not asked for again.


async def test_a_discovery_without_a_safe_gateway_is_api_unavailable():
    oddity = Oddity()
    async with served(oddity) as nag:
        for oddity.discovery in (
            [],
            {"status": "error", "url": "https://nag.example.org/NAG.php?cep="},
            {"status": "success"},
            {"status": "success", "url": 1},
            {"status": "success", "url": "http://nag.example.org/NAG.php?cep="},
            {"status": "success", "url": "file:///etc/passwd"},
        ):
            with pytest.raises(CircularError) as caught:
                await nag.gateway()
            assert caught.value.type is ErrorType.API_UNAVAILABLE


async def test_a_transaction_that_the_network_already_shows_is_not_sent(lab):
    oddity = Oddity()
    oddity.answers = [ok({"Nonce": 7}), ok({"Status": "Pending"})]
    async with listening(oddity) as url:
        settings = Settings.from_environment(lab.environment(url))
        async with open_session(settings, lab.directory) as session:
            sent = await certify_data(session, data="data", network="testnet")
    methods = [each[0].split("_")[1] for each in oddity.asked[1:]]
    assert methods == ["GetWalletNonce", "GetTransactionbyID"]
    assert oddity.asked[2][1]["ID"] == sent.result["transaction_id"]
    assert sent.meta["backend"] == "circular"
    assert sent.meta["resumed"]


async def test_a_proof_of_the_public_network_links_to_its_explorer(lab):
    oddity = Oddity()
    executed = {
        "Status": "Executed",
        "BlockID": "0x1f",
        "From": f"0x{WALLET.upper()}",
        "Timestamp": "2026:01:02-03:04:05",
        "Payload": certificate_payload(Document("data")),
    }
    no_block = {"Result": 111, "Response": "Block Not Found"}
    oddity.answers = [ok(executed), no_block]
    async with listening(oddity) as url:
        settings = Settings.from_environment(lab.environment(url))
        async with open_session(settings, lab.directory) as session:
            proof = await get_certification_proof(
                session, transaction_id=WALLET, network="testnet", include_data=True
            )
    assert proof.result == {
        "transaction_id": WALLET,
        "block_id": "0x1f",
        # The node tells no time of the block: it is that of the sender.
        "timestamp": "2026:01:02-03:04:05",
        "explorer_url": (
            f"https://circularlabs.io/Explorer?network=testnet&tx={WALLET}"
        ),
        "network": "testnet",
        "sender": WALLET,
        "certified_data": b"data".hex(),
    }


@given(st.text(min_size=1))
def test_any_text_comes_back_from_its_certificate(data):
    payload = certificate_payload(Document(data))
    found = ChainTransaction.of({"Payload": payload}, WALLET).certified()
    assert found is not None
    assert bytes.fromhex(found).decode() == data


async def test_an_answer_with_another_id_is_not_believed(lab):
    oddity = Oddity()
    nothing = ok("Transaction Not Found")
    height = ok({"BlockCount": 1})
    odd = ok({"TxID": WALLET})
    oddity.answers = [ok({"Nonce": 7}), nothing, odd, nothing, height]
    async with listening(oddity) as url:
        settings = Settings.from_environment(lab.environment(url))
        async with open_session(settings, lab.directory) as session:
            with pytest.raises(CircularError, match="another transaction") as caught:
                await certify_data(session, data="data", network="testnet")
    assert caught.value.type is ErrorType.API_UNAVAILABLE
    assert oddity.answers == []


async def test_the_public_network_has_its_own_explorer():
    oddity = Oddity()
    async with served(oddity) as nag:
        gateway = await nag.gateway()
    assert gateway.backend == "circular"
    assert gateway.explorer == "https://circularlabs.io/Explorer"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Pending", Status.PENDING),
        ("verified", Status.VERIFIED),
        ("EXECUTED", Status.EXECUTED),
        ("Rejected: Insufficient balance", Status.FAILED),
        ("Failed", Status.FAILED),
        ("Something new", Status.PENDING),
        ("", Status.PENDING),
    ],
)
def test_the_status_of_a_node_is_one_of_four(text, status):
    found = ChainTransaction.of({"Status": text, "BlockID": {}}, WALLET)
    assert found.status is status


@pytest.mark.parametrize(
    "payload", ["", "zz", "5b5d", b'{"Data":"zz"}'.hex(), b'{"Data":1}'.hex(), 7, None]
)
def test_a_payload_that_is_no_certificate_has_no_data(payload):
    assert ChainTransaction.of({"Payload": payload}, WALLET).certified() is None
