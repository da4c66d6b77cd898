"""Inheritance: the sequences of an older campaign, or of another fuzzer, that fit.

They become an event of the new campaign, so that it depends on no other files. They are
where new sequences begin from its first round on, and its workers run them before
anything else: what they cover and falsify then counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from echidna_mcp.corpora.directory import ForeignCorpus, read_corpus
from echidna_mcp.corpora.fitting import fitted, interfaces, strange_to
from echidna_mcp.corpora.model import Problem, Purpose
from echidna_mcp.errors import StoreError
from echidna_mcp.events import payloads
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
    ancestors: Iterable[Path], corpus: Path | None, codec: CallCodec, state_digest: str
) -> list[NewEvent]:
    """Return the `CorpusInherited` event of a new campaign.

    Args:
        ancestors: stores of older campaigns, the preferred one first. Those that can't
            be read, or have nothing that fits, are passed over.
        corpus: directory in which the corpus of another fuzzer may lie.
        codec: of the new campaign.
        state_digest: before the event.

    Returns:
        The event, or nothing if there is nothing to inherit.
    """
    foreign = None if corpus is None else read_corpus(corpus, interfaces(codec.target))
    seeds = _Seeds(codec)
    found = _first_fitting(ancestors, codec)
    if found is not None:
        seeds.add_failures(found[1])
    if foreign is not None:
        seeds.add_foreign(foreign, "reproducer")
    if found is not None:
        seeds.add_sequences(found[1])
    if foreign is not None:
        seeds.add_foreign(foreign, "coverage")
    if not seeds.sequences and not seeds.remarks:
        return []
    payload: dict[str, Any] = {}
    if found is not None:
        store, estate = found
        payload = {"campaign": store.parent.name, "programDigest": estate.program}
    elif foreign is not None:
        payload = {"campaign": foreign.name}
    payload |= {
        "sequences": seeds.sequences,
        "droppedCalls": seeds.dropped_calls,
        "droppedSequences": seeds.dropped_sequences,
    }
    if foreign is not None:
        payload |= {
            "corpus": foreign.name,
            "formats": [each.name for each in foreign.formats],
            "files": seeds.files,
            "remarks": seeds.remarks,
        }
    if seeds.findings:
        payload["findings"] = seeds.findings
    payload["stateDigest"] = digest_with(payload, state_digest)
    return [NewEvent(type="CorpusInherited", round=0, payload=payload)]


@dataclass(frozen=True, slots=True)
class _Estate:
    """What a campaign leaves.

    Attributes:
        program: digest of its program.
        reproducers: what falsifies a test, or reaches its best value, by finding.
        tests: the test of each finding; not of those whose value is only raised.
        earlier: what it was told that had failed before, with the calls.
        sequences: its corpus, and what it never came to run.
    """

    program: str
    reproducers: Mapping[str, _JsonCalls]
    tests: Mapping[str, str]
    earlier: Sequence[tuple[payloads.EarlierFinding, _JsonCalls]]
    sequences: Sequence[_JsonCalls]


def _first_fitting(
    ancestors: Iterable[Path], codec: CallCodec
) -> tuple[Path, _Estate] | None:
    """Return the first store of which a call fits, and what it holds."""
    for store in ancestors:
        try:
            estate = _read(store)
            everything = (*estate.reproducers.values(), *estate.sequences)
            if any(_fitting(call, codec) for calls in everything for call in calls):
                return store, estate
        except (StoreError, KeyError, TypeError, ValueError):
            continue  # It is of no use, or was changed by another program.
    return None


def _read(store: Path) -> _Estate:
    """Return what a campaign leaves."""
    corpus, progress = CorpusView(), ProgressView()
    reproducers: dict[str, _JsonCalls] = {}
    tests: dict[str, str] = {}
    earlier: Sequence[payloads.EarlierFinding] = ()
    started: Event | None = None
    with EventStore.read_only(store) as source:
        for event in source.read(types=_READ):
            started = started or event
            corpus.apply(event)
            progress.apply(event)
            if event.type in _REPRODUCING:
                reproducers[event.payload["property"]] = event.payload["calls"]
            if event.type == "PropertyFalsified":
                name = event.payload["property"]
                tests[name] = event.payload.get("test", name)
            if event.type == "CorpusInherited":
                earlier = event.payload.get("findings", ())
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
        reproducers,
        tests,
        [
            (each, corpus.inherited[each["sequence"]])
            for each in earlier
            if "sequence" in each and each.get("test") not in tests.values()
        ],
        [*found, *waiting],
    )


class _Seeds:
    """The sequences of a new campaign, each once, and what is to be told of them.

    Attributes:
        sequences, files, remarks, findings: as in `CorpusInherited`.
        dropped_calls, dropped_sequences: how much was left out.
    """

    def __init__(self, codec: CallCodec) -> None:
        self._codec = codec
        self._numbers: dict[bytes, int] = {}
        self.sequences: list[list[payloads.Call]] = []
        self.dropped_calls = self.dropped_sequences = 0
        self.files: list[payloads.SequenceFile] = []
        self.remarks: list[str] = []
        self.findings: list[payloads.EarlierFinding] = []

    def add_failures(self, estate: _Estate) -> None:
        """Add what a campaign found to fail: it must show soon what still does."""
        for name, calls in estate.reproducers.items():
            number = self._add_own(calls)
            if (test := estate.tests.get(name)) is None:
                continue
            found: payloads.EarlierFinding = {"test": test}
            if name != test:
                found["name"] = name
            self._add_finding(found, number)
        for finding, calls in estate.earlier:
            told = cast("payloads.EarlierFinding", dict(finding))
            told.pop("sequence", None)
            self._add_finding(told, self._add_own(calls))

    def add_sequences(self, estate: _Estate) -> None:
        """Add the other sequences of a campaign."""
        for calls in estate.sequences:
            self._add_own(calls)

    def add_foreign(self, corpus: ForeignCorpus, purpose: Purpose) -> None:
        """Add the sequences of another fuzzer that were kept for a purpose."""
        if purpose == "reproducer":
            self.remarks += [problem.sentence for problem in corpus.problems]
        for sequence in corpus.sequences:
            if sequence.purpose != purpose:
                continue
            stranger = strange_to(sequence, self._codec.target)
            if stranger is not None:
                if stranger:
                    self.remarks.append(Problem(sequence.file, stranger).sentence)
                continue
            result = fitted(sequence, self._codec)
            number = self._add(result.calls, result.dropped)
            if result.remarks:
                what = "; ".join(result.remarks)
                self.remarks.append(Problem(sequence.file, what).sentence)
            if number is not None:
                self.files.append({"sequence": number, "file": sequence.file})
            if purpose == "reproducer":
                told: payloads.EarlierFinding = {"file": sequence.file}
                if sequence.test:
                    told["test"] = sequence.test
                self._add_finding(told, number)

    def _add_own(self, calls: _JsonCalls) -> int | None:
        """Add the calls that the new campaign could have made itself.

        Others would show what can't happen in it: a function that is gone or filtered
        out, a sender that it does not have, more value or a longer delay than it sends.
        """
        found = [call for each in calls if (call := _fitting(each, self._codec))]
        kept = found[: self._codec.target.config.seq_len]
        return self._add(kept, len(calls) - len(kept))

    def _add(self, calls: Sequence[Call], dropped: int) -> int | None:
        """Add a sequence; return its number, or None if it has no calls."""
        self.dropped_calls += dropped
        self.dropped_sequences += not calls
        if not calls:
            return None
        key = join(calls)
        if key not in self._numbers:
            self._numbers[key] = len(self.sequences)
            self.sequences.append([self._codec.to_json(call) for call in calls])
        return self._numbers[key]

    def _add_finding(
        self, finding: payloads.EarlierFinding, number: int | None
    ) -> None:
        """Add what was found to fail, with the number of its sequence, if it has one.

        It is told once, though a campaign has written it into a file, or passed it on.
        """
        if number is not None:
            finding["sequence"] = number
        for known in self.findings:
            if _is_same(known, finding):
                known.update({**finding, **known})
                return
        self.findings.append(finding)


def _is_same(one: payloads.EarlierFinding, other: payloads.EarlierFinding) -> bool:
    """Whether two findings are of one sequence, and neither is of another test."""
    names = {each.get("name", each["test"]) for each in (one, other) if "test" in each}
    if "sequence" in one and "sequence" in other:
        return one["sequence"] == other["sequence"] and len(names) < 2
    return one == other


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
        target.sends(call.sender)
        and 0 <= call.value <= (config.max_value if payable else 0)
        and 0 <= call.time_delay <= config.max_time_delay
        and 0 <= call.block_delay <= config.max_block_delay
        and size <= MAX_CALL_BYTES
        and (call.override is None or config.call_override)
    )


def digest_with(payload: Mapping[str, Any], state_digest: str) -> str:
    """Return the state digest after a `CorpusInherited`, as hex.

    Args:
        payload: of the event; its own digest does not matter.
        state_digest: before the event.
    """
    decided = {name: each for name, each in payload.items() if name != "stateDigest"}
    event = NewEvent(type="CorpusInherited", round=0, payload=decided)
    return next_digest(state_digest, [event])
