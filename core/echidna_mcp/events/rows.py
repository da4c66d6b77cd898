"""Turn events into rows of the chain, and rows into events."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Self, get_args

from echidna_mcp.errors import StoreError, StoreTamperedError
from echidna_mcp.events.chain import GENESIS, Row, canonical_json, link
from echidna_mcp.events.event import Event, NewEvent
from echidna_mcp.events.payloads import EventType
from echidna_mcp.events.upcasters import UpcasterTable, newest_version, upcast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - UTC, written with a Z
_STEP: Final = timedelta(microseconds=1)
_TYPES: Final = frozenset(get_args(EventType))


@dataclass(frozen=True, slots=True)
class Head:
    """The end of the chain: where the next event is linked.

    Attributes:
        seq: position of the last event; 0 if there is none.
        at: time of the last event since 1970.
    """

    seq: int = 0
    digest: bytes = GENESIS
    at: timedelta = timedelta()

    @classmethod
    def of(cls, seq: int, digest: bytes, at: str) -> Self:
        """Return the head after a stored row."""
        return cls(seq, digest, datetime.fromisoformat(at.removesuffix("Z")) - _EPOCH)


@dataclass(frozen=True, slots=True)
class Linked:
    """Events that are ready to be stored.

    Attributes:
        rows: values in the order of the table's columns.
        events: the same as a later read gives them.
        head: the end of the chain after them.
    """

    rows: list[tuple[object, ...]]
    events: tuple[Event, ...]
    head: Head


def link_events(
    head: Head, events: Sequence[NewEvent], now: int, upcasters: UpcasterTable
) -> Linked:
    """Number, date and link events behind `head`.

    Each gets a time later than that of every event before it, whatever the clock says:
    times grow strictly, over the store and so for each worker.

    Args:
        head: the end of the chain.
        events: in order.
        now: the wall clock, in nanoseconds since 1970.
        upcasters: says which version of each type is the newest.

    Raises:
        StoreError: a payload is not JSON, a type is unknown or a version is not the
            newest one.
    """
    clock = timedelta(microseconds=now // 1000)
    rows: list[tuple[object, ...]] = []
    stored: list[Event] = []
    for new in events:
        _check_type(new, upcasters)
        seq, time = head.seq + 1, max(clock, head.at + _STEP)
        at = (_EPOCH + time).isoformat(timespec="microseconds") + "Z"
        try:
            text = canonical_json(new.payload)
            row = Row(seq, new.type, new.version, new.round, new.worker, at, text)
            head = Head(seq, link(head.digest, row), time)
        except (TypeError, ValueError, RecursionError) as error:
            raise StoreError(
                f"The payload of a {new.type} event can't be stored: {error}."
            ) from error
        rows.append(
            (seq, new.type, new.version, new.round, new.worker, at, text, head.digest)
        )
        stored.append(
            Event(
                seq=seq,
                type=new.type,
                version=new.version,
                round=new.round,
                worker=new.worker,
                at=at,
                # As a reader gets it: no tuples, and no values that the caller holds.
                payload=json.loads(text),
                digest=head.digest,
            )
        )
    return Linked(rows, tuple(stored), head)


def decode(row: Mapping[str, Any], upcasters: UpcasterTable) -> Event:
    """Return the event of a stored row, its payload in the newest version.

    Raises:
        StoreError: its type or version is newer than this program.
        StoreTamperedError: its payload is not JSON.
    """
    if row["type"] not in _TYPES:
        raise StoreError(
            f"The store holds an event of the unknown type {row['type']!r};"
            " upgrade echidna-mcp."
        )
    try:
        stored = json.loads(row["payload"])
    except ValueError as error:
        raise StoreTamperedError(
            f"The payload of event {row['seq']} is damaged; restore the store from a"
            " copy.",
            seq=row["seq"],
        ) from error
    version, payload = upcast(row["type"], row["version"], stored, upcasters)
    return Event(
        seq=row["seq"],
        type=row["type"],
        version=version,
        round=row["round"],
        worker=row["worker"],
        at=row["at"],
        payload=payload,
        digest=row["digest"],
    )


def _check_type(new: NewEvent, upcasters: UpcasterTable) -> None:
    if new.type not in _TYPES:
        raise StoreError(f"There is no event type {new.type!r}.")
    newest = newest_version(new.type, upcasters)
    if new.version != newest:
        raise StoreError(
            f"A {new.type} event must be written in version {newest},"
            f" not {new.version}."
        )
