"""`echidna://campaign/findings`: what was found, why, and a test that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from echidna_mcp.catalogue.resource import NO_VARIABLES, Resource, Variables
from echidna_mcp.catalogue.uri_template import UriTemplate
from echidna_mcp.errors import EchidnaMcpError, ResourceNotFoundError
from echidna_mcp.reports.call_texts import told
from echidna_mcp.reports.confirmations import confirmation_of
from echidna_mcp.reports.findings import finding_of
from echidna_mcp.reports.sequence_texts import sequence_texts
from echidna_mcp.tools.display import clean, shown
from echidna_mcp.tools.size import ANSWER_BYTES, fitting, json_size
from echidna_mcp_plugins.resources.answer import JSON, ROOT, as_json, number

if TYPE_CHECKING:
    from echidna_mcp.events.event import Event
    from echidna_mcp.tools.tool import ToolContext
    from echidna_mcp.views.campaign import CampaignViews
    from echidna_mcp.views.properties import PropertyRecord

FINDINGS: Final = f"{ROOT}/findings"
FINDING: Final = f"{FINDINGS}/{{finding}}"
FOUNDRY: Final = f"{FINDING}/foundry"
CORPUS_TRACE: Final = f"{ROOT}/corpus/{{index}}/trace"

EXECUTION_SECONDS: Final = 15.0
"""How long a sequence may be executed while a reader waits; the first one waits for the
import of the reference EVM and the deployment as well."""

_ROOM_OF_SEQUENCE: Final = 8_000
_ROOM_OF_CONFIRMATION: Final = 4_000
_ABOUT_A_FINDING: Final = frozenset(
    {
        *("PropertyFalsified", "ReproducerShrunk", "ReproducerConfirmed"),
        *("FalsificationDisputed", "ValueRaised"),
    }
)


def finding_resources() -> Sequence[Resource]:
    """Return them."""
    return (
        Resource(
            name="findings",
            uri=FINDINGS,
            title="Findings",
            description="What was found: of each finding its lasting id, verdict, "
            "title, source line and number of calls. Falsified tests come first, then "
            "disputed ones, then values that were maximized.",
            mime_type=JSON,
            read=_read_findings,
            touched=_touched_list,
        ),
        Resource(
            name="finding",
            uri=FINDING,
            title="Finding",
            description="One finding, by its id: verdict, title, the shortest call "
            "sequence known, what the reference EVM did with it when it was found, its "
            "trace as a tree of calls, and a Foundry test that reproduces it.",
            mime_type=JSON,
            read=_read_finding,
            touched_in=_touched,
            values={"finding": _ids},
            listed=lambda context: [{"finding": each} for each in _ids(context)],
            seconds=EXECUTION_SECONDS,
        ),
        Resource(
            name="finding-foundry",
            uri=FOUNDRY,
            title="Foundry test of a finding",
            description="A finding as a Foundry test that stands alone, as "
            "`echidna-mcp export` writes it: it passes if that happens again.",
            mime_type="text/plain",
            read=_read_foundry,
            touched_in=_touched,
            values={"finding": _ids},
            seconds=EXECUTION_SECONDS,
        ),
        Resource(
            name="corpus-trace",
            uri=CORPUS_TRACE,
            title="Trace of a corpus sequence",
            description="What a call sequence of the corpus does, by its number from "
            "0: a tree of calls, with the reasons of those that fail.",
            mime_type=JSON,
            read=_read_corpus_trace,
            values={"index": _numbers},
            seconds=EXECUTION_SECONDS,
        ),
    )


def title_of(record: PropertyRecord) -> str:
    """Return a finding in a line: the statement that failed, and what it said."""
    site = record.site
    message = site["message"] if site is not None else record.reason
    if site is not None and site["text"]:
        return f"{site['text']} — {message}"
    return f"{record.test}: {message}" if message else record.test


def ranked(views: CampaignViews) -> list[PropertyRecord]:
    """Return what was found: falsified tests, disputed ones, then maximized values."""
    properties = views.properties
    return [*properties.falsified, *properties.disputed, *properties.raised]


def _verdict(record: PropertyRecord) -> str:
    if record.maximizes:
        return "maximized"
    return "failed" if record.calls is not None else "disputed"


def _summary(views: CampaignViews, record: PropertyRecord) -> dict[str, Any]:
    site = record.site
    found = finding_of(views, record)
    is_final = record.is_shrunk if record.maximizes else record.state.value == "solved"
    return {
        "id": found,
        "name": record.name,
        "test": record.test,
        "verdict": _verdict(record),
        "shrinking": record.calls is not None and not is_final,
        "title": clean(title_of(record)),
        "reason": clean(record.reason) or None,
        "value": None if record.value is None else str(record.value),
        "path": site["source"] if site is not None and site["line"] else None,
        "line": site["line"] if site is not None and site["line"] else None,
        "length": len(record.sequence),
        "uri": UriTemplate(FINDING).expand({"finding": found}),
    }


def _confirmation(views: CampaignViews, record: PropertyRecord) -> Any:
    """Return what the reference said of a reproducer, as far as there is room."""
    told = confirmation_of(views, record)
    if told is None:
        return None
    texts = {name: clean(told[name]) for name in ("text", "reason")}
    calls = fitting(map(_cleaned, told["calls"]), _ROOM_OF_CONFIRMATION)
    return {**told, **texts, "calls": calls}


def _cleaned(call: Mapping[str, Any]) -> dict[str, Any]:
    reason = {"reason": clean(call["reason"])} if "reason" in call else {}
    return {**call, **reason}


async def _read_findings(_values: Variables, context: ToolContext) -> str:
    views = context.views
    found = ranked(views)
    return as_json(
        {
            "round": views.progress.round,
            "total": len(found),
            "findings": fitting(_summary(views, record) for record in found),
        }
    )


async def _read_finding(values: Variables, context: ToolContext) -> str:
    views = context.views
    record = _found(values["finding"], context)
    summary = _summary(views, record)
    calls = record.sequence
    texts = [context.texts.text(call) for call in calls]
    lines = sequence_texts(views.target, texts, calls)
    document: dict[str, Any] = {
        **summary,
        "contract": views.target.program.main,
        "falsifiedAtRound": record.falsified_at,
        "confirmation": _confirmation(views, record),
        "calls": fitting(
            (
                {**told(text, call), "line": line}
                for text, call, line in zip(texts, calls, lines, strict=True)
            ),
            _ROOM_OF_SEQUENCE,
        ),
        "trace": None,
        "foundry": None,
        "remarks": [],
    }
    try:
        retold = await context.retelling.retold(record.name)
    except EchidnaMcpError as error:
        # What was found must be readable in any case.
        document["remarks"].append(f"There is no trace: {error.message}")
        return as_json(document)
    document["trace"] = retold.trace
    if retold.foundry is None:
        document["remarks"].append(f"There is no Foundry test: {retold.obstacle}")
        return as_json(document)
    test = {"file": retold.foundry.name, "text": retold.foundry.text}
    if json_size(document) + json_size(test) <= ANSWER_BYTES:
        document["foundry"] = test
    else:
        uri = UriTemplate(FOUNDRY).expand(values)
        document["remarks"].append(f"The Foundry test has an answer of its own: {uri}.")
    return as_json(document)


async def _read_foundry(values: Variables, context: ToolContext) -> str:
    record = _found(values["finding"], context)
    retold = await context.retelling.retold(record.name)
    if retold.foundry is None:
        raise ResourceNotFoundError(
            f"There is no Foundry test of {shown(record.name)}: {retold.obstacle}"
        )
    return retold.foundry.text


async def _read_corpus_trace(values: Variables, context: ToolContext) -> str:
    corpus = context.views.corpus
    index = number(values["index"], len(corpus), "corpus sequence")
    retold = await context.retelling.retold(index)
    return as_json(retold.trace)


def _found(wanted: str, context: ToolContext) -> PropertyRecord:
    """Return a finding by its id, or by the name of its test.

    Raises:
        ResourceNotFoundError: there is none.
    """
    views = context.views
    for record in ranked(views):
        if wanted in (finding_of(views, record), record.name):
            return record
    raise ResourceNotFoundError(
        f"There is no finding {shown(wanted)}; {FINDINGS} lists them.",
        finding=clean(wanted),
    )


def _touched_list(event: Event) -> Iterable[Variables]:
    return (NO_VARIABLES,) if event.type in _ABOUT_A_FINDING else ()


def _touched(event: Event, context: ToolContext) -> Iterable[Variables]:
    if event.type in _ABOUT_A_FINDING:
        views = context.views
        record = views.properties.records[event.payload["property"]]
        yield {"finding": finding_of(views, record)}


def _ids(context: ToolContext) -> Iterable[str]:
    views = context.views
    return [finding_of(views, record) for record in ranked(views)]


def _numbers(context: ToolContext) -> Iterable[str]:
    """Return numbers, the newest first."""
    return map(str, reversed(range(len(context.views.corpus))))
