"""Progress as a live picture on a terminal."""

from __future__ import annotations

from collections import Counter, deque
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.display.event_lines import EventLine, event_lines, stop_sentence
from echidna_mcp.cli.display.machines import no_machines, node_rows
from echidna_mcp.cli.display.sequence import sequence_lines
from echidna_mcp.cli.display.status import Clock, Status, StatusSource
from echidna_mcp.views.properties import PropertyRecord, PropertyState
from echidna_mcp.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from echidna_mcp.cli.display.machines import Machines
    from echidna_mcp.events.event import Event
    from echidna_mcp.program.target import FuzzTarget
    from echidna_mcp.views.campaign import CampaignViews

REFRESH_SECONDS: Final = 0.5
"""Least time between pictures; the server answers agents in the same thread."""

_EVENTS = 6
_CALLS = 8
_PASSING = 8
_FRAME = 10
"""Rows of border, figures and the empty lines between the parts."""
_FEWEST = 3
"""Findings that are shown on any terminal, however low."""
_STYLES = {
    PropertyState.OPEN: "green",
    PropertyState.SHRINKING: "yellow",
    PropertyState.SOLVED: "bold red",
}


class LiveReporter:
    """Shows the campaign as it is after each commit; cleared when it closes.

    Everything is drawn in the thread that reports events: another one would read views
    while they change.

    Args:
        views: the campaign; folded before its events are reported.
        stream: a terminal.
        clock: seconds from any moment on.
        machines: asked what they do, if there are several.
    """

    def __init__(
        self,
        views: CampaignViews,
        stream: TextIO,
        clock: Clock,
        machines: Machines = no_machines,
    ) -> None:
        self._views = views
        self._machines = machines
        self._clock = clock
        self._status = StatusSource(views, clock)
        self._lines: deque[EventLine] = deque(maxlen=_EVENTS)
        self._begin = clock()
        self._last = float("-inf")
        self._closed = False
        console = Console(
            file=stream, force_terminal=True, markup=False, emoji=False, highlight=False
        )
        # Standard output may belong to a protocol; what others write to standard error
        # appears above the picture.
        self._live = Live(
            console=console, auto_refresh=False, transient=True, redirect_stdout=False
        )

    def events(self, events: Sequence[Event]) -> None:
        """Report what was committed."""
        if self._closed:
            return
        lines = list(event_lines(events, self._views))
        self._lines.extend(lines)
        # What happens rarely is shown at once: nothing may follow that would show it.
        urgent = any(not line.routine for line in lines)
        now = self._clock()
        if urgent or now - self._last >= REFRESH_SECONDS:
            self._last = now
            with suppress(OSError):  # A terminal that is gone must end no campaign.
                self._live.start()
                self._live.update(self.picture(), refresh=True)

    def close(self) -> None:
        """Clear the picture and give the terminal back."""
        self._closed = True
        with suppress(OSError):
            self._live.stop()

    def picture(self) -> RenderableType:
        """Return what is shown now."""
        status = self._status.take()
        parts: list[RenderableType] = [self._figures(status)]
        told = self._machines()
        nodes = [] if told is None else node_rows(told)
        if nodes:
            parts.append(_nodes(nodes))
        if status.tests:
            # What stands below is what happens now, and must not fall off the screen.
            rows = self._live.console.size.height - _FRAME - len(self._lines)
            rows -= len(nodes)
            parts.append(self._tests(rows))
        if self._lines:
            parts.append(_lines(self._lines))
        title = Text(f" echidna-mcp · {printable(self._views.target.program.main)} ")
        return Panel(Group(*parts), title=title, border_style="blue", padding=(0, 1))

    def _figures(self, status: Status) -> RenderableType:
        config, progress = self._views.target.config, self._views.progress
        states = Counter(progress.workers.values())
        workers = ", ".join(f"{n} {state}" for state, n in sorted(states.items()))
        lines = (
            "" if status.line_percent is None else f" · {status.line_percent}% lines"
        )
        seconds = int(self._clock() - self._begin)
        limit = "" if status.limit is None else f" of {status.limit:,}"
        grid = Table.grid(padding=(0, 2), expand=True)
        for ratio in (None, 1, None, 1):
            grid.add_column(ratio=ratio, no_wrap=True, overflow="ellipsis")
        for cells in (
            (
                "Seed",
                str(config.seed),
                "Coverage",
                f"{counted(status.points, 'point')}{lines}",
            ),
            ("Round", f"{status.round:,}", "Corpus", _corpus(status)),
            (
                "Calls",
                f"{status.calls:,}{limit}",
                "Dictionary",
                counted(status.words, "word"),
            ),
            ("Calls/s", f"{status.rate:,}", "Workers", workers or "none"),
            ("Time", f"{seconds // 60}:{seconds % 60:02}", "State", self._state()),
        ):
            first, one, second, two = cells
            grid.add_row(Text(first, "dim"), Text(one), Text(second, "dim"), Text(two))
        return grid

    def _state(self) -> str:
        progress = self._views.progress
        if progress.stopped is not None:
            return stop_sentence(progress.stopped)
        state = "finishing" if progress.draining else "fuzzing"
        waiting = len(progress.pending)
        return f"{state}, {counted(waiting, 'command')} waiting" if waiting else state

    def _tests(self, rows: int) -> RenderableType:
        """Return what is said of the tests; findings take about so many rows."""
        table = Table.grid(padding=(0, 2), expand=True)
        table.add_column(no_wrap=True, overflow="ellipsis")
        table.add_row(Text())
        target = self._views.target
        tests = self._views.properties
        open_tests = tests.in_state(PropertyState.OPEN)
        unexercised = self._views.not_exercised()
        passing = [
            record
            for record in open_tests
            if record.dispute is None
            and record.value is None
            and record.name not in unexercised
        ]
        idle = [tests.records[name] for name in unexercised]
        told = (*tests.falsified, *tests.disputed, *tests.raised)
        most = min(_PASSING, max(rows // 4, 1)) if told else _PASSING
        rest: list[Text] = []
        for record in idle[:most]:
            rest += _test(record, target, unexercised[record.name])
        if len(idle) > most:
            rest.append(Text(f"… and {len(idle) - most} more not exercised", "dim"))
        for record in passing[:most]:
            rest += _test(record, target)
        if len(passing) > most:
            rest.append(Text(f"… and {len(passing) - most} more passing", "dim"))
        found = [[*_test(record, target)] for record in told]
        for line in (*_fitting(found, rows - len(rest)), *rest):
            table.add_row(line)
        return table


def _nodes(rows: Sequence[tuple[str, str]]) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    for first, second in rows:
        table.add_row(Text(first, "dim"), Text(second))
    return table


def _test(
    record: PropertyRecord, target: FuzzTarget, unexercised: str | None = None
) -> Iterator[Text]:
    style = _STYLES[record.state]
    name = printable(record.name)
    if unexercised is not None:
        text = f"not exercised: {printable(unexercised)}"
        yield Text.assemble((f"{name}: ", ""), (text, "yellow"))
        return
    if record.calls is None:
        state = "passing" if record.dispute is None else "disputed"
        yield Text.assemble((f"{name}: ", ""), (state, style))
        return
    shrinking = record.state is PropertyState.SHRINKING
    detail = f" (shrinking, {counted(record.attempts, 'attempt')})" if shrinking else ""
    told = f"falsified: {printable(record.reason)}{detail}"
    if record.value is not None:
        told = f"max value: {record.value}"
    yield Text.assemble((f"{name}: ", ""), (told, style))
    lines = sequence_lines(target, record.counterexample, record.calls)
    for line in lines[:_CALLS]:
        yield Text(f"    {line}")
    if len(lines) > _CALLS:
        yield Text(f"    … and {len(lines) - _CALLS} more", "dim")


def _fitting(findings: Sequence[Sequence[Text]], rows: int) -> Iterator[Text]:
    """Yield findings, each a line and then its sequence, as far as there is room.

    One line each comes first: many findings with their names say more than the
    sequences of a few.
    """
    shown = findings[: max(_FEWEST, rows)]
    left = max(rows, 0) - len(shown)
    for first, *sequence in shown:
        yield first
        if len(sequence) <= left:
            left -= len(sequence)
            yield from sequence
    if len(findings) > len(shown):
        yield Text(f"… and {len(findings) - len(shown)} more", "dim")


def _lines(lines: Sequence[EventLine]) -> RenderableType:
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(no_wrap=True, overflow="ellipsis")
    table.add_row(Text())
    for line in lines:
        clock = line.time.partition(" ")[2]
        table.add_row(
            Text.assemble((f"{clock} ", "dim"), (f"{line.source}: ", "cyan"), line.text)
        )
    return table


def _corpus(status: Status) -> str:
    sequences = counted(status.sequences, "sequence")
    return f"{sequences} · {counted(status.transactions, 'transaction')}"
