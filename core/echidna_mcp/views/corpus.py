"""The corpus: call sequences that brought coverage, and injected ones."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from echidna_mcp.events.payloads import (
    CorpusExtended,
    CorpusInherited,
    EarlierFinding,
    ExecutedCall,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from echidna_mcp.events.event import Event, NewEvent


Source: TypeAlias = Literal["fuzzed", "injected", "imported"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusEntry:
    """One call sequence.

    Attributes:
        entry: its position in the corpus.
        calls: JSON calls with `gasUsed` and `result`.
        command: number of the command that injected it, or None.
        inherited: its position among inherited sequences, if it was one, or None.
        new_points: program counters that nothing had executed before.
    """

    entry: int
    calls: Sequence[ExecutedCall]
    injected: bool
    command: int | None
    inherited: int | None
    new_points: int
    round: int
    worker: int

    @property
    def source(self) -> Source:
        """How it came into the corpus."""
        if self.injected:
            return "injected"
        return "fuzzed" if self.inherited is None else "imported"


@dataclass(frozen=True, slots=True)
class CorpusTransaction:
    """One call of the corpus; `index` counts calls over the whole corpus."""

    index: int
    entry: CorpusEntry
    position: int

    @property
    def call(self) -> ExecutedCall:
        """The JSON call."""
        return self.entry.calls[self.position]


class _Column:
    """A text of each call, as numbers: few calls have a text that no other has."""

    def __init__(self) -> None:
        self.numbers = array("I")
        self._known: dict[str, int] = {}

    def add(self, text: str) -> None:
        """Take in the text of the next call."""
        self.numbers.append(self._known.setdefault(text, len(self._known)))

    def of(self, texts: Iterable[str]) -> frozenset[int]:
        """Return the numbers of some texts, without those that no call has."""
        return frozenset(self._known[text] for text in texts if text in self._known)


class CorpusView:
    """The corpus as the fold of `CorpusExtended`; append-only.

    Attributes:
        inherited: the sequences of `CorpusInherited`, as JSON calls. One that brings
            coverage joins the entries when it is run.
        earlier: what had failed before, with the numbers of such sequences.
        files: those of another fuzzer's corpus that such sequences are from, by number.
        remarks: a sentence for each of its files that is not used as it stands.
    """

    def __init__(self) -> None:
        self.inherited: Sequence[Sequence[Mapping[str, Any]]] = ()
        self.earlier: Sequence[EarlierFinding] = ()
        self.files: Mapping[int, str] = {}
        self.remarks: Sequence[str] = ()
        self.entries: list[CorpusEntry] = []
        self._starts: list[int] = []
        self._functions, self._senders = _Column(), _Column()
        self._paying = array("Q")
        """The calls that send value."""
        self.transactions = 0
        """Number of calls in all sequences."""
        self.longest = 0

    def __len__(self) -> int:
        return len(self.entries)

    def page(self, offset: int, limit: int) -> Iterator[CorpusTransaction]:
        """Yield up to `limit` calls from call number `offset` on; none past the end."""
        if offset >= self.transactions:
            return
        number = bisect_right(self._starts, offset) - 1
        position = offset - self._starts[number]
        for index in range(offset, min(offset + limit, self.transactions)):
            while position == len(self.entries[number].calls):
                number, position = number + 1, 0
            yield CorpusTransaction(index, self.entries[number], position)
            position += 1

    def at(self, index: int) -> CorpusTransaction:
        """Return a call by its number."""
        # A sequence may be empty, and begins where the next one does.
        number = bisect_right(self._starts, index) - 1
        position = index - self._starts[number]
        return CorpusTransaction(index, self.entries[number], position)

    def matching(
        self,
        functions: Collection[str] | None = None,
        sender: str | None = None,
        min_value: int | None = None,
    ) -> Sequence[int]:
        """Return the numbers of the calls that meet all that is asked for, ascending.

        A corpus may have a million calls, which lie all over the memory; they are not
        looked at but for the value of those that send any.

        Args:
            functions: signatures; None for all.
            sender: who calls; None for all.
            min_value: the least value in wei; None for any.
        """
        found: Sequence[int] = range(self.transactions)
        if min_value is not None and min_value > 0:
            found = [
                index
                for index in self._paying
                if int(self.at(index).call["value"]) >= min_value
            ]
        for column, texts in (
            (self._functions, functions),
            (self._senders, None if sender is None else (sender,)),
        ):
            if texts is not None:
                wanted, numbers = column.of(texts), column.numbers
                found = [index for index in found if numbers[index] in wanted]
        return found

    def apply(self, event: Event | NewEvent) -> None:
        """Fold one event."""
        if event.type == "CorpusInherited":
            inherited = cast("CorpusInherited", event.payload)
            self.inherited = inherited["sequences"]
            self.earlier = inherited.get("findings", ())
            self.remarks = inherited.get("remarks", ())
            files = inherited.get("files", ())
            self.files = {each["sequence"]: each["file"] for each in files}
        if event.type != "CorpusExtended":
            return
        payload = cast("CorpusExtended", event.payload)
        calls = payload["calls"]
        self.entries.append(
            CorpusEntry(
                entry=payload["entry"],
                calls=calls,
                injected=payload["injected"],
                command=payload.get("command"),
                inherited=payload.get("inherited"),
                new_points=payload["newPoints"],
                round=event.round,
                worker=event.worker or 0,
            )
        )
        self._starts.append(self.transactions)
        for index, call in enumerate(calls, self.transactions):
            self._functions.add(call["function"])
            self._senders.add(call["sender"])
            if call["value"] != "0":
                self._paying.append(index)
        self.transactions += len(calls)
        self.longest = max(self.longest, len(calls))
