"""The result of Foundry's tests, for people and for programs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from echidna_mcp.cli.console.output import json_text
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.display.event_lines import dispute_sentence, stop_sentence
from echidna_mcp.cli.display.report import VERSION, earlier_lines, json_document
from echidna_mcp.cli.display.sequence import sequence_lines
from echidna_mcp.errors import SetUpSkippedError
from echidna_mcp.program.foundry_tests import foundry_tests
from echidna_mcp.reports.foundry_verdicts import (
    FoundryVerdict,
    Status,
    foundry_verdicts,
    handler_failures,
)
from echidna_mcp.reports.function_statistics import function_statistics
from echidna_mcp.reports.missing import closing_line
from echidna_mcp.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from echidna_mcp.config.campaign import CampaignConfig
    from echidna_mcp.corpora.earlier import EarlierVerdict
    from echidna_mcp.errors import EchidnaMcpError
    from echidna_mcp.program.model import Program
    from echidna_mcp.views.campaign import CampaignViews
    from echidna_mcp.views.properties import PropertyRecord

_STATUSES: Final = ("passed", "failed", "skipped", "not exercised", "disputed")


@dataclass(frozen=True, slots=True)
class _Campaign:
    """One campaign that has run, or what could not be set up."""

    verdicts: tuple[FoundryVerdict, ...]
    views: CampaignViews | None = None
    directory: Path | None = None
    unexercised: Mapping[str, str] = field(default_factory=dict)
    unhonoured: tuple[str, ...] = ()
    traces: Sequence[Mapping[str, Any]] | None = None
    details: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    earlier: Sequence[EarlierVerdict] = ()


class SuiteReport:
    """Collects the campaigns of a suite.

    Args:
        unhonoured: a sentence for each wish of the configuration that had no effect.
    """

    def __init__(self, unhonoured: Sequence[str]) -> None:
        self._unhonoured = tuple(unhonoured)
        self._campaigns: list[_Campaign] = []

    def add(
        self,
        views: CampaignViews,
        directory: Path,
        unhonoured: Sequence[str],
        traces: Sequence[Mapping[str, Any]] | None = None,
        earlier: Sequence[EarlierVerdict] = (),
    ) -> tuple[FoundryVerdict, ...]:
        """Add a campaign that has ended; return what is said of its tests.

        Args:
            views: its fold.
            directory: where it lies.
            unhonoured: wishes that had no effect on it.
            traces: of its findings, for JSON; None leaves them out.
            earlier: what became of what had failed before.
        """
        own = [each for each in unhonoured if each not in self._unhonoured]
        unexercised = views.not_exercised()
        verdicts = tuple(foundry_verdicts(views, unexercised))
        self._campaigns.append(
            _Campaign(
                verdicts=verdicts,
                views=views,
                directory=directory,
                unexercised=unexercised,
                unhonoured=tuple(own),
                traces=traces,
                earlier=earlier,
            )
        )
        return verdicts

    def describe(self, details: Mapping[str, Mapping[str, Any]]) -> None:
        """Add what JSON says of the tests of the campaign that was added last."""
        self._campaigns[-1] = replace(self._campaigns[-1], details=details)

    def closing_line(self) -> str:
        """Return what was missed, in one line (`reports.missing`)."""
        ended = [each.views for each in self._campaigns if each.views is not None]
        unexercised = {
            f"{verdict.contract.rpartition(':')[2]}.{verdict.test}": verdict.reason
            for campaign in self._campaigns
            for verdict in campaign.verdicts
            if verdict.status == "not exercised"
        }
        return closing_line(ended, unexercised)

    def add_broken(
        self, program: Program, error: EchidnaMcpError
    ) -> tuple[FoundryVerdict, ...]:
        """Add a contract that can't be set up: one failure for all, as in forge."""
        skipped = isinstance(error, SetUpSkippedError)
        verdict = FoundryVerdict(
            contract=program.main,
            test="setUp()",
            kind="unit",
            status="skipped" if skipped else "failed",
            reason=error.message,
        )
        self._campaigns.append(_Campaign((verdict,)))
        return (verdict,)

    def add_failed(
        self, program: Program, config: CampaignConfig, error: EchidnaMcpError
    ) -> tuple[FoundryVerdict, ...]:
        """Add the tests of a campaign that fail before they begin; return them.

        Args:
            program: the contract is its main one.
            config: which of its tests the campaign has.
            error: says why.
        """
        return self._add_without_run(program, config, "failed", error.message)

    def add_unrun(
        self, program: Program, config: CampaignConfig
    ) -> tuple[FoundryVerdict, ...]:
        """Add the tests of a campaign that the suite has not come to; return them."""
        reason = "it was not run: the suite was stopped before"
        return self._add_without_run(program, config, "not exercised", reason)

    def _add_without_run(
        self, program: Program, config: CampaignConfig, status: Status, reason: str
    ) -> tuple[FoundryVerdict, ...]:
        invariants = config.checks("invariant")
        verdicts = tuple(
            FoundryVerdict(
                contract=program.main,
                test=function.signature,
                kind=kind,
                status=status,
                reason=reason,
            )
            for function, kind in foundry_tests(program.main_contract)
            if (kind == "invariant") is invariants
            and (not config.tests or function.signature in config.tests)
        )
        self._campaigns.append(_Campaign(verdicts))
        return verdicts

    def named(self, status: str) -> list[str]:
        """Return the tests of a status, as `Contract.test`."""
        return [
            f"{verdict.contract.rpartition(':')[2]}.{verdict.test}"
            for campaign in self._campaigns
            for verdict in campaign.verdicts
            if verdict.status == status
        ]

    def last_text(self) -> str:
        """Return what is said of the campaign that was added last."""
        return "".join(f"{line}\n" for line in _lines(self._campaigns[-1]))

    def summary(self) -> str:
        """Return what is said of all of them at the end."""
        contracts = {v.contract for c in self._campaigns for v in c.verdicts}
        count = Counter(v.status for c in self._campaigns for v in c.verdicts)
        parts = [f"{count[each]} {each}" for each in _STATUSES if count[each]]
        where = counted(len(contracts), "contract")
        lines = [f"Tests: {', '.join(parts) or 'none'}, of {where}"]
        lines += [f"Not honoured: {printable(each)}" for each in self._unhonoured]
        return "".join(f"{line}\n" for line in lines)

    def json(self) -> str:
        """Return one JSON document, ASCII only; ends with a line feed.

        `tests` has all of them, `campaigns` the report of each campaign as `run` gives
        it for one, with its `directory`.
        """
        document = {
            "version": VERSION,
            "tests": [
                {**_test(verdict), **campaign.details.get(verdict.test, {})}
                for campaign in self._campaigns
                for verdict in campaign.verdicts
            ],
            "campaigns": [
                {
                    **json_document(
                        campaign.views,
                        campaign.unexercised,
                        campaign.unhonoured,
                        campaign.traces,
                        details=campaign.details,
                        earlier=campaign.earlier,
                    ),
                    "testMode": campaign.views.target.config.test_mode,
                    "directory": str(campaign.directory),
                }
                for campaign in self._campaigns
                if campaign.views is not None
            ],
            "notHonoured": list(self._unhonoured),
        }
        return json_text(document)


def _test(verdict: FoundryVerdict) -> dict[str, Any]:
    return {
        "contract": verdict.contract,
        "name": verdict.test,
        "kind": verdict.kind,
        "status": verdict.status,
        "reason": verdict.reason or None,
        "calls": verdict.calls,
    }


def _lines(campaign: _Campaign) -> Iterator[str]:
    yield printable(campaign.verdicts[0].contract)
    for verdict in campaign.verdicts:
        yield from _verdict_lines(verdict, campaign.views)
    views = campaign.views
    if views is not None:
        for record in handler_failures(views):
            yield f"  {printable(record.name)}: failed!"
            yield from _reproducer_lines(record, views)
        yield from (f"  {line}" for line in earlier_lines(campaign.earlier))
        if views.target.config.checks("invariant"):
            yield from _table(views)
        yield (
            f"  Seed: {views.target.config.seed}, calls: {views.progress.calls}, state "
            f"digest: {views.progress.state_digest}"
        )
        if views.progress.stopped is not None:
            yield f"  {stop_sentence(views.progress.stopped)}"
    yield from (f"  Not honoured: {printable(each)}" for each in campaign.unhonoured)
    if campaign.directory is not None:
        yield f"  Campaign: {printable(str(campaign.directory))}"
    yield ""


def _verdict_lines(
    verdict: FoundryVerdict, views: CampaignViews | None
) -> Iterator[str]:
    name, reason = printable(verdict.test), printable(verdict.reason)
    record = verdict.record
    match verdict.status:
        case "passed":
            what = "calls" if verdict.kind == "invariant" else "runs"
            runs = "" if verdict.kind == "unit" else f" ({what}: {verdict.calls})"
            yield f"  {name}: {reason or 'passed'}{runs}"
            if reason and record is not None and views:
                yield from _sequence_lines(record, views)
        case "failed" if record is not None and record.calls is not None and views:
            yield f"  {name}: failed!"
            yield from _reproducer_lines(record, views)
        case "disputed" if record is not None and record.dispute is not None:
            yield f"  {name}: disputed!"
            yield f"    {printable(dispute_sentence(record.dispute))}"
        case status:
            yield f"  {name}: {status}!"
            if reason:
                yield f"    Reason: {reason}"


def _reproducer_lines(record: PropertyRecord, views: CampaignViews) -> Iterator[str]:
    yield f"    Reason: {printable(record.reason)}"
    yield from _sequence_lines(record, views)


def _sequence_lines(record: PropertyRecord, views: CampaignViews) -> Iterator[str]:
    if record.calls:
        yield "    Call sequence:"
        for line in sequence_lines(views.target, record.counterexample, record.calls):
            yield f"      {line}"


def _table(views: CampaignViews) -> Iterator[str]:
    """Yield a table of functions; as forge's, with what `show_metrics` shows."""
    rows = [
        (printable(each.function), each.calls, each.reverts, each.discards)
        for each in function_statistics(views)
        if each.calls
    ]
    width = max((len(name) for name, *_ in rows), default=0)
    if rows:
        yield f"  {'Function':{width}}  {'Calls':>9}  {'Reverts':>9}  {'Discards':>9}"
    for name, calls, reverts, discards in rows:
        yield f"  {name:{width}}  {calls:9}  {reverts:9}  {discards:9}"
