"""Inheritance: the sequences of an older campaign that fit a new one.

They become an event of the new campaign, so that it depends on no other store. They are
where new sequences begin from its first round on, and its workers run them before
anything else: what they cover and falsify then counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from echidna_mcp.errors import StoreError
from echidna_mcp.events.event import Event, NewEvent
from echidna_mcp.events.payloads import EventType
from echidna_mcp.events.store import EventStore
from echidna_mcp.fuzz.layout import MAX_CALL_BYTES
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.rounds.call_codec import Call, CallCodec, join
from echidna_mcp.rounds.digest import next_digest
from echidna_mcp.views.corpus import CorpusView
from echidna_mcp.views.progress import ProgressView

_REPRODUCING: Final[tuple[EventType, ...]] = (
    "PropertyFalsified",
    "ReproducerShrunk",
    "ValueRaised",
)
_READ: Final[tuple[EventType, ...]] = (
    "CampaignStarted",
    "CorpusExtended",
    "CorpusInherited",
    "RoundCommitted",
    *_REPRODUCING,
)
_JsonCalls = Sequence[Mapping[str, Any]]


def inherit(
    ancestors: Iterable[Path], codec: CallCodec, state_digest: str
) -> list[NewEvent]:
    """Return the `CorpusInherited` event of a new campaign.

    Args:
        ancestors: stores of older campaigns, the preferred one first. Those that can't
            be read, or have nothing that fits, are passed over.
        codec: of the new campaign.
        state_digest: before the event.

    Returns:
        The event, or nothing if there is nothing to inherit.
    """
    for store in ancestors:
        try:
            estate = _read(store)
        except (StoreError, KeyError, TypeError, ValueError):
            continue  # It is of no use, or was changed by another program.
        fitting = _fit(estate.sequences, codec)
        if fitting.sequences:
            return [_event(store, estate, fitting, state_digest)]
    return []


@dataclass(frozen=True, slots=True)
class _Estate:
    """What a campaign leaves: the digest of its program, and sequences."""

    program: str
    sequences: Sequence[_JsonCalls]


@dataclass(frozen=True, slots=True)
class _Fitting:
    """Sequences of a new campaign as JSON calls, and how much of them was dropped."""

    sequences: Sequence[_JsonCalls]
    dropped_calls: int
    dropped_sequences: int


def _read(store: Path) -> _Estate:
    """Return the reproducers of a campaign, its corpus, and what it never came to run.

    Reproducers are first: it must show soon what still fails.
    """
    corpus, progress = CorpusView(), ProgressView()
    reproducers: dict[str, _JsonCalls] = {}
    started: Event | None = None
    with EventStore.read_only(store) as source:
        for event in source.read(types=_READ):
            started = started or event
            corpus.apply(event)
            progress.apply(event)
            if event.type in _REPRODUCING:
                reproducers[event.payload["property"]] = event.payload["calls"]
    if started is None or started.type != "CampaignStarted":
        raise StoreError(f"The store {store} does not begin with CampaignStarted.")
    workers = started.payload["config"]["workers"]
    waiting = [
        calls
        for number, calls in enumerate(corpus.inherited)
        if number // workers >= progress.inherited.get(number % workers, 0)
    ]
    found = [entry.calls for entry in corpus.entries]
    return _Estate(
        started.payload["programDigest"],
        [*reproducers.values(), *found, *waiting],
    )


def _fit(sequences: Iterable[_JsonCalls], codec: CallCodec) -> _Fitting:
    """Keep the calls that the new campaign could have made itself, each sequence once.

    Others would show what can't happen in it: a function that is gone or filtered out,
    a sender that it does not have, more value or a longer delay than it sends.
    """
    kept: dict[bytes, _JsonCalls] = {}
    dropped_calls = dropped_sequences = 0
    for calls in sequences:
        fitting = [call for each in calls if (call := _fitting(each, codec))]
        fitting = fitting[: codec.target.config.seq_len]
        dropped_calls += len(calls) - len(fitting)
        dropped_sequences += not fitting
        if fitting:
            kept.setdefault(join(fitting), [codec.to_json(call) for call in fitting])
    return _Fitting(tuple(kept.values()), dropped_calls, dropped_sequences)


def _fitting(data: Mapping[str, Any], codec: CallCodec) -> Call | None:
    """Return a call of another campaign, or None if it is none of this one."""
    try:
        call = codec.from_json(data)
    except (StoreError, KeyError, TypeError, ValueError):
        return None
    return call if _allowed(call, codec.target) else None


def _allowed(call: Call, target: FuzzTarget) -> bool:
    config = target.config
    payable = target.functions[call.function].payable
    size = len(join([call]))
    return (
        _sends(call.sender, target)
        and 0 <= call.value <= (config.max_value if payable else 0)
        and 0 <= call.time_delay <= config.max_time_delay
        and 0 <= call.block_delay <= config.max_block_delay
        and size <= MAX_CALL_BYTES
        and (call.override is None or config.call_override)
    )


def _sends(address: int, target: FuzzTarget) -> bool:
    """Whether a campaign may have calls from an address."""
    if target.any_sender and address not in target.barred_senders:
        return True
    return address in target.senders


def _event(
    store: Path, estate: _Estate, fitting: _Fitting, state_digest: str
) -> NewEvent:
    payload = {
        "campaign": store.parent.name,
        "programDigest": estate.program,
        "sequences": fitting.sequences,
        "droppedCalls": fitting.dropped_calls,
        "droppedSequences": fitting.dropped_sequences,
    }
    payload["stateDigest"] = digest_with(payload, state_digest)
    return NewEvent(type="CorpusInherited", round=0, payload=payload)


def digest_with(payload: Mapping[str, Any], state_digest: str) -> str:
    """Return the state digest after a `CorpusInherited`, as hex.

    Args:
        payload: of the event; its own digest does not matter.
        state_digest: before the event.
    """
    decided = {name: each for name, each in payload.items() if name != "stateDigest"}
    event = NewEvent(type="CorpusInherited", round=0, payload=decided)
    return next_digest(state_digest, [event])
