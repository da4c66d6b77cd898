"""Sealing at the end of a campaign, beside its result.

What seals is imported only when there is something to seal.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.errors import EchidnaMcpError

if TYPE_CHECKING:
    from pathlib import Path

    from echidna_mcp.cli.request.evidence import SealWishes


@contextmanager
def sealed_at_the_end(wishes: SealWishes | None) -> Iterator[list[Path]]:
    """Seal campaigns when their result has been told; the exit code stays as it is.

    Args:
        wishes: what to seal of each; None for nothing.

    Yields:
        A list for the directories of the campaigns that have ended.
    """
    places: list[Path] = []
    try:
        yield places
    except KeyboardInterrupt:
        raise  # Who quits at once waits for no sealing either.
    except BaseException:
        # The exit code of the result, mostly. What has ended is sealed all the same.
        _seal_all(places, wishes)
        raise
    _seal_all(places, wishes)


def _seal_all(places: list[Path], wishes: SealWishes | None) -> None:
    if wishes is None or not places:
        return
    place = places[0]
    try:
        from echidna_mcp.cli.commands.evidence import seal  # noqa: PLC0415 (slow import)

        for place in places:
            try:
                seal(place, wishes, err=True)
            except EchidnaMcpError as error:
                _warn(f"not all is sealed or certified: {error.message}")
    except KeyboardInterrupt:
        again = wishes.command(place)
        _warn(f"not all is sealed or certified: interrupted; `{again}` goes on.")


def _warn(text: str) -> None:
    # What it quotes may come from a project that somebody else has made.
    lines = map(printable, f"Warning: {text}".split("\n"))
    show("\n".join(lines), err=True)
