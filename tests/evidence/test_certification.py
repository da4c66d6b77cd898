"""Certification on several chains that go by the same name of a network."""

from __future__ import annotations

import json
import threading
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import httpx2
import pytest
from evidence_stores import FALSIFIED, evidence_files, kinds, recorded, store_of
from jsonschema import Draft7Validator
from live_server import run_cli

from echidna_mcp.errors import EvidenceError
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.evidence.certification import (
    TOOLS,
    certifications,
    certified_text,
    certify,
)
from echidna_mcp.evidence.checking import check_evidence
from echidna_mcp.evidence.file import write_evidence
from echidna_mcp.evidence.sealing import append, seal_campaign, seal_findings
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.tools.service import ToolService
from echidna_mcp.tools.stage import Stage
from echidna_mcp.tools.tool import CallContext
from echidna_mcp_plugins.circular.devnet.options import DevnetOptions
from echidna_mcp_plugins.circular.devnet.server import serving
from echidna_mcp_plugins.circular.settings import DISCOVERY, Settings
from echidna_mcp_plugins.circular.tools.certify_data import certify_data
from echidna_mcp_plugins.circular.tools.session import open_session

CONTRACTS = Path(__file__).parents[2] / "contracts" / "events"
KEY = {"CIRCULAR_CEP_TESTNET_PRIVATE_KEY": "11" * 32}
ELSEWHERE = "../../elsewhere"


@pytest.fixture(scope="module")
def events(tmp_path_factory):
    return recorded(tmp_path_factory.mktemp("recorded") / "campaign")


@pytest.fixture
def campaign(events, tmp_path):
    """A campaign that nothing was sealed of."""
    directory = tmp_path / "campaign"
    store_of(directory, events).close()
    return directory


@contextmanager
def public(devnet_answer):
    """Serve a discovery that names a gateway as that of the public network does."""
    answer = {name: devnet_answer[name] for name in ("status", "url", "message")}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            """Print nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/getNAG"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@asynccontextmanager
async def public_chain(directory):
    """Serve a chain that does not say that it is one of this machine."""
    async with serving(
        directory / "public", options=DevnetOptions(block_seconds=0.05)
    ) as devnet:
        # There people register their wallets themselves.
        settings = Settings.from_environment({**KEY, DISCOVERY: devnet.discovery})
        async with open_session(settings, directory / "registering") as session:
            await certify_data(session, data="anything", network="testnet")
        async with httpx2.AsyncClient(trust_env=False) as client:
            answer = await client.get(devnet.discovery, params={"network": "testnet"})
        with public(answer.json()) as discovery:
            yield discovery


@asynccontextmanager
async def tools_at(discovery, directory, monkeypatch):
    """Offer the tools with one journal, for the chain that discovery names."""
    for name, value in {**KEY, DISCOVERY: discovery}.items():
        monkeypatch.setenv(name, value)
    plugins = PluginManager.load("circular")
    tools = ToolService(
        [plugins.tools[name] for name in TOOLS],
        Stage(),
        renderers=plugins.error_renderers,
        base=CallContext(directories={"data": directory / "data"}),
    )
    try:
        yield tools
    finally:
        await tools.close()


async def test_a_devnet_stands_for_no_public_chain_and_nothing_is_certified_twice(
    campaign, tmp_path, monkeypatch
):
    local = serving(tmp_path / "chain", options=DevnetOptions(block_seconds=0.05))
    with EventStore.open(store_path(campaign)) as store:
        sealed = seal_campaign(store)
        async with local as devnet, public_chain(tmp_path) as discovery:
            found = []
            for place in (devnet.discovery, discovery) * 2:
                async with tools_at(place, tmp_path, monkeypatch) as tools:
                    certified = await certify(store, sealed, tools, "testnet")
                write_evidence(campaign, sealed, certified)
                found.append((certified.backend, certified.transaction))
        assert [each.backend for each in certifications(store, sealed.sha256)] == [
            "local-devnet",
            "circular",
        ]
    first, second, *rest = found
    assert first[0] == "local-devnet"
    assert second[0] == "circular"
    assert first[1] != second[1]
    assert rest == [first, second]
    steps = ["CertificationSubmitted", "CertificationExecuted"]
    assert kinds(campaign) == ["EvidenceSealed", *steps, *steps]
    paths = evidence_files(campaign)
    assert {path.stem for path in paths} == {first[1], second[1]}
    for path, held in paths.items():
        checked = check_evidence(path, campaign)
        assert checked.certified.to_json() == held["certification"]


async def test_what_was_sent_and_not_waited_for_is_finished_without_sending_it_again(
    campaign, tmp_path, monkeypatch
):
    local = serving(tmp_path / "chain", options=DevnetOptions(block_seconds=0.05))
    with EventStore.open(store_path(campaign)) as store:
        sealed = seal_campaign(store)
        text = certified_text(sealed.sha256)
        async with (
            local as devnet,
            tools_at(devnet.discovery, tmp_path, monkeypatch) as tools,
        ):
            done = await tools.call(
                "certify_data", {"data": text, "network": "testnet"}
            )
            transaction = done.content["transaction_id"]
            sent = {"sha256": sealed.sha256, "transaction": transaction}
            where = {"network": "testnet", "backend": "local-devnet"}
            append(store, "CertificationSubmitted", {**sent, **where})
            certified = await certify(store, sealed, tools, "testnet")
    assert certified.transaction == transaction


@pytest.mark.parametrize("command", ["seal", "verify"])
def test_a_transaction_that_is_none_becomes_no_path(campaign, tmp_path, command):
    with EventStore.open(store_path(campaign)) as store:
        [sealed] = seal_findings(store, [FALSIFIED])
        path = write_evidence(campaign, sealed, None)
        about = {"sha256": sealed.sha256, "transaction": ELSEWHERE}
        where = {"network": "testnet", "backend": "local-devnet"}
        append(store, "CertificationSubmitted", {**about, **where})
        append(store, "CertificationExecuted", {**about, "proof": {}})
        with pytest.raises(EvidenceError, match="has not 64 hexadecimal digits"):
            certifications(store, sealed.sha256)
    held = json.loads(path.read_text("utf-8"))
    held["certification"] = {"transaction": ELSEWHERE, "proof": {}, **where}
    text = json.dumps(held, sort_keys=True, separators=(",", ":"))
    path.write_text(f"{text}\n", "utf-8")
    words = {
        "seal": (campaign, "--finding", FALSIFIED, "--certify"),
        "verify": (path,),
    }
    done = run_cli(command, *words[command], *data(command, tmp_path))
    assert done.returncode == {"seal": 2, "verify": 1}[command]
    assert "names a transaction that has not 64 hexadecimal digits" in done.stderr
    assert not list(tmp_path.rglob("elsewhere*"))


def data(command, directory):
    return ("--data-dir", directory / "data") if command == "seal" else ()


@pytest.mark.parametrize("name", ["submitted", "executed", "failed"])
def test_the_contracts_of_the_events_know_what_a_transaction_is(name):
    text = (CONTRACTS / f"certification_{name}.json").read_text("utf-8")
    transaction = json.loads(text)["payloadSchema"]["properties"]["transaction"]
    assert Draft7Validator(transaction).is_valid("0f" * 32)
    assert not Draft7Validator(transaction).is_valid(ELSEWHERE)
