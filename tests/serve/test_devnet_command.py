"""`echidna-mcp devnet`: a chain of its own, which servers of tools are told of."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from contextlib import contextmanager
from urllib.request import urlopen

import pytest
from live_server import READY, STOP_SECONDS, command, run_cli
from mcp import Client

pytestmark = pytest.mark.servers

VARIABLE = "CIRCULAR_CEP_NAG_DISCOVERY_URL"
SERVE = ("serve", "--plugins", "circular")


@contextmanager
def devnet(directory):
    process = subprocess.Popen(
        command("devnet", "--port", 0, "--block-seconds", 0.1, "--data-dir", directory),
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        told, advice = process.stderr.readline(), process.stderr.readline()
        assert told.startswith("Devnet of circular listening on http://127.0.0.1:")
        name, _, value = advice.strip().removeprefix("export ").partition("=")
        yield {name: value}
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=STOP_SECONDS)
        assert process.returncode == 0
    finally:
        process.kill()


def certified(campaign, data, environment):
    done = subprocess.run(
        command("seal", campaign, "--certify", "--data-dir", data),
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    held = [
        json.loads(path.read_text("utf-8"))["certification"]
        for path in (campaign / "evidence").glob("*.json")
    ]
    [certification] = filter(None, held)
    return certification


def test_what_was_certified_there_is_there_after_a_restart(tmp_path):
    campaign = tmp_path / "campaign"
    run_cli("run", "--seed", 7, "--test-limit", 2000, "--corpus-dir", campaign)
    with devnet(tmp_path / "chain") as environment:
        proof = certified(campaign, tmp_path / "data", environment)["proof"]
    assert proof["explorer_url"].startswith("http://127.0.0.1:")
    with devnet(tmp_path / "chain") as environment:
        assert_shown(environment, proof)


def assert_shown(environment, proof):
    """Check that a devnet which was started again shows a transaction."""
    base = environment[VARIABLE].partition("/network")[0]
    place = proof["explorer_url"].partition("/Explorer")[2]
    with urlopen(f"{base}/Explorer{place}") as page:
        assert proof["transaction_id"] in page.read().decode()


def test_what_was_certified_with_nothing_configured_is_shown_there(tmp_path):
    campaign = tmp_path / "campaign"
    run_cli("run", "--seed", 7, "--test-limit", 2000, "--corpus-dir", campaign)
    proof = certified(campaign, tmp_path / "data", {})["proof"]
    with devnet(tmp_path / "data") as environment:
        assert_shown(environment, proof)


@contextmanager
def server(data, environment):
    """Serve the four tools; yield the URL."""
    process = subprocess.Popen(
        command(*SERVE, "--port", 0, "--data-dir", data),
        env={**os.environ, **environment},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        told = process.stderr.readline()
        assert told.startswith(READY), told
        yield told.removeprefix(READY).strip()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=STOP_SECONDS)
        assert process.returncode == 0
    finally:
        process.kill()


async def certify(url, data):
    """Certify by a call to a server; return result and metadata."""
    async with Client(url, read_timeout_seconds=120) as client:
        arguments = {"data": data, "network": "testnet"}
        result = await client.call_tool("certify_data", arguments)
        assert not result.is_error, result.content
        return result.structured_content, result.meta


async def all_certified(urls, count):
    """Certify so many at once on each server; return nonces and senders."""
    found = await asyncio.gather(
        *(certify(url, f"{url} {number}") for url in urls for number in range(count))
    )
    assert all(meta["backend"] == "local-devnet" for _, meta in found)
    nonces = sorted(meta["nonce"] for _, meta in found)
    return nonces, {result["sender"] for result, _ in found}


def test_servers_of_a_directory_and_seal_beside_them_certify_at_once(tmp_path):
    campaign, data = tmp_path / "campaign", tmp_path / "data"
    run_cli("run", "--seed", 7, "--test-limit", 2000, "--corpus-dir", campaign)
    with server(data, {}) as two:
        with server(data, {}) as one:
            # The one that is called first serves the devnet.
            asyncio.run(certify(one, "first"))
            nonces, [sender] = asyncio.run(all_certified([one, two], 5))
            assert nonces == list(range(2, 12))
            proof = certified(campaign, data, {})["proof"]
            assert proof["sender"] == sender
        # It has ended, and the devnet goes on.
        nonces, [again] = asyncio.run(all_certified([two], 2))
        assert (nonces, again) == ([13, 14], sender)
    with devnet(data) as environment:
        assert_shown(environment, proof)


def test_the_variable_that_it_prints_is_all_that_servers_need(tmp_path):
    with devnet(tmp_path / "chain") as environment:
        assert set(environment) == {VARIABLE}
        with (
            server(tmp_path / "data", environment) as one,
            server(tmp_path / "data", environment) as two,
            server(tmp_path / "other", environment) as other,
        ):
            nonces, senders = asyncio.run(all_certified([one, two, other], 3))
    assert nonces == sorted([*range(1, 7), *range(1, 4)])
    assert len(senders) == 2


def test_a_directory_that_is_served_already_says_where(tmp_path):
    with devnet(tmp_path) as environment:
        done = run_cli("devnet", "--port", 0, "--data-dir", tmp_path)
        assert done.returncode == 2
        assert f"already, at {environment[VARIABLE]}: use that one" in done.stderr


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("CIRCULAR_CEP_TESTNET_PRIVATE_KEY", "is no private key"),
        ("CIRCULAR_CEP_TESTNET_PRIVATEKEY", "is no known variable"),
    ],
)
def test_a_wrong_configuration_stops_the_start_of_a_server(tmp_path, name, words):
    done = subprocess.run(
        command(*SERVE, "--port", 0, "--data-dir", tmp_path),
        env={**os.environ, name: "swordfish"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 2
    assert f"{name} {words}" in done.stderr
    assert "swordfish" not in done.stderr


@pytest.mark.parametrize("seconds", ["nan", "inf", "-inf", "0", "1e9"])
def test_a_time_between_blocks_that_can_not_be_is_refused(tmp_path, seconds):
    done = run_cli("devnet", f"--block-seconds={seconds}", "--data-dir", tmp_path)
    assert done.returncode == 2
    assert "--block-seconds" in done.stderr


OTHER = """
from echidna_mcp.catalogue.devnet import Devnet
from echidna_mcp.plugins import hookimpl

@hookimpl
def register_devnets():
    return [Devnet("other", print)]
"""


def test_of_several_devnets_none_is_chosen_silently(tmp_path):
    (tmp_path / "other_devnet.py").write_text(OTHER)
    info = tmp_path / "other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[echidna_mcp]\nother = other_devnet\n")
    done = subprocess.run(
        command("devnet", "--plugins", "circular,other", "--data-dir", tmp_path),
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 2
    assert "circular and other each offer a devnet" in done.stderr


def test_nothing_but_this_machine_can_reach_it(tmp_path):
    done = run_cli("devnet", "--host", "0.0.0.0", "--data-dir", tmp_path / "chain")
    assert done.returncode == 2
    assert "serves this machine only" in done.stderr


def test_a_set_without_a_chain_says_which_has_one(tmp_path):
    done = run_cli("devnet", "--plugins", "editor", "--data-dir", tmp_path)
    assert done.returncode == 2
    assert "no enabled plugin offers a devnet; circular does" in done.stderr
