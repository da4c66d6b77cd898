"""Tool `read_logs`: the newest events of the campaign (FR-001).

Of events that are asked for by their type, of one worker, or by hundreds, the answer
has as many as it can carry. Who asks for nothing in particular wants to see at a glance
what happened: that fits a page, so samples of executed calls, by far the most frequent
events, are left out if all together would not. Data are whole for as long as there is
room; of all others they say only what the event is about (`brief`). What one answer
can't carry follows in the next (`Paging`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, cast

from echidna_mcp._generated.outputs import ReadLogsOutput
from echidna_mcp._generated.tools import read_logs_tool
from echidna_mcp.errors import InvalidInputError
from echidna_mcp.plugins import hookimpl
from echidna_mcp.reports.call_texts import told
from echidna_mcp.tools.display import sendable, shown
from echidna_mcp.tools.size import (
    ANSWER_BYTES,
    SENT_BYTES,
    fitting,
    json_size,
    sent_size,
)
from echidna_mcp.views.event_log import CAPACITY, brief

if TYPE_CHECKING:
    from echidna_mcp._generated.inputs import ReadLogsInput
    from echidna_mcp._generated.outputs import LoggedEvent
    from echidna_mcp.tools.tool import Tool, ToolContext
    from echidna_mcp.views.event_log import LogEntry

_ROOM: Final = ANSWER_BYTES // 4
"""For one reproducer, so that one answer can hold some."""
_FEW: Final = 100
"""The default of `count`: so many never take more than models are shown."""
_PAGE: Final = 9_000
"""Bytes of events for who asks for nothing in particular: with all that stands around
them an answer of less than 10,000 characters."""
_SAMPLE: Final = "TransactionExecuted"


async def handle(args: ReadLogsInput, context: ToolContext) -> ReadLogsOutput:
    """Return events, newest first, and how many the ring holds.

    With a falsification comes what its call sequence has been shrunk to since.

    Raises:
        InvalidInputError: the cursor is none of this tool.
    """
    before, count = _place(context.paging.cursor, args.count)
    found = context.logs.entries(count, args.event_type, args.worker_id, before)
    wanted = args.event_type
    if wanted is not None and len(found) < count and context.logs.have_left(wanted):
        context.warnings.append(
            f"Earlier {wanted} events have left the log of the newest {CAPACITY:,} "
            f"events; the resource echidna://campaign/events/{wanted} has them."
        )
    is_filtered = args.event_type is not None or args.worker_id is not None
    glance = not is_filtered and args.count <= _FEW
    given = _without_samples(found, context) if glance else found
    whole = [_with_reproducer(entry, context) for entry in given]
    if args.event_type is None or args.count <= _FEW:
        room = _PAGE if glance else ANSWER_BYTES
        whole, left = _abridged(whole, [brief(entry) for entry in given], room)
        if left:
            context.warnings.append(
                f"The data of the oldest {left} of these {len(given)} events are in "
                "short; for all of them ask for fewer events, or for one eventType."
            )
    room, size = (_PAGE, json_size) if glance else (SENT_BYTES, sent_size)
    page = fitting(whole, room, size)
    if len(page) < len(given):
        last = given[len(page) - 1]["seq"]
        left = sum(entry["seq"] < last for entry in found)
        context.paging.following = f"{last}.{left}"
        context.warnings.append(
            f"One answer carries {len(page)} of these {len(given)} events; the cursor "
            "in the metadata brings the rest."
        )
    return ReadLogsOutput(
        events=cast("list[LoggedEvent]", page), totalCount=context.logs.total
    )


def _place(cursor: str | None, count: int) -> tuple[int | None, int]:
    """Return before which event to begin, None for the newest, and how many to give."""
    if cursor is None:
        return None, count
    before, _, left = cursor.partition(".")
    numbers = [
        int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0
        for text in (before, left)
    ]
    if not numbers[0] or not 1 <= numbers[1] <= CAPACITY:
        raise InvalidInputError(
            f"{shown(cursor)} is no cursor that read_logs has given; call it without "
            "one to begin with the newest event.",
            cursor=sendable(cursor),
        )
    return numbers[0], numbers[1]


def _without_samples(
    found: Sequence[LogEntry], context: ToolContext
) -> Sequence[LogEntry]:
    """Return the events of which samples are left out if all don't fit a page."""
    others = [entry for entry in found if entry["eventType"] != _SAMPLE]
    samples = len(found) - len(others)
    if not others or not samples or sum(map(json_size, found)) <= _PAGE:
        return found
    context.warnings.append(
        f"{samples} samples of executed calls among these {len(found)} events are left "
        f"out; eventType {_SAMPLE} has them."
    )
    return others


def _abridged(
    whole: Sequence[Mapping[str, Any]], short: Sequence[LogEntry], room: int
) -> tuple[list[Mapping[str, Any]], int]:
    """Return as many whole events as there is room for, then the others in short.

    Returns:
        The events, and how many of them are in short.
    """
    saved = [json_size(each) for each in short]
    room -= sum(saved) + len(saved)
    more = (json_size(each) - size for each, size in zip(whole, saved, strict=True))
    kept = sum(needed <= room for needed in accumulate(more))
    return [*whole[:kept], *short[kept:]], len(short) - kept


def _with_reproducer(entry: LogEntry, context: ToolContext) -> Mapping[str, Any]:
    """Return an entry; a falsification with its reproducer as it is by now."""
    if entry["eventType"] != "PropertyFalsified":
        return entry
    views = context.views
    record = views.properties.records[entry["data"]["property"]]
    calls = zip(record.counterexample, record.calls or (), strict=True)
    reproducer = {
        "state": record.state.value,
        "round": views.progress.round,
        "length": len(record.counterexample),
        "calls": fitting((told(text, call) for text, call in calls), _ROOM),
    }
    return {**entry, "data": {**entry["data"], "reproducer": reproducer}}


@hookimpl
def register_tools() -> Sequence[Tool]:
    """Offer the tool (hook)."""
    return (read_logs_tool(handle),)
