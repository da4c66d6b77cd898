"""Picking one plugin of a kind by the name that a user wrote."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from echidna_mcp.campaign.reliable import ReliableExecutor
from echidna_mcp.config.campaign import AUTO_EXECUTOR
from echidna_mcp.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from echidna_mcp.plugins.manager import PluginManager
    from echidna_mcp.rounds.backend import BackendPlugin


def pick_backend(plugins: PluginManager, name: str) -> BackendPlugin:
    """Return the backend of that name.

    Raises:
        UsageError: no enabled plugin offers it.
    """
    if name not in plugins.backends:
        raise UsageError(unknown("--backend", name, plugins.backends))
    return plugins.backends[name]


def make_executor(plugins: PluginManager, text: str) -> ReliableExecutor:
    """Return a new executor for `name` or `name:physical workers`.

    A task that fails there runs once more, in a process of its own.

    Raises:
        UsageError: no enabled plugin offers it, or the number is not one.
    """
    name, _, number = text.partition(":")
    if name not in plugins.executors:
        raise UsageError(unknown("--executor", name, plugins.executors))
    if number and not (number.isdecimal() and 1 <= int(number) <= 1024):
        raise UsageError(
            f"--executor {text}: write the number of physical workers as 1 to 1024, "
            f"for example {name}:2."
        )
    return ReliableExecutor(plugins.executors[name].create(int(number or 0)))


def suitable_executor(backend: BackendPlugin, executor: str) -> str:
    """Return `executor`, or, if it is `auto`, the one that suits a backend.

    A backend that searches by itself leaves the interpreter lock alone: threads will
    do, and start at once. Any other needs processes.
    """
    if executor != AUTO_EXECUTOR:
        return executor
    return "processes" if backend.search is None else "threads"


def unknown(option: str, name: str, known: Iterable[str]) -> str:
    """Return the sentence for a name that no enabled plugin offers.

    Args:
        option: where the name stands.
        known: what they offer.
    """
    names = sorted(known)
    close = get_close_matches(name, names, n=1)
    if close:
        hint = f"did you mean {close[0]}?"
    elif names:
        hint = f"choose from {', '.join(names)}."
    else:
        hint = "enable one with --plugins."
    return f"{option} {name}: no enabled plugin offers it; {hint}"
