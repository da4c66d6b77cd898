"""What is wrong with Ray or its address is told in a sentence, and soon."""

from __future__ import annotations

import socket
import sys
import time

import pytest
from campaigns import py_evm, small_config

from echidna_mcp.demo import load_demo
from echidna_mcp.errors import UsageError
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.replica import WorkerSetup
from echidna_mcp_plugins.executors.ray.cluster import ADDRESS_VARIABLE

SETUP = WorkerSetup(build_target(load_demo(), small_config()), py_evm())
BOUND = 60.0
"""Seconds in which any of it has to be told, on a busy machine."""


def test_without_ray_it_is_told_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError) as caught:
        make_executor(PluginManager.load().executors, "ray:2")
    assert "pip install 'echidna-mcp[ray]'" in caught.value.message


@pytest.mark.parametrize("address", ["nowhere", "ray://host:1", "host:", "a b:1"])
def test_what_is_no_address_is_refused(monkeypatch, address):
    monkeypatch.setenv(ADDRESS_VARIABLE, address)
    with pytest.raises(UsageError, match="is no address of a Ray cluster"):
        make_executor(PluginManager.load().executors, "ray:2")


def refusal_of(address: str, monkeypatch) -> str:
    """Return what is told of an address when the executor is to be used."""
    monkeypatch.setenv(ADDRESS_VARIABLE, address)
    executor = make_executor(PluginManager.load().executors, "ray:2")
    begin = time.monotonic()
    try:
        with pytest.raises(UsageError) as caught:
            executor.prepare(SETUP)
    finally:
        executor.close()
    assert time.monotonic() - begin < BOUND
    return caught.value.message


def test_an_address_where_nothing_listens_is_told(monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        told = refusal_of(f"127.0.0.1:{port}", monkeypatch)
    assert told.startswith(f"There is no Ray cluster at 127.0.0.1:{port} (nothing ")


def test_an_address_where_something_else_listens_is_told(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        told = refusal_of(f"127.0.0.1:{port}", monkeypatch)
    assert told.startswith(f"There is no Ray cluster at 127.0.0.1:{port} (")
