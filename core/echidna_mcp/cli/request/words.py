"""Words that options take: what shells complete, and what a misspelt one may mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import click
from click.shell_completion import CompletionItem

from echidna_mcp.wording import closest, did_you_mean

Completer: TypeAlias = Callable[
    [click.Context, click.Parameter, str], list[CompletionItem]
]
"""Returns what a value may be that begins with a text."""


if TYPE_CHECKING:
    _Choice = click.Choice[str]
else:
    _Choice = click.Choice  # It takes no parameter before click 8.2.


class Choice(_Choice):
    """One of some words; of another one it is told which may have been meant."""

    def convert(
        self,
        value: object,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str:
        """Return the word.

        Raises:
            click.BadParameter: it is none of them.
        """
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            close = closest(str(value), self.choices, 1)
            if not close:
                raise
            said = error.message.rstrip(".")
            self.fail(f"{said}; {did_you_mean(close, '')}", param, ctx)


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
