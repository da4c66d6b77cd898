"""`echidna-mcp devnet`: a chain of its own, which servers of tools are told of."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from contextlib import contextmanager
from urllib.request import urlopen

import pytest
from live_server import STOP_SECONDS, command, run_cli

pytestmark = pytest.mark.servers

KEY = {"CIRCULAR_CEP_TESTNET_PRIVATE_KEY": "11" * 32}


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
        env={**os.environ, **KEY, **environment},
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
        [url] = environment.values()
        place = proof["explorer_url"].partition("/Explorer")[2]
        base = url.partition("/network")[0]
        with urlopen(f"{base}/Explorer{place}") as page:
            assert proof["transaction_id"] in page.read().decode()


def test_nothing_but_this_machine_can_reach_it(tmp_path):
    done = run_cli("devnet", "--host", "0.0.0.0", "--data-dir", tmp_path / "chain")
    assert done.returncode == 2
    assert "serves this machine only" in done.stderr


def test_a_set_without_a_chain_says_which_has_one(tmp_path):
    done = run_cli("devnet", "--plugins", "editor", "--data-dir", tmp_path)
    assert done.returncode == 2
    assert "no enabled plugin offers a devnet; circular does" in done.stderr
