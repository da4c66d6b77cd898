"""What the end of `run` makes of findings: traces, if wanted coloured, and exports."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from echidna_mcp.cli.console.colours import wants_colours
from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.errors import EchidnaMcpError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from echidna_mcp.cli.request.campaign import Request
    from echidna_mcp.traces.model import Trace
    from echidna_mcp.traces.tracer import Tracer
    from echidna_mcp.views.campaign import CampaignViews

TraceWish: TypeAlias = Literal["failures", "all", "none"]


@dataclass(frozen=True, slots=True)
class Tracing:
    """What `--trace` and `--export-foundry` ask for.

    Attributes:
        wish: None where nothing was asked for: failures, if a person reads a text.
        exported: directory for Foundry tests; None if none are to be written.
    """

    wish: TraceWish | None
    exported: Path | None = None

    def export(self, request: Request, views: CampaignViews) -> None:
        """Write the Foundry tests that are wanted, and say where they are."""
        if self.exported is None:
            return
        from echidna_mcp.cli.stored.export import export_findings  # noqa: PLC0415 (slow imports)

        backend = request.plugins.backends[request.options.backend]
        export_findings(views, backend, self.exported)

    def show(self, request: Request, views: CampaignViews) -> None:
        """Print the traces that are wanted below a report that is text."""
        wish = self.wish or ("failures" if sys.stdout.isatty() else "none")
        if wish == "none" or request.options.format == "none":
            return
        from echidna_mcp.cli.display.trace_lines import trace_text  # noqa: PLC0415 (slow imports)

        colours = wants_colours("auto")
        for trace in _traces(request, views):
            text = trace_text(trace, colours=colours, deployment=wish == "all")
            show(text, nl=False, colours=colours)

    def documents(
        self, request: Request, views: CampaignViews
    ) -> list[dict[str, Any]] | None:
        """Return the traces for a report that is JSON; None if none were asked for."""
        if self.wish in (None, "none"):
            return None
        from echidna_mcp.traces.document import trace_document  # noqa: PLC0415 (slow imports)

        return [
            trace_document(each, deployment=self.wish == "all", raw=True)
            for each in _traces(request, views)
        ]


def trace_finder(
    request: Request, views: CampaignViews
) -> Callable[[str], Trace | None]:
    """Return what gives the trace of the reproducer of a test, or None if it can't.

    The target is deployed again at the first question.
    """
    tracer: Tracer | None = None

    def find(name: str) -> Trace | None:
        nonlocal tracer
        try:
            if tracer is None:
                from echidna_mcp.traces import tracer as module  # noqa: PLC0415 (slow imports)

                backend = request.plugins.backends[request.options.backend]
                tracer = module.Tracer(views, backend)
            return tracer.of_test(name)
        except EchidnaMcpError:
            return None  # A report goes without the line then.

    return find


def _traces(request: Request, views: CampaignViews) -> list[Trace]:
    """Return the traces of all findings; say why if there can be none.

    The result is there already, and must not be lost.
    """
    from echidna_mcp.traces.tracer import Tracer, findings  # noqa: PLC0415 (slow imports)

    names = findings(views)
    if not names:
        return []
    try:
        tracer = Tracer(views, request.plugins.backends[request.options.backend])
        return [tracer.of_test(name) for name in names]
    except EchidnaMcpError as error:
        show(f"There are no traces: {printable(error.message)}", err=True)
        return []
