"""Plugins are found, loaded in order, kept apart, and told of commits."""

from __future__ import annotations

import importlib
import logging
import sys

import pytest

from echidna_mcp.errors import PluginError, UsageError
from echidna_mcp.events.event import Event
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.record import PluginRecord
from echidna_mcp.plugins.selection import DEFAULT_PLUGINS

EMPTY = ""
IMPORT = "from echidna_mcp.plugins import hookimpl\n"

BACKENDS = """
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.plugins import hookimpl

@hookimpl
def register_backends():
    return [BackendPlugin(name, print) for name in NAMES]
"""

TOOL = """
from echidna_mcp.contracts.toolspec import ToolSpec
from echidna_mcp.plugins import hookimpl
from echidna_mcp.tools.tool import Tool

@hookimpl
def register_tools():
    spec = ToolSpec(
        name=NAME, title="", description="", category="", safety_level="read-only",
        tier="", input_schema={}, output_schema={}, errors=(),
    )
    return [Tool(spec=spec, input_type=dict, handler=print)]
"""

EVERYTHING = """
from types import SimpleNamespace
from echidna_mcp.campaign.executor import ExecutorPlugin
from echidna_mcp.plugins import hookimpl
from echidna_mcp.catalogue.transport import HttpTransport

class Compiler:
    name, rank = "compiler-of-mine", 3

@hookimpl
def register_executors():
    return [ExecutorPlugin("threads", print)]

@hookimpl
def register_compilers():
    return (Compiler(),)

@hookimpl
def register_transports():
    return [HttpTransport(name="pigeon", path="/pigeon", mount=print)]
"""

OBSERVER = """
from echidna_mcp.plugins import hookimpl

seen = []

@hookimpl
def events_committed(events):
    seen.append([event.seq for event in events])
    if len(seen) == FAIL_AT:
        raise ValueError("no more")
"""


def event(seq):
    return Event(
        seq=seq,
        type="RoundCommitted",
        version=1,
        round=1,
        worker=None,
        at="2025-12-20T10:30:45.000000Z",
        payload={},
        digest=b"",
    )


def backends(*names):
    return f"NAMES = {names!r}\n{BACKENDS}"


def statuses(manager):
    return {record.name: record.status for record in manager.records}


def test_what_plugins_register_is_kept_by_name_in_order(site):
    site.install("zeta", zz=backends("beta", "delta"), aa=backends("gamma"))
    site.install("alpha", mm=backends("alpha"), tt=f"NAME = 'hello'\n{TOOL}")
    site.install("mine", every=EVERYTHING)
    manager = PluginManager.load("all", site.entries())
    assert list(manager.backends) == ["alpha", "beta", "delta", "gamma"]
    assert manager.backends["beta"].name == "beta"
    assert list(manager.tools) == ["hello"]
    assert list(manager.executors) == ["threads"]
    assert list(manager.transports) == ["pigeon"]
    assert manager.compilers["compiler-of-mine"].rank == 3


def test_only_selected_plugins_are_imported(site):
    site.install("pack", "2.5", one=backends("x"), two="raise SystemError('imported')")
    manager = PluginManager.load("one", site.entries())
    assert manager.records == (
        PluginRecord(
            name="one",
            distribution="pack",
            version="2.5",
            hooks=("register_backends",),
            status="loaded",
        ),
        PluginRecord(name="two", distribution="pack", version="2.5"),
    )
    assert "pack_two" not in sys.modules
    assert manager.loaded == [{"name": "one", "distribution": "pack", "version": "2.5"}]
    assert manager.records[0].to_json() == {
        "name": "one",
        "distribution": "pack",
        "version": "2.5",
        "hooks": ["register_backends"],
        "status": "loaded",
        "error": None,
    }


def test_installed_packages_are_found_without_being_named(site):
    site.install("pack", one=backends("x"))
    manager = PluginManager.load("none,one")
    assert list(manager.backends) == ["x"]
    assert "one" in statuses(manager)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("def broken(:", "SyntaxError: "),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("echidna_mcp_api = 2", "it needs version 2 of the hooks"),
        ("echidna_mcp_api = 'x'", "it needs version x of the hooks"),
        (
            f"{IMPORT}@hookimpl\ndef register_tools(): return ['hello']",
            "TypeError: register_tools returned 'hello', which is no tool",
        ),
        (
            f"{IMPORT}@hookimpl\ndef register_compilers(): raise KeyError('x')",
            "KeyError: 'x'",
        ),
    ],
)
def test_a_broken_plugin_is_reported_and_skipped(site, caplog, source, why):
    site.install("good", one=backends("x"))
    site.install("bad", aaa=source)
    manager = PluginManager.load("all", site.entries())
    assert statuses(manager) == {"aaa": "failed", "one": "loaded"}
    assert manager.records[0].error.startswith(why)
    assert manager.records[0].hooks == ()
    assert list(manager.backends) == ["x"]
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "aaa is skipped: " in caplog.text


def test_a_plugin_that_is_configured_wrongly_is_not_skipped(site):
    site.install(
        "wrong",
        aaa=f"{IMPORT}from echidna_mcp.errors import UsageError\n@hookimpl\n"
        "def register_compilers(): raise UsageError('Set X to a number.')",
    )
    with pytest.raises(UsageError, match="Set X to a number"):
        PluginManager.load("all", site.entries())


def test_a_plugin_that_fails_registers_nothing(site):
    site.install(
        "half",
        half=backends("x")
        + "\n@hookimpl\ndef register_compilers(): raise KeyError('x')",
    )
    manager = PluginManager.load("all", site.entries())
    assert statuses(manager) == {"half": "failed"}
    assert manager.backends == {}


def default_site(site, **changed):
    plugins = {name.replace("-", "_"): EMPTY for name in DEFAULT_PLUGINS}
    site.install("echidna-mcp-double", **{**plugins, **changed})
    return site.entries()


def test_the_default_set_loads_all_of_itself_and_nothing_else(site):
    site.install("stranger", evil=backends("evil"))
    manager = PluginManager.load(entries=default_site(site))
    expected = dict.fromkeys(DEFAULT_PLUGINS, "loaded") | {"evil": "disabled"}
    assert statuses(manager) == expected
    assert [record.name for record in manager.records] == sorted(expected)


def test_a_broken_plugin_of_the_default_set_is_fatal_unless_left_out(site):
    entries = default_site(site, py_evm="import no_such_module")
    for selection in ("default", "py-evm"):
        with pytest.raises(PluginError, match=r"py-evm can't be loaded \(ModuleNot"):
            PluginManager.load(selection, entries)
    manager = PluginManager.load("default,-py-evm", entries)
    assert statuses(manager)["py-evm"] == "disabled"


def test_a_plugin_of_the_default_set_that_is_not_installed_is_fatal(site):
    entries = [e for e in default_site(site) if e.name != "stdio"]
    with pytest.raises(PluginError, match="stdio is part of a set but not installed"):
        PluginManager.load("default", entries)
    PluginManager.load("-stdio", entries)


def test_two_plugins_with_the_same_offer_are_both_named(site):
    site.install("one", zz=backends("fast"))
    site.install("two", aa=backends("fast"))
    with pytest.raises(
        PluginError, match="aa and zz both offer the EVM backend 'fast'"
    ):
        PluginManager.load("all", site.entries())
    assert list(PluginManager.load("zz", site.entries()).backends) == ["fast"]


def test_the_same_name_for_things_of_different_kinds_is_no_clash(site):
    site.install("one", aa=backends("hello"), bb=f"NAME = 'hello'\n{TOOL}")
    manager = PluginManager.load("all", site.entries())
    assert (list(manager.backends), list(manager.tools)) == (["hello"], ["hello"])


def test_two_packages_with_a_plugin_of_the_same_name_are_both_named(site):
    site.install("pack-b", tool=EMPTY)
    site.install("pack-a", tool=EMPTY, other=backends("x"))
    with pytest.raises(PluginError, match="pack-a and pack-b both install"):
        PluginManager.load("tool", site.entries())
    assert list(PluginManager.load("other", site.entries()).backends) == ["x"]


@pytest.mark.parametrize(
    ("signature", "why"),
    [
        ("register_tolls()", "unknown hook 'register_tolls'"),
        ("register_tools(colour)", "colour"),
    ],
)
def test_a_wrong_hook_is_fatal_and_named(site, signature, why):
    site.install(
        "pack",
        typo="from echidna_mcp.plugins import hookimpl\n"
        f"@hookimpl\ndef {signature}: return []",
    )
    with pytest.raises(
        PluginError, match="The plugin typo implements a hook"
    ) as caught:
        PluginManager.load("all", site.entries())
    assert why in caught.value.message


def test_a_plugin_for_older_hooks_is_loaded_with_a_warning(site, caplog):
    site.install("old", old="echidna_mcp_api = 0")
    manager = PluginManager.load("all", site.entries())
    assert statuses(manager) == {"old": "loaded"}
    assert "written for version 0 of the hooks; this is 1" in caplog.text


def test_an_object_can_be_a_plugin(site):
    site.install(
        "pack",
        module=backends("unused").replace("@hookimpl", "") + "class P:\n  @hookimpl\n"
        "  def register_backends(self): return [BackendPlugin('x', print)]\n"
        "plugin = P()",
    )
    points = site.path / "pack-1.0.dist-info" / "entry_points.txt"
    points.write_text("[echidna_mcp]\nmine = pack_module:plugin\n")
    assert list(PluginManager.load("mine", site.entries()).backends) == ["x"]


def test_observers_see_commits_and_one_that_raises_is_dropped(site, caplog):
    site.install(
        "pack", good=f"FAIL_AT = 0\n{OBSERVER}", bad=f"FAIL_AT = 2\n{OBSERVER}"
    )
    manager = PluginManager.load("all", site.entries())
    for seq in range(1, 8, 2):
        manager.events_committed([event(seq), event(seq + 1)])
    good = importlib.import_module("pack_good").seen
    bad = importlib.import_module("pack_bad").seen
    assert good == [[1, 2], [3, 4], [5, 6], [7, 8]]
    assert bad == [[1, 2], [3, 4]]
    (warning,) = caplog.records
    assert "The plugin bad failed to observe" in warning.getMessage()
    assert "no more" in warning.exc_text
