"""`echidna-mcp show`: traces of what a campaign has stored."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from echidna_mcp.campaign.verification import verify_campaign
from echidna_mcp.cli.commands.tracing import ColourWish, wants_colours
from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.display.trace_lines import trace_text
from echidna_mcp.cli.request.place import newest_campaign
from echidna_mcp.errors import UsageError
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.numbers import exact
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import pick_backend
from echidna_mcp.traces.document import trace_document
from echidna_mcp.traces.model import Trace
from echidna_mcp.traces.tracer import Tracer, findings
from echidna_mcp.views.campaign import CampaignViews
from echidna_mcp.wording import closest, counted, did_you_mean

_CORPUS: Final = "corpus"


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
    if not directory.is_dir():
        raise UsageError(f"There is no directory {directory}; name one of a campaign.")
    place = newest_campaign(directory)
    path = store_path(place)
    verify_campaign(path, other_log=True)
    with EventStore.read_only(path) as store:
        events = [*store.read()]
    views = CampaignViews.folded(events)
    wanted = _wanted(what, views, place)
    if not wanted and not as_json:
        show(
            f"No test of {place} is falsified. To see a sequence of its corpus, which "
            f"has {counted(len(views.corpus), 'sequence')}, add: corpus 0."
        )
        return
    backends = PluginManager.load(plugins).backends
    name = events[0].payload["backend"]
    traces = _traces(wanted, Tracer(views, pick_backend(backends, name)))
    if as_json:
        document = {
            "contract": views.target.program.main,
            "campaign": str(place),
            "traces": [trace_document(each, deployment=deployment) for each in traces],
        }
        show(json.dumps(exact(document), indent=2))
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


def _wanted(
    what: Sequence[str], views: CampaignViews, place: Path
) -> Sequence[str | int]:
    """Return the names of tests, or the number of a sequence of the corpus.

    Raises:
        UsageError: there is no such test or sequence.
    """
    if not what:
        return findings(views)
    if what[0] == _CORPUS and len(what) == 2:
        return [_entry(what[1], len(views.corpus), place)]
    if what[0] == _CORPUS or len(what) > 1:
        raise UsageError(
            "After the directory comes the name of one test, or corpus and the number "
            "of a sequence, as in: show DIR corpus 3."
        )
    return [_test(what[0], views, place)]


def _entry(text: str, entries: int, place: Path) -> int:
    if not text.isdecimal() or int(text) >= entries:
        known = f"0 to {entries - 1}" if entries else "none"
        raise UsageError(
            f"corpus {printable(text)} is no sequence of {place}, which has {known}."
        )
    return int(text)


def _test(name: str, views: CampaignViews, place: Path) -> str:
    """Return the whole name of a test with a reproducer; types may be left out."""
    known = views.properties.records
    meant = [each for each in known if name in (each, each.partition("(")[0])]
    if len(meant) != 1:
        several = f"there are several: {', '.join(meant)}."
        none = f"it has {', '.join(known) or 'none'}."
        hint = several if meant else did_you_mean(closest(name, known), none)
        raise UsageError(f"{printable(name)} is no test of {place}; {hint}")
    record = known[meant[0]]
    if record.calls is None and record.dispute is None:
        raise UsageError(
            f"{printable(meant[0])} is not falsified, so there is no sequence to show; "
            "a sequence of the corpus is shown with: corpus 0."
        )
    return meant[0]
