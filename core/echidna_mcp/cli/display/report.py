"""The result of a campaign, for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.display.event_lines import dispute_sentence, stop_sentence
from echidna_mcp.cli.display.sequence import sequence_lines
from echidna_mcp.reports.confirmations import confirmation_of
from echidna_mcp.reports.coverage_reports import CoverageReports
from echidna_mcp.reports.diagnosis import IdleFunction, idle_functions
from echidna_mcp.reports.function_statistics import function_statistics
from echidna_mcp.reports.missing import missing_lines, ranges
from echidna_mcp.views.properties import PropertyRecord

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from echidna_mcp.corpora.earlier import EarlierVerdict
    from echidna_mcp.events import payloads
    from echidna_mcp.views.campaign import CampaignViews


FAILED: Final = "failed!💥  "
"""What Echidna prints behind the name of a test that is falsified, blanks included."""

VERSION: Final = 1
"""Of the JSON report; a change that breaks readers makes it greater."""


def text_report(
    views: CampaignViews,
    unexercised: Mapping[str, str],
    unhonoured: Sequence[str] = (),
    earlier: Sequence[EarlierVerdict] = (),
) -> str:
    """Return the report as Echidna lays it out; ends with a line feed.

    Args:
        views: the fold of the campaign.
        unexercised: what it says of tests that were not exercised.
        unhonoured: a sentence for each wish that had no effect.
        earlier: what became of what had failed before.
    """
    lines = [
        *_lines(views, unexercised, earlier),
        *(f"Not honoured: {printable(x)}" for x in unhonoured),
    ]
    return "".join(f"{line}\n" for line in lines)


def earlier_lines(earlier: Sequence[EarlierVerdict]) -> Iterator[str]:
    """Yield a line for each of what had failed before: whether it still does."""
    for each in earlier:
        yield f"Failed before: {printable(each.subject)}: {printable(each.text)}"


def _lines(
    views: CampaignViews,
    unexercised: Mapping[str, str],
    earlier: Sequence[EarlierVerdict],
) -> Iterator[str]:
    config, progress = views.target.config, views.progress
    for record in views.properties.records.values():
        yield from _test_lines(record, views, unexercised.get(record.name))
    if views.properties.records:
        yield ""
    yield from earlier_lines(earlier)
    for idle in _failing(views, unexercised):
        yield f"Never succeeded: {printable(idle.text)}"
    report = CoverageReports(views.target).report(views.coverage)
    covered = sum(len(contract.covered_lines) for contract in report.contracts)
    lines = sum(len(contract.lines) for contract in report.contracts)
    yield f"Unique instructions: {views.coverage.points}"
    yield f"Unique codehashes: {views.coverage.codes}"
    if lines:
        yield f"Covered lines: {covered} of {lines} ({report.line_percent}%)"
    corpus = views.corpus
    yield f"Corpus size: {len(corpus)}"
    yield f"Corpus transactions: {corpus.transactions}"
    yield f"Seed: {config.seed}"
    yield f"Total calls: {progress.calls}"
    yield f"Total gas: {progress.gas}"
    yield f"Rounds: {progress.round}"
    yield f"State digest: {progress.state_digest}"
    if progress.stopped is not None:
        yield stop_sentence(progress.stopped)


def _test_lines(
    record: PropertyRecord, views: CampaignViews, unexercised: str | None
) -> Iterator[str]:
    name = printable(record.name)
    if record.calls is None or unexercised is not None:
        if unexercised is not None:
            yield f"{name}: not exercised!"
            yield f"  Reason: {printable(unexercised)}"
            yield ""
            return
        if record.dispute is None:
            yield f"{name}: passing"
            return
        yield f"{name}: disputed!"
        yield f"  {dispute_sentence(record.dispute)}"
        yield "  Call sequence:"
        dispute = record.dispute
        lines = sequence_lines(
            views.target, dispute["counterexample"], dispute["calls"]
        )
        yield from (f"    {line}" for line in lines)
        yield ""
        return
    shrinking = ""
    limit = views.target.config.shrink_limit
    if not record.is_shrunk:
        shrinking = f", shrinking {record.attempts}/{limit}"
    elif record.attempts >= limit:
        shrinking = ", as far as shrinkLimit let it be shrunk"
    if record.value is not None:
        yield f"{name}: max value: {record.value}"
        yield ""
    else:
        yield f"{name}: {FAILED}"
        yield f"  Reason: {printable(record.reason)}"
        yield from _site_lines(record)
    yield f"  Call sequence{shrinking}:"
    for line in sequence_lines(views.target, record.counterexample, record.calls):
        yield f"    {line}"
    yield ""


def _site_lines(record: PropertyRecord) -> Iterator[str]:
    """Yield where a test fails, and what it says there, as far as that is known."""
    site = record.site
    if site is None:
        return
    if site["line"]:
        text = printable(site["text"])
        yield f"  At: {printable(site['source'])}:{site['line']}: {text}"
    if site["message"] != record.reason:
        yield f"  Message: {printable(site['message'])}"


def _failing(views: CampaignViews, told: Container[str]) -> Iterator[IdleFunction]:
    """Yield the functions that only failed, but for those whose own test says so."""
    for idle in idle_functions(views):
        if idle.calls and idle.function not in told and views.exercise.known:
            yield idle


def json_document(
    views: CampaignViews,
    unexercised: Mapping[str, str],
    unhonoured: Sequence[str] = (),
    traces: Sequence[Mapping[str, Any]] | None = None,
    *,
    details: Mapping[str, Mapping[str, Any]] | None = None,
    earlier: Sequence[EarlierVerdict] = (),
) -> dict[str, Any]:
    """Return the result of a campaign as JSON values; `report.schema.json` has all.

    Args:
        views: the fold of the campaign.
        unexercised: what it says of tests that were not exercised.
        unhonoured: a sentence for each wish that had no effect.
        traces: those of its findings; None leaves them out.
        details: what is said of tests besides, by name.
        earlier: what became of what had failed before; none leaves it out.

    A test is `falsified`, `passing` when the campaign has ended without that, `open`
    before; `not exercised` if its premise never held, and `reason` says why; `disputed`
    if a sequence falsifies it on the EVM that searches, but none on the reference;
    `maximized`, with its `value` as decimal text, if it is an optimization test. An
    assertion test that fails at several sites is listed once for
    each, and `site` says where. It
    is `shrunk` if nothing can be left out of its sequence or be made simpler;
    `confirmation` has what the reference EVM did with that sequence.
    `reason` of the whole says why the campaign ended, null if it has not;
    `neverSucceeded` has the functions of which every call failed, but for those whose
    own test says so; `notHonoured` a sentence for each wish that had no effect.
    """
    config, progress = views.target.config, views.progress
    report = CoverageReports(views.target).report(views.coverage)
    missing, _ = missing_lines([views])
    return {
        "version": VERSION,
        "contract": views.target.program.main,
        "seed": config.seed,
        "tests": [
            {
                **_test(record, views, unexercised.get(record.name)),
                **(details or {}).get(record.name, {}),
            }
            for record in views.properties.records.values()
        ],
        "coverage": {
            "points": views.coverage.points,
            "codes": views.coverage.codes,
            "lineCoverage": report.line_percent,
            "contracts": [
                {
                    "name": contract.qualified_name,
                    "lineCoverage": contract.line_percent,
                    "branchCoverage": contract.branch_percent,
                }
                for contract in report.contracts
            ],
            "missing": [
                {"path": path, "lines": [list(each) for each in ranges(lines)]}
                for path, lines in missing.items()
            ],
        },
        "functions": [each.to_json() for each in function_statistics(views)],
        "corpus": {
            "sequences": len(views.corpus),
            "transactions": views.corpus.transactions,
            **({"remarks": list(remarks)} if (remarks := views.corpus.remarks) else {}),
        },
        "calls": progress.calls,
        "gas": progress.gas,
        "rounds": progress.round,
        "stateDigest": progress.state_digest,
        "reason": progress.stopped,
        "neverSucceeded": [
            {"function": idle.function, "calls": idle.calls, "reason": idle.reason}
            for idle in _failing(views, unexercised)
        ],
        "notHonoured": list(unhonoured),
        **({"failedBefore": [x.to_json() for x in earlier]} if earlier else {}),
        **({} if traces is None else {"traces": list(traces)}),
    }


def _is_minimal(record: PropertyRecord, views: CampaignViews) -> bool:
    """Whether shrinking came to its end, and not to its limit."""
    return record.is_shrunk and record.attempts < views.target.config.shrink_limit


def _test(
    record: PropertyRecord, views: CampaignViews, unexercised: str | None
) -> dict[str, Any]:
    if record.calls is not None and unexercised is None:
        raised = record.value is not None
        confirmation = confirmation_of(views, record)
        return {
            "name": record.name,
            "status": "maximized" if raised else "falsified",
            "reason": record.reason,
            **({"value": str(record.value)} if raised else {}),
            **({} if record.site is None else {"site": _site(record.site)}),
            "shrunk": _is_minimal(record, views),
            **({} if confirmation is None else {"confirmation": confirmation}),
            "transactions": _transactions(record.counterexample, record.calls),
        }
    if record.dispute is not None:
        dispute = record.dispute
        return {
            "name": record.name,
            "status": "disputed",
            "reason": dispute_sentence(dispute),
            "shrunk": False,
            "transactions": _transactions(dispute["counterexample"], dispute["calls"]),
        }
    status = "open" if views.progress.stopped is None else "passing"
    return {
        "name": record.name,
        "status": status if unexercised is None else "not exercised",
        "reason": unexercised,
        "shrunk": False,
        "transactions": None,
    }


def _site(site: payloads.Site) -> dict[str, Any]:
    return {name: value for name, value in site.items() if name != "key"}


def _transactions(
    texts: Sequence[str], calls: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    return [
        {
            "function": call["function"],
            "call": text,
            "sender": call["sender"],
            "value": call["value"],
            "timeDelay": call["timeDelay"],
            "blockDelay": call["blockDelay"],
            **({"override": call["override"]} if "override" in call else {}),
        }
        for text, call in zip(texts, calls, strict=True)
    ]
