from __future__ import annotations

import copy
import hashlib
import os
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from fuzz_support import calls_in, inputs_of, interfaces, node_of, stream, tables_of
from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.abi.types import Tuple
from echidna_mcp.fuzz.layout import CALL_HEADER
from echidna_mcp.fuzz.records import call_function, call_length, count_calls, nth_call
from echidna_mcp.fuzz.rng import pick_later
from echidna_mcp.fuzz.sequence import (
    BROOD_SIZE,
    GROUP_ENTRY,
    GROUP_KEPT,
    GROUP_KNOWN,
    GROUP_PLACE,
    GROUP_SEQUENCES,
    GROUP_SIZE,
    MOST_INSERTED,
    SEQUENCE_BROOD,
    SEQUENCE_INTERLEAVE,
    SEQUENCE_KNOWN,
    SEQUENCE_REPEAT,
    SEQUENCE_SPLICE,
    build_sequence,
    weighted,
)
from echidna_mcp.fuzz.tables import (
    BROOD_CALLS,
    REPETITION,
    SEQUENCE_WEIGHTS,
    FuzzTables,
    sequence_capacity,
    sequence_weights,
)
from echidna_mcp.fuzz.tape import is_canonical
from echidna_mcp.kernel.language.memory import words

NAMES = [
    "append identity",
    "prepend identity",
    "append shrink",
    "prepend shrink",
    "append mutate",
    "prepend mutate",
    "append expand",
    "prepend expand",
    "append swap",
    "prepend swap",
    "append delete",
    "prepend delete",
    "splice",
    "interleave",
]
WITHOUT_ECHOES = "cef456c70bb3e8eaa2a053fd6cce3a0b1693b8ff3738786d0a45475d81d22c51"


GOLDEN = "2c15e3b0ffa29cfc2a9248fc5f85f6c0b8f5739dbd1ea31bf00984676ad0fd11"


class Corpus:
    """A corpus that grows, and the sequences that are built from it."""

    def __init__(self, tables: FuzzTables, seed: int = 0) -> None:
        # What generation leaves there belongs to this corpus.
        self.tables = copy.deepcopy(tables)
        self.rng = stream(seed)
        self.memory = bytearray()
        self.entries: list[int] = []
        self.out = bytearray(sequence_capacity(tables.seq_len))

    def build(self) -> bytes:
        count = len(self.entries) // 2
        table = words(self.entries or [0])
        end = build_sequence(self.tables, self.rng, self.memory, table, count, self.out)
        return bytes(self.out[:end])

    def add(self, sequence: bytes) -> None:
        start = len(self.memory)
        self.memory += sequence
        self.entries += [start, start + len(sequence)]


def records_of(sequence: bytes) -> list[bytes]:
    memory = bytearray(sequence)
    return [
        sequence[at : at + call_length(memory, at)]
        for at in calls_in(memory, len(memory))
    ]


def only(choice: int) -> Any:
    return words([int(index == choice) for index in range(SEQUENCE_WEIGHTS)])


def erc20(**settings: Any) -> FuzzTables:
    return tables_of(
        inputs_of("address", "uint256"),
        inputs_of("address", "address", "uint256"),
        inputs_of("address"),
        inputs_of(),
        inputs_of("bytes", "uint8[]"),
        flags=[0, 0, 0, 1, 1],
        **settings,
    )


def distinct(**settings: Any) -> FuzzTables:
    """Tables whose fresh calls never happen to equal a corpus call."""
    names = inputs_of("bytes32", "uint256", "bytes32")
    return tables_of(names, names, dictionary=(), echoes=False, **settings)


@given(
    interfaces(),
    st.integers(0, 2**64 - 1),
    st.integers(1, 6),
    st.lists(st.integers(0, 3), min_size=16, max_size=16),
    st.sets(st.integers(0, 2)),
)
@settings(max_examples=50, deadline=None)
def test_sequences_are_made_of_canonical_calls_and_never_too_long(
    inputs: list[Tuple], seed: int, length: int, weights: list[int], focus: set[int]
):
    tables = tables_of(
        *inputs,
        flags=[1] * len(inputs),
        seq_len=length,
        weights=words(weights),
        priority=focus,
    )
    corpus = Corpus(tables, seed)
    for _ in range(15):
        sequence = corpus.build()
        memory = bytearray(sequence)
        starts = list(calls_in(memory, len(memory)))
        assert 1 <= len(starts) <= length
        assert count_calls(memory, 0, len(memory)) == len(starts)
        for index, at in enumerate(starts):
            assert nth_call(memory, 0, index) == at
            node = node_of(tables, call_function(memory, at))
            end = at + call_length(memory, at)
            assert is_canonical(tables.types, node, memory, at + CALL_HEADER, end)
        corpus.add(sequence)


def test_an_empty_corpus_gives_fresh_calls_only():
    corpus = Corpus(erc20(seq_len=30))
    built = [records_of(corpus.build()) for _ in range(20)]
    assert {len(records) for records in built} == {30}
    assert len({record for records in built for record in records}) > 400


@pytest.mark.parametrize("choice", range(14), ids=NAMES)
def test_every_mutation_of_sequences_uses_the_corpus(choice: int):
    corpus = Corpus(distinct(seq_len=8, weights=only(choice)), seed=choice + 100)
    first, second = records_of(corpus.build()), records_of(corpus.build())
    corpus.add(b"".join(first))
    corpus.add(b"".join(second))
    lengths, places = set(), Counter()
    for _ in range(300):
        records = records_of(corpus.build())
        lengths.add(len(records))
        old = [r in first or r in second for r in records]
        places.update(index for index, known in enumerate(old) if known)
        check_shape(choice, first, second, records, old)
    if choice >= SEQUENCE_SPLICE or choice % 2 == 0:
        assert lengths == {8}
        assert max(places, key=lambda index: (places[index], -index)) <= 1
    else:
        assert 8 in lengths
        assert min(lengths) <= 2
    assert set(places) >= set(range(6))


def check_shape(
    choice: int,
    first: list[bytes],
    second: list[bytes],
    records: list[bytes],
    old: list[bool],
) -> None:
    """Assert what only this mutation does to the corpus part."""
    part = [r for r, known in zip(records, old, strict=True) if known]
    if choice in (0, 1):
        # A prefix of one entry in one piece; prepending may push it over the end.
        assert part in (first[: len(part)], second[: len(part)])
        assert part
        assert old == sorted(old, reverse=choice == 0)
    elif choice in (8, 9, 10, 11):
        source = first if part and part[0] in first else second
        assert all(record in source for record in part)
    elif choice == SEQUENCE_SPLICE:
        assert old[0]
    elif choice == SEQUENCE_INTERLEAVE:
        assert old[0]
        assert old[1]


def test_swapping_deleting_and_repeating_really_happen():
    for choice, seen in [
        (8, lambda rs, old: rs[:3] == [old[1], old[0], old[2]]),
        (10, lambda rs, old: rs[:2] == [old[1], old[2]]),
        (6, lambda rs, old: rs[:3] == [old[0], old[0], old[1]]),
        (
            SEQUENCE_INTERLEAVE,
            lambda rs, old: rs[:4] == [old[0], old[0], *old[1:2] * 2],
        ),
    ]:
        corpus = Corpus(distinct(seq_len=6, weights=only(choice)))
        old = records_of(corpus.build())
        corpus.add(b"".join(old))
        assert sum(seen(records_of(corpus.build()), old) for _ in range(300)) > 3


def test_one_to_four_calls_stand_there_many_times():
    tables = distinct(seq_len=60, weights=only(SEQUENCE_REPEAT))
    corpus = Corpus(tables, seed=3)
    entry = records_of(corpus.build())[:5]
    corpus.add(b"".join(entry))
    seen, partial = Counter[tuple[int, int]](), 0
    for _ in range(2_000):
        records = records_of(corpus.build())
        assert len(records) == 60
        known = next(n for n, r in enumerate([*records, b""]) if r not in entry)
        partial += records[:5] != entry
        # What comes again, from where it stands first.
        again = [n for n in range(1, 60) if records[n] in records[:n]]
        assert again
        size = again[0] - records.index(records[again[0]])
        times = 0
        while (
            records[again[0] + times * size :][:size]
            == (records[again[0] - size : again[0]])
        ):
            times += 1
        assert len(again) == size * times
        assert again[0] - size <= 5 + 2
        assert known >= 1
        seen[size, times] += 1
    sizes = Counter(size for size, _ in seen.elements())
    assert set(sizes) == {1, 2, 3, 4}
    for size in (1, 2, 3, 4):
        most = max(times for each, times in seen if each == size)
        assert most > min(52, 60 // size - 8)
        assert all(seen[size, times] for times in (1, 2, 3))
    # Half of the time all of the entry is there.
    assert 500 < partial < 1_000


def test_mutating_always_changes_some_call():
    corpus = Corpus(distinct(seq_len=3, weights=only(4)), seed=2)
    old = records_of(corpus.build())
    corpus.add(b"".join(old))
    same = sum(records_of(corpus.build())[0] == old[0] for _ in range(300))
    assert 30 < same < 200


def test_sequences_of_one_call_use_the_corpus():
    corpus = Corpus(distinct(seq_len=1), seed=4)
    (old,) = records_of(corpus.build())
    corpus.add(old)
    near = same = 0
    for _ in range(1000):
        (record,) = records_of(corpus.build())
        near += any(record[at : at + 32] == old[at : at + 32] for at in (96, 128, 160))
        same += record == old
    assert 150 < near < 280
    assert same < 30


def test_injected_entries_of_any_length_are_used_in_full():
    tables = erc20(seq_len=5, weights=only(0))
    short = Corpus(tables)
    entry = b"".join(records_of(short.build())[:2])
    short.add(entry)
    assert sum(short.build().startswith(entry) for _ in range(100)) > 30
    long = Corpus(erc20(seq_len=12))
    entry = long.build()
    tight = Corpus(tables)
    tight.add(entry)
    assert {len(records_of(tight.build())) for _ in range(50)} == {5}


@pytest.mark.parametrize("priority", [[], [2]], ids=["plain", "priorities"])
def test_a_sequence_begins_like_the_one_before_up_to_where_it_says(
    priority: list[int],
):
    corpus = Corpus(erc20(seq_len=12, priority=priority), seed=8)
    for _ in range(3):
        before = corpus.build()
        corpus.add(before)
    group, kept, known = corpus.tables.group, [], []
    for _ in range(400):
        sequence = corpus.build()
        assert group[GROUP_KEPT] <= group[GROUP_KNOWN] <= len(sequence)
        assert sequence[: group[GROUP_KEPT]] == before[: group[GROUP_KEPT]]
        kept.append(group[GROUP_KEPT])
        known.append(group[GROUP_KNOWN])
        before = sequence
    assert sum(kept) > 0.6 * sum(known)


def test_a_group_begins_with_ever_more_calls_of_one_entry_or_with_none():
    corpus = Corpus(distinct(seq_len=30), seed=9)
    entries = []
    for _ in range(3):
        corpus.add(corpus.build())
        entries.append(records_of(corpus.memory)[-30:])
    group, seen = corpus.tables.group, []
    for _ in range(1_000):
        records, number = records_of(corpus.build()), group[GROUP_ENTRY]
        count = count_calls(corpus.out, 0, group[GROUP_KNOWN])
        if number == 0:
            assert count == 0
        else:
            assert records[:count] == entries[number - 1][:count]
            assert not any(record in entries[number - 1] for record in records[count:])
            part = group[GROUP_PLACE] - 1
            assert part * 29 // GROUP_SIZE < count <= (part + 1) * 29 // GROUP_SIZE + 1
        seen.append((group[GROUP_PLACE], number, count))
    for before, after in pairwise(seen):
        assert after[0] == before[0] % GROUP_SIZE + 1
        if after[0] > 1:
            assert after[1] == before[1]
            assert after[2] >= before[2]
    assert {number for _, number, _ in seen} == {0, 1, 2, 3}


def test_a_brood_begins_with_the_same_calls_of_one_entry_and_ends_soon():
    corpus = Corpus(distinct(seq_len=60, weights=only(SEQUENCE_BROOD)), seed=9)
    for size in (20, 59, 60):
        fresh = Corpus(distinct(seq_len=size), seed=size).build()
        corpus.add(fresh)
    entries = [
        records_of(corpus.memory[start:end])
        for start, end in zip(corpus.entries[::2], corpus.entries[1::2], strict=True)
    ]
    group, broods = corpus.tables.group, Counter[bool]()
    known: list[bytes] = []
    added: Counter[int] = Counter()
    inserted: Counter[int] = Counter()
    for number in range(20 * BROOD_SIZE):
        records = records_of(corpus.build())
        if group[GROUP_PLACE] == 1 or number == 0:
            count = count_calls(corpus.out, 0, group[GROUP_KNOWN])
            entry = entries[group[GROUP_ENTRY] - 1]
            known = entry[:count]
            broods[count == min(len(entry), 59)] += 1
        assert records[: len(known)] == known
        rest = entry[len(known) :]
        fresh_calls = [each for each in records[len(known) :] if each not in rest]
        behind = records[len(known) + len(fresh_calls) :]
        if behind:
            assert behind == rest[: 60 - len(known) - len(fresh_calls)]
            inserted[len(fresh_calls)] += 1
        else:
            added[len(fresh_calls)] += 1
    assert group[GROUP_SEQUENCES] == BROOD_SIZE
    assert broods[True] > broods[False] > 0
    assert set(added) == set(range(1, BROOD_CALLS + 1))
    assert added[1] > added[8] > 0, "of 59 calls there is room for one more"
    assert set(inserted) == set(range(1, MOST_INSERTED + 1))
    assert inserted.total() > added.total() / 16


def test_where_whole_sequences_are_wanted_broods_have_them():
    tables = distinct(seq_len=30, weights=only(SEQUENCE_BROOD), brood_calls=30)
    corpus = Corpus(tables, seed=3)
    corpus.add(Corpus(distinct(seq_len=12), seed=1).build())
    assert {len(records_of(corpus.build())) for _ in range(200)} == {30}


def test_chained_broods_begin_with_whole_entries_and_end_with_their_own():
    tables = distinct(seq_len=40, weights=only(SEQUENCE_BROOD), chained=6)
    corpus = Corpus(tables, seed=5)
    entries = []
    for size in (30, 5, 3, 1):
        entries.append(Corpus(distinct(seq_len=size), seed=size).build())
        corpus.add(entries[-1])
    group, counts = corpus.tables.group, Counter[int]()
    known = b""
    for number in range(60 * BROOD_SIZE):
        sequence = corpus.build()
        if group[GROUP_PLACE] == 1 or number == 0:
            known = sequence[: group[GROUP_KNOWN]]
            left, own = known, entries[group[GROUP_ENTRY] - 1]
            if known.endswith(own):
                left, chain = known.removesuffix(own), 0
                while left:
                    (first,) = (each for each in entries if left.startswith(each))
                    left, chain = left.removeprefix(first), chain + 1
                counts[chain] += 1
                assert len(records_of(known)) <= 40 - BROOD_CALLS or not chain
            else:
                assert own.startswith(known), "a part of an entry stands alone"
        assert sequence.startswith(known)
        assert len(records_of(sequence)) <= 40
    assert set(counts) == set(range(7))


@pytest.mark.parametrize("number", [0, 5])
def test_groups_change_nothing_about_how_a_single_sequence_is_distributed(
    number: int,
):
    tables, tries = tables_of(inputs_of(), seq_len=9), 1_500
    entry = Corpus(tables).build()
    counts: Counter[int] = Counter()
    for seed in range(tries):
        corpus = Corpus(tables, seed)
        corpus.add(entry)
        for _ in range(number + 1):
            corpus.build()
        counts[count_calls(corpus.out, 0, corpus.tables.group[GROUP_KNOWN])] += 1
    weights = sequence_weights()
    share = weights[SEQUENCE_KNOWN] / sum(weights)
    assert set(counts) == set(range(9))
    assert abs(1 - counts[0] / tries - share) < 0.03
    for count in range(1, 9):
        assert abs(counts[count] / tries - share / 8) < 0.025


def test_newer_entries_are_preferred_linearly():
    rng = stream(1)
    seen = Counter(pick_later(rng, 10) for _ in range(20_000))
    for index in range(10):
        assert abs(seen[index] / 20_000 - (2 * index + 1) / 100) < 0.012


def test_weights_are_kept_and_zero_never_comes():
    rng, table = stream(1), words([3, 0, 1])
    seen = Counter(weighted(rng, table, 0, 3) for _ in range(4000))
    assert 2850 < seen[0] < 3150
    assert seen[1] == 0


def test_weights_are_those_of_echidna():
    assert sum(sequence_weights()) == 1012
    assert list(sequence_weights((2, 3, 4, 5))) == [
        *(800, 200, 2, 2, 3, 3, 4, 4, 4, 4, 4, 4, 5, 5, 0, 0)
    ]
    assert list(sequence_weights(repetition=True)) == [
        *(800, 200, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, REPETITION, 0)
    ]
    broods = sequence_weights(broods=True)
    assert sum(broods) == 1012
    assert broods[SEQUENCE_KNOWN] == broods[SEQUENCE_BROOD] == 400


@pytest.mark.parametrize("weights", [None, words([1] * 16)], ids=["default", "equal"])
def test_nine_slots_in_ten_are_prioritized_fresh_or_from_the_corpus(weights: Any):
    plain = Corpus(erc20(seq_len=20))
    corpus = Corpus(erc20(seq_len=20, priority=[2], weights=weights), seed=1)
    for _ in range(20):
        corpus.add(plain.build())
    slots = prioritized = 0
    while slots < 10_000:
        memory = bytearray(corpus.build())
        chosen = [call_function(memory, at) for at in calls_in(memory, len(memory))]
        slots += len(chosen)
        prioritized += chosen.count(2)
    assert 0.88 < prioritized / slots < 0.93


def test_priorities_keep_corpus_calls_of_the_wanted_kind():
    tables = erc20(seq_len=10, priority=[0, 1, 2, 3, 4], weights=only(0))
    corpus = Corpus(tables)
    entry = corpus.build()
    corpus.add(entry)
    first = records_of(entry)[0]
    assert all(records_of(corpus.build())[0] == first for _ in range(50))


def digest(**settings: Any) -> str:
    """Return sha256 over 1,000 sequences of a corpus that grows."""
    corpus = Corpus(
        erc20(seq_len=10, weights=words([2] * 14 + [0] * 2), **settings),
        seed=2**255 + 12345,
    )
    state = hashlib.sha256()
    for index in range(1000):
        sequence = corpus.build()
        state.update(sequence)
        if index % 50 == 0:
            corpus.add(sequence)
    return state.hexdigest()


def test_a_thousand_sequences_are_pinned():
    assert digest() == GOLDEN
    assert digest(echoes=False) == WITHOUT_ECHOES, "as campaigns before had them"


@pytest.mark.parametrize("hash_seed", ["0", "77"])
def test_the_hash_seed_does_not_matter(hash_seed: str):
    support = Path(__file__).parents[1] / "support"
    here = Path(__file__).parent
    code = "import test_fuzz_sequence as t; print(t.digest())"
    environment = {
        **os.environ,
        "PYTHONHASHSEED": hash_seed,
        "PYTHONPATH": os.pathsep.join([str(here), str(support)]),
    }
    result = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == GOLDEN
