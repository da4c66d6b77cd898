"""The state digest: what two runs of the same campaign must agree on.

The digest of a round is sha256 over the digest of the round before and the canonical
JSON of every event that the round decided. Since the state is the fold of those events,
equal digests mean equal states (corpus, coverage, priorities, properties, dictionary),
and the first round at which two digests differ is the round that went another way.
Time, positions in the store and physical workers are not part of it, nor what a round
tells of who has looked at it, as the version of the reference.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Final

from echidna_mcp.events.event import NewEvent
from echidna_mcp.events.payloads import EventType
from echidna_mcp.program.target import FuzzTarget

_BESIDE: Final[frozenset[EventType]] = frozenset({"ReproducerConfirmed"})
"""Events of a round that decide nothing after it. What the reference says of a test is
part of what is reported; that a newer version said it makes no other campaign of it."""


def initial_digest(target: FuzzTarget) -> str:
    """Return the digest before the first round: program, config and world, as hex."""
    parts = [target.program.digest, _canonical(target.config.to_json())]
    # A campaign of the target alone is what it was before there were others.
    if world := target.world.to_json():
        parts.append(_canonical(world))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def next_digest(previous: str, events: Iterable[NewEvent]) -> str:
    """Return the digest after a round that decided `events`, as hex."""
    state = hashlib.sha256(previous.encode())
    for event in events:
        if event.type in _BESIDE:
            continue
        row = [event.type, event.version, event.round, event.worker, event.payload]
        state.update(_canonical(row).encode("utf-8", "surrogatepass"))
        state.update(b"\n")
    return state.hexdigest()


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
