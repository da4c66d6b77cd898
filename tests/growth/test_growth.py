"""What must not be done again and again as a campaign, its corpus or its target grows.

No clock is asked: what is counted is work.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from campaigns import PROVENANCE, py_evm, started
from eth_hash.auto import keccak
from evm_assembler import assemble
from hypothesis import given
from hypothesis import strategies as st
from native_backends import named

from echidna_mcp.campaign.start import resume_campaign
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.demo import load_demo
from echidna_mcp.events.event import Event, NewEvent, as_event
from echidna_mcp.events.store import store_path
from echidna_mcp.evm.backend import BackendConfig, Message, Watch
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.prefixes import Prefixes
from echidna_mcp.program import identity
from echidna_mcp.program.creatable import creatable
from echidna_mcp.program.identity import CodeIndex, runtime_key
from echidna_mcp.program.model import Contract, Program
from echidna_mcp.program.target import build_target
from echidna_mcp.reports.coverage_reports import CoverageReports
from echidna_mcp.reports.lines import CoverageIndex
from echidna_mcp.rounds import replica
from echidna_mcp.rounds.call_codec import Call, join
from echidna_mcp.views import entries
from echidna_mcp.views.comparisons import ComparisonsView
from echidna_mcp.views.corpus import CorpusView
from echidna_mcp.views.coverage import CoverageDelta, CoverageView, bits_of
from echidna_mcp.views.event_log import CAPACITY, OF_A_TYPE, EventLog
from echidna_mcp.views.pairs import Pairs
from echidna_mcp_plugins.native import backend as native

MANY = 200


class Counted:
    """A function that counts its calls."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.calls = 0
        self._function = function

    def __get__(self, instance: Any, owner: type) -> Callable[..., Any]:
        return lambda *given: self(instance, *given)

    def __call__(self, *given: Any) -> Any:
        self.calls += 1
        return self._function(*given)


# ------------------------------------------------------------------------ contracts


@given(
    st.lists(st.binary(max_size=5).map(lambda b: bytes(each & 1 for each in b))),
    st.binary(max_size=8).map(lambda b: bytes(each & 1 for each in b)),
)
def test_prefixes_are_all_found(prefixes: list[bytes], data: bytes):
    found = Prefixes((prefix, number) for number, prefix in enumerate(prefixes))
    wanted = [n for n, prefix in enumerate(prefixes) if data.startswith(prefix)]
    assert sorted(found.of(data)) == wanted


def code_of(number: int) -> bytes:
    """Return a code that begins and ends as all others do."""
    return b"\x60\x80\x60\x40\x52" + b"\x5b" * 40 + number.to_bytes(4, "big") + b"\x00"


def many_contracts() -> Program:
    """Return a program in which the first contract creates the next, and so on."""
    contracts = []
    creation = b"\x60\x80\x60\x40\x34"
    for number in reversed(range(MANY)):
        runtime = code_of(number)
        contracts.append(
            Contract(
                name=f"C{number:03}",
                source="A.sol",
                abi=(),
                creation_code=creation + runtime,
                runtime_code=runtime,
            )
        )
        # Half of them stand alone.
        creation = contracts[-1].creation_code if number % 2 else creation[:5]
    contracts.reverse()
    return Program(contracts=tuple(contracts), main=contracts[0].qualified_name)


def test_a_code_is_not_compared_with_all_contracts(monkeypatch: pytest.MonkeyPatch):
    program = many_contracts()
    counted = Counted(identity._Template.matches)
    monkeypatch.setattr(identity._Template, "matches", counted)
    index = CodeIndex(program)
    for contract in program.contracts:
        key = index.key(keccak(contract.runtime_code), contract.runtime_code)
        assert key == runtime_key(contract)
    assert MANY <= counted.calls <= 2 * MANY


def test_what_codes_create_is_found_without_a_look_at_each_pair(
    monkeypatch: pytest.MonkeyPatch,
):
    counted = Counted(Prefixes.of)
    monkeypatch.setattr(Prefixes, "of", counted)
    program = many_contracts()
    codes = [contract.creation_code for contract in program.contracts]
    assert [c.name for c in creatable(program, codes)] == [
        f"C{number:03}" for number in range(MANY)
    ]
    # There are three beginnings of creation code in two codes, and each creation code
    # is looked through twice: as one of these, and when it is found.
    assert counted.calls <= 6 * MANY
    assert creatable(program, [program.contracts[2].runtime_code]) == []


def test_codes_are_found_by_hash_without_a_look_at_all(
    monkeypatch: pytest.MonkeyPatch,
):
    evm, hashes = named("compiled").create(BackendConfig()), {}
    for salt in range(MANY):
        init = assemble(salt, "POP STOP")
        message = Message(sender=1, to=None, data=init)
        (visit,) = evm.deploy(message, Watch(coverage=True)).visits
        hashes[visit.code_hash] = init
    counted = Counted(native._hash_at)
    monkeypatch.setattr(native, "_hash_at", counted)
    for code_hash, init in hashes.items():
        assert evm.code_of_hash(code_hash) == init
    assert counted.calls == 0  # What was visited is known by its hash.
    evm.machine.forgotten += 1  # Rows may be those of others now.
    for code_hash, init in hashes.items():
        assert evm.code_of_hash(code_hash) == init
    # Each creation leaves a program of no code behind.
    assert MANY <= counted.calls <= 5 * MANY


# --------------------------------------------------------------------------- corpus


def naive_pairs(lengths: Sequence[int], most: int) -> list[tuple[int, int]]:
    found = []
    for greater in range(len(lengths)):
        found += [(other, greater) for other in range(greater)]
        found += [(greater, other) for other in range(greater)]
    return [pair for pair in found if sum(lengths[n] for n in pair) <= most]


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(0, 12), st.randoms())
def test_pairs_come_in_their_order_whenever_they_are_asked_for(
    lengths: list[int], most: int, chance: random.Random
):
    pairs, found = Pairs(most), []
    for calls in lengths:
        pairs.add(calls)
        while chance.random() < 0.5 and (pair := pairs.next()) is not None:
            found.append(pair)
    while (pair := pairs.next()) is not None:
        found.append(pair)
    assert found == naive_pairs(lengths, most)


def test_pairs_that_do_not_fit_are_passed_over(monkeypatch: pytest.MonkeyPatch):
    counted = Counted(Pairs._fitting)
    monkeypatch.setattr(Pairs, "_fitting", counted)
    pairs = Pairs(100)
    for calls in (*[60] * MANY, 30, 40):
        pairs.add(calls)
    assert pairs.next() == (0, MANY)
    assert counted.calls <= 2 * MANY + 1


def test_a_corpus_is_looked_through_once_for_what_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
):
    counted = Counted(entries.call_function)
    monkeypatch.setattr(entries, "call_function", counted)
    corpus, kept = bytearray(), entries.CorpusEntries()
    for number in range(MANY):
        start = len(corpus)
        corpus += join([Call(function=number % 2, sender=1)])
        kept.add(start, len(corpus), 1, [("code", number)])
        without = kept.without(frozenset([1]), corpus)
        assert len(without) // 2 == number // 2 + 1
    assert counted.calls == MANY


class Looked(dict[str, Any]):
    """A call that counts how often it is looked at."""

    times = 0

    def __getitem__(self, name: str) -> Any:
        Looked.times += 1
        return super().__getitem__(name)


def test_calls_are_found_without_a_look_at_them():
    corpus, chance = CorpusView(), random.Random(3)
    calls: list[Looked] = []
    for entry in range(MANY):
        fresh = [
            Looked(
                function=chance.choice("fgh"),
                sender=chance.choice("ab"),
                value=chance.choice(["0", "0", "0", "7", "12"]),
            )
            for _ in range(chance.randrange(4))
        ]
        calls += fresh
        payload = {"entry": entry, "calls": fresh, "injected": True, "newPoints": 0}
        corpus.apply(NewEvent(type="CorpusExtended", round=1, payload=payload))
    asked = product((None, (), ("g",), ("f", "h", "i")), (None, "a", "c"), (None, 0, 8))
    for functions, sender, least in asked:
        Looked.times = 0
        found = corpus.matching(functions, sender, least)
        paying = sum(dict.__getitem__(call, "value") != "0" for call in calls)
        assert Looked.times == (paying if least else 0)
        assert list(found) == [
            index
            for index, call in enumerate(calls)
            if (functions is None or call["function"] in functions)
            and sender in (None, call["sender"])
            and int(call["value"]) >= (least or 0)
        ]
    assert all(corpus.at(n).call is call for n, call in enumerate(calls))


# --------------------------------------------------------------------------- rounds


def test_comparisons_of_many_rounds_are_kept_as_the_same_texts():
    def tried(number: int) -> Event:
        marks = [f"0x{mark:016x}" for mark in range(number, number + 3)]
        payload = {"marks": marks, "tries": [1, 0, number]}
        new = NewEvent(type="ComparisonsTried", round=number, payload=payload)
        return as_event(new)

    news = [tried(number) for number in range(MANY)]
    kept = replica.relevant(news)
    assert all(a is b for a, b in zip(replica.relevant(kept), kept, strict=True))
    texts = [mark for event in kept for mark in event.payload["marks"]]
    assert len({*map(id, texts)}) == len({*texts}) == MANY + 2
    views = ComparisonsView(), ComparisonsView()
    for one, other in zip(news, kept, strict=True):
        views[0].apply(one)
        views[1].apply(other)
    assert views[0].tries == views[1].tries


def test_of_a_frequent_type_a_log_keeps_no_more_than_is_told():
    log = EventLog()
    for seq in range(1, 2 * CAPACITY):
        log.apply(
            Event(
                seq=seq,
                type="RoundCommitted",
                version=1,
                round=seq,
                worker=None,
                at="",
                payload={},
                digest=bytes(32),
            )
        )
    assert len(log.of_type("RoundCommitted", CAPACITY)) == OF_A_TYPE
    assert log.have_left("RoundCommitted")
    assert not log.have_left("StopRequested")


def test_what_is_taken_up_does_not_hold_what_nobody_looks_at(tmp_path: Path):
    with started(tmp_path, load_demo()) as running:
        running.rounds(3, {2: [("clear_priorities", {})]})
        stored = Counter(event.type for event in running.events)
    executor = make_executor(PluginManager.load().executors, "inline")
    campaign = resume_campaign(store_path(tmp_path), py_evm(), executor, PROVENANCE)
    campaign.store.close()
    executor.close()
    held = Counter(event.type for event in campaign.events)
    assert held["RoundCommitted"] == held["TransactionExecuted"] == 0
    for kind in ("CommandAccepted", "CorpusExtended", "CoverageIncreased"):
        assert held[kind] == stored[kind] > 0


# --------------------------------------------------------------------------- reports


def increased(view: CoverageView, key: str, counters: list[int]) -> None:
    delta = CoverageDelta(((key, 0, bits_of(counters)),))
    points = view.new_points(delta)
    payload: dict[str, Any] = {"points": points, "total": view.points + points}
    payload |= delta.to_json()
    view.apply(NewEvent(type="CoverageIncreased", round=1, payload=payload, worker=0))


def test_only_contracts_with_news_are_looked_at_again(monkeypatch: pytest.MonkeyPatch):
    demo = load_demo()
    others = [replace(demo.main_contract, name=f"Other{n}") for n in range(20)]
    program = replace(demo, contracts=(*demo.contracts, *others))
    counted = Counted(CoverageIndex.contract)
    monkeypatch.setattr(CoverageIndex, "contract", counted)
    target, view = build_target(program, CampaignConfig()), CoverageView()
    reports = CoverageReports(target)
    starts = list(range(len(demo.main_contract.runtime_code)))
    for contract in others:
        increased(view, runtime_key(contract), starts[:9])
    reports.report(view)
    counted.calls = 0
    increased(view, runtime_key(others[3]), starts[:90])
    files, text = reports.files(view), reports.lcov(view)
    assert counted.calls == 1
    fresh = CoverageReports(target)
    assert reports.report(view) == fresh.report(view)
    assert (files, text) == (fresh.files(view), fresh.lcov(view))
