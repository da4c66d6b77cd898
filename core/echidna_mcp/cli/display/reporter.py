"""Reporters: progress while a campaign runs, and the report at its end."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol, TextIO, assert_never

from echidna_mcp.cli.console.output import json_text
from echidna_mcp.cli.display.machines import no_machines
from echidna_mcp.cli.display.plain import PlainReporter
from echidna_mcp.cli.display.report import json_document, text_report

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from echidna_mcp.cli.display.machines import Machines
    from echidna_mcp.config.campaign import OutputFormat
    from echidna_mcp.corpora.earlier import EarlierVerdict
    from echidna_mcp.events.event import Event
    from echidna_mcp.views.campaign import CampaignViews


class Reporter(Protocol):
    """Shows progress. Its methods are called from one thread at a time."""

    def events(self, events: Sequence[Event]) -> None:
        """Report what was committed together; the views have folded it."""
        ...

    def close(self) -> None:
        """Stop showing; calling it again does nothing."""
        ...


class SilentReporter:
    """Shows nothing, so that the final report is all there is."""

    def events(self, events: Sequence[Event]) -> None:
        """Report nothing."""

    def close(self) -> None:
        """Do nothing."""


def make_reporter(
    output_format: OutputFormat | None,
    views: CampaignViews,
    stream: TextIO,
    is_tty: bool,
    machines: Machines = no_machines,
) -> Reporter:
    """Return the reporter for a campaign.

    Args:
        output_format: None is a live display on a terminal, and lines elsewhere; `text`
            and `github` are lines; `json` and `none` show nothing, as in Echidna.
        views: the campaign.
        stream: where progress goes; standard output is for the result.
        is_tty: whether `stream` is a terminal.
        machines: asked what they do, for the live display.
    """
    match output_format:
        case None if is_tty:
            # rich takes a while to import, and most runs are not watched.
            from echidna_mcp.cli.display.live import LiveReporter  # noqa: PLC0415

            return LiveReporter(views, stream, time.monotonic, machines)
        case None | "text" | "github":
            return PlainReporter(views, stream, time.monotonic)
        case "json" | "none":
            return SilentReporter()
        case _:
            assert_never(output_format)


def final_report(
    output_format: OutputFormat | None,
    views: CampaignViews,
    unhonoured: Sequence[str] = (),
    traces: Sequence[Mapping[str, Any]] | None = None,
    *,
    unexercised: Mapping[str, str] | None = None,
    details: Mapping[str, Mapping[str, Any]] | None = None,
    earlier: Sequence[EarlierVerdict] = (),
) -> str:
    """Return the result as it is printed at the end; empty if nothing is.

    Args:
        output_format: which report it is.
        views: the campaign.
        unhonoured: a sentence for each wish that had no effect.
        traces: for JSON, if they are wanted.
        unexercised: what the campaign says of tests that were not exercised; it is
            asked, if None.
        details: for JSON, what it says of tests besides, by name.
        earlier: what became of what had failed before.
    """
    if unexercised is None:
        unexercised = views.not_exercised()
    match output_format:
        case None | "text" | "github":
            return text_report(views, unexercised, unhonoured, earlier)
        case "json":
            return json_text(
                json_document(
                    views,
                    unexercised,
                    unhonoured,
                    traces,
                    details=details,
                    earlier=earlier,
                )
            )
        case "none":
            return ""
        case _:
            assert_never(output_format)
