"""What a hash is the hash of, as far as a campaign has seen it.

A guard `keccak256(abi.encode(x)) == H` tells nothing of x if H was set before the
sequence began. But x is rarely a word from nowhere: it stands in the code, in storage,
in a text of the source, or a call has returned it. So where a hash of symbolic bytes
is compared with a number that nothing of the run has hashed, these words are put where
the unknown bytes are, and hashed. What comes of it is a function of the job, whatever
a process remembers of earlier ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain, islice, product
from typing import Final, TypeAlias

from eth_hash.auto import keccak

from echidna_mcp.program.dictionary.constants import (
    first_words,
    literals,
    push_constants,
)
from echidna_mcp.program.dictionary.texts import literal_texts
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.solving.expressions import Template
from echidna_mcp.solving.state import StartState

_MOST_TRIED: Final = 30_000
"""Hashes that a job tries: a seventh of a second, if its process remembers none. Each
counts as an instruction; four take as long, but most are remembered.
"""
_MOST_ADDRESSES: Final = 256
_MOST_STORED: Final = 512
_MOST_PUSHED: Final = 1_024
_MOST_PAIRED: Final = 48
"""Words of which each is tried with each, where two are unknown."""
_SMALL: Final = 256
"""Numbers that everybody has seen."""
_A_CHUNK: Final = 256
"""Words that are hashed at once, and remembered together."""
_REMEMBERED: Final = 128
_REMEMBERED_PAIRS: Final = 8
_WORD: Final = 32
_LONGEST_ALIGNED: Final = 16
"""Bytes of a constant that may stand in front of zeros, as `bytes4` does."""

_Table: TypeAlias = Mapping[int, bytes]
"""What was hashed, by its hash."""


class Seen:
    """What is known of a target before its sequences begin; read when it is needed."""

    def __init__(self, target: FuzzTarget, start: StartState) -> None:
        self._target = target
        self._start = start

    @cached_property
    def texts(self) -> tuple[bytes, ...]:
        """The texts of the source."""
        target = self._target
        return literal_texts(target.program) if target.config.literals else ()

    @cached_property
    def words(self) -> tuple[int, ...]:
        """Constants, addresses, what is in storage, texts, their hashes; some 4,000."""
        target = self._target
        called = [callee.contract for callee in target.callees]
        short = (text for text in self.texts if len(text) <= _WORD)
        found = chain(
            first_words(target.program, called),
            self._addresses,
            self._stored,
            (int.from_bytes(text.ljust(_WORD, b"\0"), "big") for text in short),
            (int.from_bytes(keccak(text), "big") for text in self.texts),
            self._pushed,
            range(_SMALL),
        )
        return tuple(dict.fromkeys(found))

    @cached_property
    def few(self) -> tuple[int, ...]:
        """Words that may be hashed in pairs: numbers of the source, who is called."""
        target = self._target
        main = target.program.main.rpartition(":")[0]
        written = (
            word
            for source in target.program.sources
            if source.path == main
            for word in literals(source.content)
        )
        callees = (each.address for each in target.callees if each.address is not None)
        found = dict.fromkeys(chain(target.senders, callees, written))
        return tuple(found)[:_MOST_PAIRED]

    @property
    def _addresses(self) -> Iterator[int]:
        known = chain(self._target.senders, sorted(self._start.accounts))
        return islice(known, _MOST_ADDRESSES)

    @property
    def _stored(self) -> Iterable[int]:
        words = (
            word
            for _, account in sorted(self._start.accounts.items(), key=_first)
            for _, word in sorted(account.storage.items())
        )
        return islice(dict.fromkeys(words), _MOST_STORED)

    @property
    def _pushed(self) -> Iterable[int]:
        """What deployed code pushes: immutables among it."""
        codes = (
            account.code
            for _, account in sorted(self._start.accounts.items(), key=_first)
        )
        words = (word for code in codes for word in push_constants(code))
        return islice(dict.fromkeys(words), _MOST_PUSHED)


def _first(pair: tuple[int, object]) -> int:
    return pair[0]


class Preimages:
    """What a job looks up."""

    def __init__(self, seen: Seen, found: Sequence[int] = ()) -> None:
        """Look among what was seen.

        Args:
            seen: before the first sequence.
            found: words that the campaign has come upon since, oldest first.
        """
        self._seen = seen
        self._found = found
        self._tables: dict[Template, tuple[_Table, ...]] = {}
        self._tried = 0
        self._billed = 0

    def bill(self) -> int:
        """Return for how many instructions it has hashed since this was asked last."""
        fresh, self._billed = self._tried - self._billed, self._tried
        return fresh

    def find(self, value: int, template: Template) -> bytes | None:
        """Return what fits a template and has a hash; None if nothing is known."""
        tables = self._tables.get(template)
        if tables is None:
            tables = self._tables[template] = self._hashed(template)
        for table in tables:
            data = table.get(value)
            if data is not None:
                return data
        return None

    def _hashed(self, template: Template) -> tuple[_Table, ...]:
        """Hash all that fits a template, unless the job has done so much of that."""
        if self._tried >= _MOST_TRIED:
            return ()
        seen = self._seen
        unknown = [part for part in template if isinstance(part, int)]
        tables: list[_Table] = []
        if len(unknown) == 1:
            for words in (seen.words, self._found):
                for start in range(0, len(words), _A_CHUNK):
                    chunk = tuple(words[start : start + _A_CHUNK])
                    tables.append(_of_words(template, chunk))
        elif len(unknown) == 2:
            tables.append(_of_pairs(template, seen.few))
        tables.append(_of_texts(template, seen.texts))
        self._tried += sum(map(len, tables))
        return tuple(tables)


@lru_cache(_REMEMBERED)
def _of_words(template: Template, words: tuple[int, ...]) -> _Table:
    """Return the hashes of words where one part of a template is unknown."""
    (size,) = (part for part in template if isinstance(part, int))
    return _table(template, ((each,) for each in _fitting(words, size)))


@lru_cache(_REMEMBERED_PAIRS)
def _of_pairs(template: Template, words: tuple[int, ...]) -> _Table:
    """Return the hashes of pairs of words where two parts of a template are unknown."""
    one, two = (part for part in template if isinstance(part, int))
    return _table(template, product(_fitting(words, one), _fitting(words, two)))


@lru_cache(_REMEMBERED)
def _of_texts(template: Template, texts: tuple[bytes, ...]) -> _Table:
    """Return the hashes of texts that fill all that is unknown, in one place."""
    places = [at for at, part in enumerate(template) if isinstance(part, int)]
    if not places or places[-1] - places[0] >= len(places):
        return {}
    first, end = places[0], places[-1] + 1
    size = sum(part for part in template if isinstance(part, int))
    fitting = (
        text.ljust(size, b"\0")
        for text in texts
        # Encoded as an argument a text ends with zeros.
        if size in (len(text), len(text) + -len(text) % _WORD)
    )
    whole = (*template[:first], size, *template[end:])
    return _table(whole, ((text,) for text in fitting))


def _fitting(words: Iterable[int], size: int) -> tuple[bytes, ...]:
    """Return words as so many bytes, at either end of a word."""
    found: dict[bytes, None] = {}
    for word in words:
        if word >> 8 * size == 0:
            found[word.to_bytes(size, "big")] = None
        whole = word.to_bytes(_WORD, "big")
        if not any(whole[size:]):
            found[whole[:size]] = None
        length = (word.bit_length() + 7) // 8
        if 0 < length <= _LONGEST_ALIGNED and length < size:
            found[word.to_bytes(length, "big").ljust(size, b"\0")] = None
    return tuple(found)


def _table(template: Template, fillings: Iterable[Sequence[bytes]]) -> _Table:
    table = {}
    for filling in fillings:
        parts = iter(filling)
        data = b"".join(
            next(parts) if isinstance(part, int) else part for part in template
        )
        table[int.from_bytes(keccak(data), "big")] = data
    return table
