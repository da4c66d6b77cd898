"""What became of each test, in the form that all reports for machines share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from echidna_mcp.cli.display.event_lines import dispute_sentence
from echidna_mcp.cli.display.sequence import sequence_lines
from echidna_mcp.program.source_lines import SourceLines
from echidna_mcp.reports.findings import finding_of
from echidna_mcp.reports.foundry_verdicts import FoundryVerdict, handler_failures
from echidna_mcp.rounds.failures import sites

if TYPE_CHECKING:
    from echidna_mcp.program.model import Contract, Program
    from echidna_mcp.traces.model import Trace
    from echidna_mcp.views.campaign import CampaignViews

Status: TypeAlias = Literal[
    "failed", "disputed", "not exercised", "passed", "open", "skipped"
]
TraceOf: TypeAlias = "Callable[[str], Trace | None]"
"""Returns the trace of the reproducer of a test, or None if there can be none."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a source: its path as the compiler knows it, and a number from 1."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Step:
    """A call of a reproducer as text, and where its function stands."""

    text: str
    place: Place | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """One test.

    Attributes:
        id: what a finding of this test is known by.
        contract: `path:Name`.
        name: of the test; of a function its signature.
        kind: as in `program.target.TestCase`, or of Foundry's tests.
        reason: why it is not passed; empty if it is.
        steps: of its reproducer.
        place: where it failed, or else where the test stands; None without sources.
        calls: how many the campaign has made for it; of a campaign that is no suite,
            all of them.
    """

    id: str
    contract: str
    name: str
    kind: str
    status: Status
    reason: str = ""
    steps: tuple[Step, ...] = ()
    place: Place | None = None
    calls: int = 0

    @property
    def title(self) -> str:
        """`Contract.test`."""
        return f"{self.contract.rpartition(':')[2]}.{self.name}"


def finding_id(contract: str, test: str) -> str:
    """Return the id of the only finding of a test of `path:Name`."""
    return sites.finding_id(contract.rpartition(":")[2], test)


def campaign_results(
    views: CampaignViews, unexercised: Mapping[str, str], trace_of: TraceOf
) -> list[TestResult]:
    """Return the tests of a campaign, in their order.

    Args:
        views: its fold.
        unexercised: what it says of tests that were not exercised.
        trace_of: executes reproducers again.
    """
    stopped = views.progress.stopped is not None
    places = FunctionPlaces(views.target.program)
    found = []
    for record in views.properties.records.values():
        reason = unexercised.get(record.name, "")
        status: Status = "passed" if stopped else "open"
        steps: tuple[Step, ...] = ()
        place = places.of(record.test)
        if record.calls is not None and not record.maximizes:
            status, reason = "failed", record.reason
            steps = _steps(views, places, record.counterexample, record.calls)
            place = _failing_line(trace_of(record.name)) or place
        elif record.dispute is not None:
            status, reason = "disputed", dispute_sentence(record.dispute)
            dispute = record.dispute
            steps = _steps(views, places, dispute["counterexample"], dispute["calls"])
        elif reason:
            status = "not exercised"
        test = views.test_of(record.name)
        found.append(
            TestResult(
                id=finding_of(views, record),
                contract=views.target.program.main,
                name=record.name,
                kind=test.kind,
                status=status,
                reason=reason,
                steps=steps,
                place=place,
                calls=views.progress.calls,
            )
        )
    return found


def suite_results(
    verdicts: Sequence[FoundryVerdict],
    program: Program,
    views: CampaignViews | None,
    trace_of: TraceOf,
) -> list[TestResult]:
    """Return Foundry's tests of a campaign, and the handlers that fail.

    Args:
        verdicts: what is said of its tests.
        program: its contracts.
        views: its fold; None if nothing could be set up.
        trace_of: executes reproducers again.
    """
    places = FunctionPlaces(program)

    def result(verdict: FoundryVerdict) -> TestResult:
        record = verdict.record
        steps: tuple[Step, ...] = ()
        place = places.of(verdict.test)
        if views is not None and record is not None and record.calls is not None:
            steps = _steps(views, places, record.counterexample, record.calls)
            place = _failing_line(trace_of(record.name)) or place
        return TestResult(
            id=finding_id(verdict.contract, verdict.test),
            contract=verdict.contract,
            name=verdict.test,
            kind=verdict.kind,
            status=verdict.status,
            reason=verdict.reason,
            steps=steps,
            place=place,
            calls=verdict.calls,
        )

    found = [result(verdict) for verdict in verdicts]
    if views is not None:
        found += [
            result(
                FoundryVerdict(
                    contract=program.main,
                    test=record.name,
                    kind="handler",
                    status="failed",
                    reason=record.reason,
                    record=record,
                )
            )
            for record in handler_failures(views)
        ]
    return found


class FunctionPlaces:
    """Where functions stand."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._lines = SourceLines(program)

    def of(self, name: str) -> Place | None:
        """Return where a function or test stands; None if no source says it.

        Args:
            name: its signature, or of a test without arguments its name; with its
                contract before, if several are called.
        """
        head, _, rest = name.partition("(")
        owner, _, bare = head.rpartition(".")
        signature = f"{bare}({rest}" if rest else f"{bare}()"
        for contract in self._contracts(owner):
            for function in contract.functions:
                if function.signature == signature:
                    span = function.span
                    line = self._lines.line(span.file, span.start)
                    if line:
                        return Place(self._program.sources[span.file].path, line)
        return None

    def _contracts(self, owner: str) -> Iterator[Contract]:
        if not owner:
            yield self._program.main_contract
            return
        name = owner.partition("#")[0]
        yield from (each for each in self._program.contracts if each.name == name)


def _steps(
    views: CampaignViews,
    places: FunctionPlaces,
    texts: Sequence[str],
    calls: Sequence[Mapping[str, Any]],
) -> tuple[Step, ...]:
    if not calls:
        return ()
    lines = sequence_lines(views.target, texts, calls)
    return tuple(
        Step(line, places.of(call["function"]))
        for line, call in zip(lines, calls, strict=True)
    )


def _failing_line(trace: Trace | None) -> Place | None:
    """Return where the test failed: the innermost line that is known."""
    if trace is None:
        return None
    messages = [*trace.messages, trace.question]
    last = messages[-1] or next((m for m in reversed(messages) if m is not None), None)
    if last is None or not last.failure:
        return None
    return Place(last.failure[0].path, last.failure[0].line)


def in_repository(path: str, root: Path) -> str:
    """Return the path of a source as the root of the repository sees it.

    That is the directory that GitHub names, or else the working one. A source that
    lies elsewhere keeps its path.

    Args:
        path: as the compiler knows it.
        root: directory of the project, from which it may start.
    """
    repository = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd()).resolve()
    whole = (root / path).resolve()
    if whole.is_file() and whole.is_relative_to(repository):
        return whole.relative_to(repository).as_posix()
    return path
