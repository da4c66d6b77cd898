"""What shells complete of stored campaigns: their directories, tests and sequences.

Whoever asks waits at a prompt: what can't be read gives nothing, and nothing is told.
"""
# ruff: noqa: PLC0415 - slow imports, of which most completions need none

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from pathlib import Path
from typing import Final

import click
from click.shell_completion import CompletionItem

from echidna_mcp.cli.request.options import DEFAULT_DIRECTORY
from echidna_mcp.cli.request.words import directories
from echidna_mcp.errors import EchidnaMcpError

_STORE: Final = "campaign.db"
_CORPUS: Final = "corpus"
_MOST_SEQUENCES: Final = 100


def campaigns(
    context: click.Context, parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Return campaigns of the default directory, or else any directory."""
    stores = sorted(DEFAULT_DIRECTORY.glob(f"*/{_STORE}"), reverse=True)
    names = [store.parent.as_posix() for store in stores]
    if found := [CompletionItem(name) for name in names if name.startswith(begun)]:
        return found
    return directories(context, parameter, begun)


def sequences(
    context: click.Context, _parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Return ids and names of findings, or `corpus` and then its numbers."""
    before = context.params.get("what") or ()
    directory = context.params.get("directory")
    if directory is None:
        return []
    if before and before != (_CORPUS,):
        return []
    found = _quietly(_numbers if before else _findings, directory)
    return [each for each in found if each.value.startswith(begun)]


def _quietly(
    items: Callable[[Path], Iterator[CompletionItem]], directory: Path
) -> list[CompletionItem]:
    try:
        with redirect_stderr(io.StringIO()):
            return list(items(Path(directory)))
    except (EchidnaMcpError, OSError, KeyError, TypeError, ValueError, IndexError):
        return []


def _findings(directory: Path) -> Iterator[CompletionItem]:
    from echidna_mcp.cli.stored.campaign import StoredCampaign, subjects

    views = StoredCampaign.read(directory).views
    for name in subjects(views):
        record = views.properties.records[name]
        if record.finding:
            yield CompletionItem(record.finding, help=name)
        if name == record.test:
            # Shells do not quote: types, which may be left out, have parentheses.
            yield CompletionItem(name.partition("(")[0], help=record.reason)
    yield CompletionItem(_CORPUS, help="a sequence of the corpus")


def _numbers(directory: Path) -> Iterator[CompletionItem]:
    from echidna_mcp.cli.stored.campaign import StoredCampaign

    entries = StoredCampaign.read(directory).views.corpus.entries
    for number in range(min(len(entries), _MOST_SEQUENCES)):
        yield CompletionItem(str(number))
