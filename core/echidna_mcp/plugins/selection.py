"""Which plugins are enabled (`--plugins`), and which of a kind is meant."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from echidna_mcp.config.campaign import AUTO_EXECUTOR
from echidna_mcp.errors import PluginError, UsageError
from echidna_mcp.wording import closest, did_you_mean, listed, not_offered

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from echidna_mcp.campaign.executor import ExecutorPlugin
    from echidna_mcp.campaign.reliable import ReliableExecutor
    from echidna_mcp.rounds.backend import BackendPlugin

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
    "ray",
    # solvers
    "bitwuzla",
    "z3",
    # compilers
    "artifact",
    "solc",
    "solc-installed",
    "solcjs",
    "vyper",
)
"""The set `default`. Listed, so that what else is installed can't change a replay."""

_TRANSPORTS: Final = ("http", "sse", "stdio")

SETS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "default": DEFAULT_PLUGINS,
        "dialects": ("dialect-echidna", "dialect-editor", "dialect-circular"),
        "editor": ("editor-tools", *_TRANSPORTS),
        "circular": ("circular-tools", *_TRANSPORTS),
    }
)
"""Sets of plugins that have a name of their own."""

DIALECT_PLUGINS: Final = "dialects"
"""What reads contract documents selects this."""

_WORDS: Final = (*SETS, "none", "all")


def select(text: str, installed: Collection[str]) -> frozenset[str]:
    """Return the names of the plugins that a selection enables.

    The items are read from left to right: `all` and the keys of `SETS` are sets, `none`
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
            "The plugin selection is empty; name plugins or a set: "
            f"{listed(_WORDS, 'or')}."
        )
    chosen: set[str] = set()
    if items[0].startswith("-"):
        chosen.update(DEFAULT_PLUGINS)
    for item in items:
        match item:
            case _ if item in SETS:
                chosen.update(SETS[item])
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
    names = sorted({*installed, *DEFAULT_PLUGINS, *_WORDS})
    close = closest(name, names)
    hint = did_you_mean(close, "`echidna-mcp plugins` lists what is installed.")
    raise PluginError(f"There is no plugin {name!r}; {hint}", closest=close)


def pick_backend(backends: Mapping[str, BackendPlugin], name: str) -> BackendPlugin:
    """Return the backend of that name.

    Raises:
        UsageError: no enabled plugin offers it.
    """
    if not backends:
        raise UsageError(
            "No enabled plugin has an EVM to fuzz with; the set default has two. Tools "
            "that need no campaign are served with --no-campaign."
        )
    if name not in backends:
        raise UsageError(not_offered("--backend", name, backends))
    return backends[name]


def make_executor(
    executors: Mapping[str, ExecutorPlugin], text: str
) -> ReliableExecutor:
    """Return a new executor for `name` or `name:physical workers`.

    A task that fails there runs once more, in a process of its own.

    Raises:
        UsageError: no enabled plugin offers it, or the number is not one.
    """
    name, _, number = text.partition(":")
    if name not in executors:
        raise UsageError(not_offered("--executor", name, executors))
    if number and not (number.isdecimal() and 1 <= int(number) <= 1024):
        raise UsageError(
            f"--executor {text}: write the number of physical workers as 1 to 1024, "
            f"for example {name}:2."
        )
    from echidna_mcp.campaign.reliable import ReliableExecutor  # noqa: PLC0415 (slow)

    return ReliableExecutor(executors[name].create(int(number or 0)))


def suitable_executor(backend: BackendPlugin, executor: str) -> str:
    """Return `executor`, or, if it is `auto`, the one that suits a backend.

    A backend that searches by itself leaves the interpreter lock alone: threads will
    do, and start at once. Any other needs processes.
    """
    if executor != AUTO_EXECUTOR:
        return executor
    return "processes" if backend.search is None else "threads"
