"""What `--plugins` means."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.errors import PluginError
from echidna_mcp.plugins.selection import DEFAULT_PLUGINS, SETS, select

DEFAULT = frozenset(DEFAULT_PLUGINS)
INSTALLED = DEFAULT | {"hello", "my-tool"}
PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("default", DEFAULT),
        (" default , ", DEFAULT),
        ("none", set()),
        ("all", INSTALLED),
        ("hello", {"hello"}),
        ("none,read-logs,hello", {"read-logs", "hello"}),
        ("default,hello", DEFAULT | {"hello"}),
        ("default,-vyper,-sse", DEFAULT - {"vyper", "sse"}),
        ("-vyper", DEFAULT - {"vyper"}),
        ("-vyper,hello", DEFAULT - {"vyper"} | {"hello"}),
        ("all,-hello", INSTALLED - {"hello"}),
        ("hello,-hello", set()),
        ("-hello,hello", DEFAULT | {"hello"}),
        ("default,none,hello", {"hello"}),
        ("default,default,hello,hello", DEFAULT | {"hello"}),
    ],
)
def test_a_selection_is_read_from_left_to_right(text, chosen):
    assert select(text, INSTALLED) == chosen


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("read_logs", "did you mean read-logs"),
        ("default,helo", "did you mean hello"),
        ("-vypr", "did you mean vyper"),
        ("defualt", "did you mean default"),
        ("qqqqqq", "`echidna-mcp plugins` lists what is installed"),
    ],
)
def test_an_unknown_name_is_an_error_with_the_closest_names(text, hint):
    with pytest.raises(PluginError) as caught:
        select(text, INSTALLED)
    assert hint in caught.value.message
    assert "There is no plugin" in caught.value.message


@pytest.mark.parametrize("text", ["", " ", ",,"])
def test_an_empty_selection_is_an_error(text):
    with pytest.raises(PluginError, match="selection is empty"):
        select(text, INSTALLED)


@given(st.sets(st.sampled_from(["a-tool", "evil", "zzz"])))
def test_what_else_is_installed_does_not_change_the_default_set(more):
    assert select("default", DEFAULT | more) == DEFAULT


def test_each_plugin_that_this_package_installs_is_part_of_a_set():
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    installed = project["entry-points"]["echidna_mcp"]
    assert {name for names in SETS.values() for name in names} == installed.keys()
    assert not SETS.keys() & installed.keys()


def test_further_sets_are_no_part_of_the_default_one():
    assert set(DEFAULT_PLUGINS) & set(SETS["dialects"]) == set()
    assert "read-logs" not in SETS["editor"]
