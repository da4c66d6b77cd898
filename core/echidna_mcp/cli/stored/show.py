"""`echidna-mcp show`: traces of what a campaign has stored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from echidna_mcp.cli.console.colours import ColourWish, wants_colours
from echidna_mcp.cli.console.output import json_text, show
from echidna_mcp.cli.display.trace_lines import trace_text
from echidna_mcp.cli.stored.campaign import StoredCampaign
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import pick_backend
from echidna_mcp.traces.document import trace_document
from echidna_mcp.traces.model import Trace
from echidna_mcp.traces.tracer import Tracer
from echidna_mcp.wording import counted


def show_traces(
    directory: Path,
    what: Sequence[str],
    plugins: str,
    *,
    as_json: bool,
    colours: ColourWish,
    deployment: bool,
) -> None:
    """Run the command.

    Args:
        directory: of a campaign, or of campaigns, of which the newest is taken.
        what: name of a test, or `corpus` and the number of a sequence; empty for every
            test that is falsified or disputed.
        plugins: as in `--plugins`.
        as_json: print one JSON document.
        colours: whether text has colours.
        deployment: tell also what was deployed.

    Raises:
        UsageError: there is no such campaign, test or sequence.
        StoreError: the campaign can't be read, or was changed by another program.
    """
    campaign = StoredCampaign.read(directory)
    views, place = campaign.views, campaign.place
    wanted = campaign.wanted(what, "show")
    if not wanted and not as_json:
        show(
            f"No test of {place} is falsified. To see a sequence of its corpus, which "
            f"has {counted(len(views.corpus), 'sequence')}, add: corpus 0."
        )
        return
    backends = PluginManager.load(plugins).backends
    backend = pick_backend(backends, campaign.backend)
    traces = _traces(wanted, Tracer(views, backend))
    print_traces(
        campaign, traces, as_json=as_json, colours=colours, deployment=deployment
    )


def print_traces(
    campaign: StoredCampaign,
    traces: Sequence[Trace],
    *,
    as_json: bool,
    colours: ColourWish,
    deployment: bool,
) -> None:
    """Print traces of a campaign, as the options say that `show_traces` has."""
    if as_json:
        document = {
            "contract": campaign.views.target.program.main,
            "campaign": str(campaign.place),
            "traces": [
                trace_document(each, deployment=deployment, raw=True) for each in traces
            ],
        }
        show(json_text(document), nl=False)
        return
    coloured = wants_colours(colours)
    for trace in traces:
        text = trace_text(trace, colours=coloured, deployment=deployment)
        show(text, nl=False, colours=coloured)


def _traces(wanted: Sequence[str | int], tracer: Tracer) -> list[Trace]:
    return [
        tracer.of_corpus(each) if isinstance(each, int) else tracer.of_test(each)
        for each in wanted
    ]
