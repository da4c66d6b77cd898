"""Which plugins are enabled: `--plugins` and the default set."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from echidna_mcp.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

PLUGINS_VARIABLE: Final = "ECHIDNA_MCP_PLUGINS"
"""Environment variable that holds the default of `--plugins`."""

DEFAULT_PLUGINS: Final = (
    # tools
    "read-logs",
    "show-coverage",
    "dump-lcov",
    "get-corpus-size",
    "inspect-corpus-transactions",
    "find-transaction-in-corpus",
    "inject-transaction",
    "prioritize-function",
    "clear-priorities",
    # what clients read, and tasks for agents
    "resources",
    "prompts",
    # the page for people
    "dashboard",
    # transports
    "http",
    "sse",
    "stdio",
    # EVM backends
    "py-evm",
    "native",
    # executors
    "inline",
    "threads",
    "processes",
    # compilers
    "artifact",
    "solc",
    "solc-installed",
    "solcjs",
    "vyper",
)
"""The set `default`. Listed, so that what else is installed can't change a replay."""

_SETS: Final = ("default", "none", "all")


def selection_text(flag: str | None, environment: Mapping[str, str]) -> str:
    """Return the text of the selection: the flag, else the variable, else `default`."""
    if flag is not None:
        return flag
    return environment.get(PLUGINS_VARIABLE) or "default"


def select(text: str, installed: Collection[str]) -> frozenset[str]:
    """Return the names of the plugins that a selection enables.

    The items are read from left to right: `default`, `all` and `none` are sets, `none`
    empties what was selected before, `NAME` adds one plugin and `-NAME` leaves one out.
    A selection that begins with `-NAME` begins with the default set.

    Args:
        text: items separated by commas, such as `default,-vyper,my-tool`.
        installed: names of the plugins that are installed.

    Raises:
        PluginError: an item names no plugin, or nothing is given.
    """
    items = [item.strip() for item in text.split(",") if item.strip()]
    if not items:
        raise PluginError(
            "The plugin selection is empty; name plugins or a set: default, none, all."
        )
    chosen: set[str] = set()
    if items[0].startswith("-"):
        chosen.update(DEFAULT_PLUGINS)
    for item in items:
        match item:
            case "default":
                chosen.update(DEFAULT_PLUGINS)
            case "all":
                chosen.update(installed)
            case "none":
                chosen.clear()
            case _ if item.startswith("-"):
                chosen.discard(_known(item[1:], installed))
            case _:
                chosen.add(_known(item, installed))
    return frozenset(chosen)


def _known(name: str, installed: Collection[str]) -> str:
    if name in installed or name in DEFAULT_PLUGINS:
        return name
    names = sorted({*installed, *DEFAULT_PLUGINS, *_SETS})
    close = get_close_matches(name, names)
    hint = (
        f"did you mean {' or '.join(close)}?"
        if close
        else "`echidna-mcp plugins` lists what is installed."
    )
    raise PluginError(f"There is no plugin {name!r}; {hint}", closest=close)
