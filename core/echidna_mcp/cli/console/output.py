"""Printing that does not change how a command ends."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import Any, TextIO

import click

from echidna_mcp.numbers import exact


def show(
    text: str, *, err: bool = False, nl: bool = True, colours: bool | None = None
) -> None:
    """Print; silence if nobody reads there any more, or if it is only a message.

    Args:
        text: what is printed.
        err: on standard error; it is only a message then.
        nl: with a line feed after it.
        colours: whether escapes for colours are kept; None keeps them on a terminal.

    Raises:
        OSError: a result can't be written, say because a disk is full.
    """
    try:
        click.echo(text, err=err, nl=nl, color=colours)
    except OSError as error:
        mute(sys.stderr if err else sys.stdout)
        if not err and not isinstance(error, BrokenPipeError):
            raise


def open_streams() -> None:
    """Make the standard streams usable: closed ones go nowhere, every name prints."""
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def mute(stream: TextIO) -> None:
    """Drop what is still buffered for a stream, and all that follows."""
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, stream.fileno())
    os.close(sink)


def json_text(document: Any) -> str:
    """Return a document as it is printed, ASCII only; ends with a line feed."""
    return json.dumps(exact(document), indent=2) + "\n"
