"""Machine code goes from the campaign's process to nodes with the same processor."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.user_cache import ObjectCache
from echidna_mcp_plugins.executors.ray import actor

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
