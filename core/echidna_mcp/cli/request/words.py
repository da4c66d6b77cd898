"""Values of options that shells complete and that click does not know by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import click
from click.shell_completion import CompletionItem

Completer: TypeAlias = Callable[
    [click.Context, click.Parameter, str], list[CompletionItem]
]
"""Returns what a value may be that begins with a text."""


def one_of(*words: str) -> Completer:
    """Return a completer of one of some words."""

    def complete(
        _context: click.Context, _parameter: click.Parameter, begun: str
    ) -> list[CompletionItem]:
        return [CompletionItem(word) for word in words if word.startswith(begun)]

    return complete


def some_of(*words: str) -> Completer:
    """Return a completer of some of some words, separated by commas."""

    def complete(
        _context: click.Context, _parameter: click.Parameter, begun: str
    ) -> list[CompletionItem]:
        before, comma, last = begun.rpartition(",")
        given = before.split(",")
        return [
            CompletionItem(f"{before}{comma}{word}")
            for word in words
            if word.startswith(last) and word not in given
        ]

    return complete


def directories(
    _context: click.Context, _parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Let the shell complete a directory."""
    return [CompletionItem(begun, type="dir")]
