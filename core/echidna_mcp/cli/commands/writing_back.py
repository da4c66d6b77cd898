"""The corpus of another fuzzer gets what a campaign has found, when it has ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.request.options import DEFAULT_DIRECTORY
from echidna_mcp.corpora.layouts import LAYOUTS, Layout, recognised
from echidna_mcp.errors import EchidnaMcpError
from echidna_mcp.wording import counted

if TYPE_CHECKING:
    from pathlib import Path

    from echidna_mcp.cli.request.campaign import Settings


@contextmanager
def written_back(settings: Settings, ended: Sequence[Path]) -> Iterator[None]:
    """Write reproducers and corpora when their campaigns have ended.

    The exit code stays as it is. What can't be written is told: the result is in the
    store, and nothing is lost.

    Args:
        settings: what was asked for; they say where, and in which format.
        ended: directories of the campaigns that have ended, when this does.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise  # Who quits at once does not wait for this either.
    except BaseException:
        # The exit code of the result, mostly.
        _write_all(settings, ended)
        raise
    _write_all(settings, ended)


def _write_all(settings: Settings, ended: Sequence[Path]) -> None:
    home = settings.home or DEFAULT_DIRECTORY
    layouts = _layouts(settings, home)
    for directory in ended if layouts else ():
        try:
            _write(home, layouts, directory, quiet=settings.options.quiet)
        except EchidnaMcpError as error:
            show(printable(f"Warning: {error.message}"), err=True)


def _layouts(settings: Settings, home: Path) -> list[Layout]:
    """Return the formats that are wanted: that asked for, or those that are there."""
    wanted = settings.options.corpus_format
    if wanted is None:
        return [] if settings.home is None else recognised(home)
    return [] if wanted == "native" else [LAYOUTS[wanted]]


def _write(
    home: Path, layouts: Sequence[Layout], directory: Path, *, quiet: bool
) -> None:
    # Imported here, since most campaigns write nothing.
    from echidna_mcp.corpora.directory import extend_corpus  # noqa: PLC0415
    from echidna_mcp.corpora.stored import campaign_sequences  # noqa: PLC0415
    from echidna_mcp.events.store import EventStore, store_path  # noqa: PLC0415
    from echidna_mcp.views.campaign import CampaignViews  # noqa: PLC0415

    with EventStore.read_only(store_path(directory)) as store:
        views = CampaignViews.folded([*store.read()])
    # What was read from there is there.
    sequences, problems = campaign_sequences(views, frozenset(views.corpus.files))
    for layout in layouts:
        written = extend_corpus(home, layout, sequences)
        number = len(written.files)
        told = [f"Corpus: {counted(number, 'new file')} of {layout.title} in {home}."]
        told += [f"Warning: {each.sentence}" for each in (*problems, *written.problems)]
        for text in () if quiet else told:
            show(printable(text), err=True)
