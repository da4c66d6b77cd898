"""Machine code goes to nodes with the same processor, from wherever it was compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

from campaigns import small_config, started
from corpus_contracts import compile_corpus
from ray_clusters import cluster_of

from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.user_cache import ObjectCache
from echidna_mcp_plugins.executors.ray import actor
from echidna_mcp_plugins.executors.ray.cluster import ADDRESS_VARIABLE
from echidna_mcp_plugins.native.hot.mode import HOT_VARIABLE

NATIVE = PluginManager.load().backends["native"]


def test_a_node_takes_what_its_cache_lacks_and_compiles_nothing(tmp_path, monkeypatch):
    NATIVE.load()
    code = actor.own_code()
    assert code is not None
    assert len(code.objects) >= 2, "kernels and the EVM"
    assert sum(map(len, code.objects.values())) < 16 << 20
    cache = ObjectCache(tmp_path / "kernels")
    monkeypatch.setattr(actor, "user_cache", lambda: cache)
    assert actor.take_code(code) == len(code.objects)
    assert actor.take_code(code) == 0
    before = sorted((tmp_path / "kernels").iterdir())
    loads = (
        "from echidna_mcp.plugins.manager import PluginManager;"
        "PluginManager.load().backends['native'].load()"
    )
    env = {**os.environ, "ECHIDNA_MCP_CACHE": str(tmp_path)}
    subprocess.run([sys.executable, "-c", loads], env=env, check=True)
    assert sorted((tmp_path / "kernels").iterdir()) == before


def test_another_processor_takes_nothing(tmp_path, monkeypatch):
    NATIVE.load()
    code = actor.own_code()
    assert code is not None
    monkeypatch.setattr(actor, "user_cache", lambda: ObjectCache(tmp_path))
    assert actor.take_code(replace(code, host="another")) == 0
    assert not list(tmp_path.iterdir())


def test_hot_code_of_one_node_comes_to_another_that_compiles_none(
    tmp_path, monkeypatch
):
    monkeypatch.delenv(HOT_VARIABLE, raising=False)
    one, other = tmp_path / "one", tmp_path / "other"
    nodes = (
        {"ECHIDNA_MCP_CACHE": str(one)},
        {"ECHIDNA_MCP_CACHE": str(other), HOT_VARIABLE: "off"},
    )
    config = small_config(
        workers=4, round_budget=20_000_000, test_limit=None, test_mode="exploration"
    )
    with cluster_of(1, 1, variables=nodes) as cluster:
        monkeypatch.setenv(ADDRESS_VARIABLE, cluster.address)
        place, token = tmp_path / "campaign", compile_corpus(("Token",))
        with started(place, token, config, "ray:2", NATIVE) as running:
            given = set(actor.own_code().objects)
            for _ in range(400):
                running.rounds(1)
                hot = {path.stem for path in (other / "kernels").glob("*.obj")} - given
                if hot:
                    break
    assert hot
    for key in hot:
        found = ObjectCache(other / "kernels").get(key)
        assert found is not None
        assert ObjectCache(one / "kernels").get(key) is not None


def test_a_node_takes_code_of_more_blocks_and_tells_only_what_it_made(
    tmp_path, monkeypatch
):
    cache = ObjectCache(tmp_path)
    monkeypatch.setattr(actor, "user_cache", lambda: cache)
    host = actor._host()
    cache.put("mine", b"code")
    assert actor.take_code(actor.MachineCode(host, {"mine": b"code"})) == 0
    assert actor.take_code(actor.MachineCode(host, {"mine": b"more code"})) == 1
    assert actor.take_code(actor.MachineCode(host, {"others": b"code"})) == 1
    assert cache.get("mine") == b"more code"
    assert cache.made == ["mine"]
