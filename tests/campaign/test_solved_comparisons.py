"""What climbing solves first is an event, and its word is an argument elsewhere."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from campaigns import (
    calls_until_falsified,
    payloads,
    replayed,
    six_rounds,
    small_config,
    started,
)
from corpus_contracts import compile_corpus
from eth_hash.auto import keccak
from native_backends import REFERENCE, named
from solc import compile_solidity

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.demo import load_demo
from echidna_mcp.events.event import Event, NewEvent
from echidna_mcp.evm.backend import ComparisonKind
from echidna_mcp.fuzz.climbing.fallen import MOST_TOLD
from echidna_mcp.fuzz.climbing.starting import Fallen
from echidna_mcp.program.model import Program
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.replica import relevant
from echidna_mcp.rounds.tasks import RoundResult
from echidna_mcp.views.campaign import CampaignViews
from echidna_mcp.views.comparisons import MOST_FALLEN
from echidna_mcp.views.dictionary import MOST_WORDS
from echidna_mcp.views.learning import Learning

WORD = 411_520
PRODUCT = 3 * WORD + 7
JUMPDEST, EQ = 0x5B, 0x14
HASH = keccak(WORD.to_bytes(32, "big")).hex()
SOURCE = f"""
contract Twice {{
    bool opened;
    bool unlocked;
    function open(uint256 x) external {{
        require(x * 3 + 7 == {PRODUCT});
        opened = true;
    }}
    // The same word, which is nowhere in the code, and in no comparison here.
    function unlock(uint256 y) external {{
        require(keccak256(abi.encode(y)) == 0x{HASH});
        unlocked = true;
    }}
    function echidna_locked() external view returns (bool) {{ return !unlocked; }}
}}
"""
IN_ARRAY = SOURCE.replace("uint256 y", "uint256[] calldata y").replace("(y)", "(y[2])")


@cache
def twice() -> Program:
    return compile_solidity(SOURCE, "Twice")


def events_of(
    directory: Path, backend: str = "compiled", **changes: Any
) -> list[Event]:
    values = {"round_budget": 60_000, "seq_len": 10, **changes}
    return six_rounds(directory, twice(), named(backend), **values)


def sites_of(events: list[Event]) -> list[Any]:
    told = payloads(events, "ComparisonsSolved")
    return [site for payload in told for site in payload["sites"]]


def words_of(events: list[Event]) -> list[str]:
    told = payloads(events, "DictionaryExtended")
    return [word for payload in told for word in payload["words"]]


@pytest.mark.solc
@pytest.mark.parametrize("backend", [REFERENCE, "compiled"])
def test_the_event_names_the_place_and_the_word_and_comes_once(tmp_path, backend):
    events = events_of(tmp_path, backend)
    (site,) = [each for each in sites_of(events) if each["word"] == hex(WORD)]
    assert (site["kind"], site["holds"]) == ("EQUAL", True)
    contract = twice().main_contract
    assert site["code"] == f"{contract.qualified_name}/runtime"
    # The block that compares, behind a checked addition, with what was pushed before.
    code, counter = contract.runtime_code, site["counter"]
    assert code[counter] == JUMPDEST
    assert EQ in code[counter : counter + 4]
    assert 0 < counter - code.index(PRODUCT.to_bytes(3, "big")) < 32
    assert words_of(events) == [hex(WORD)]


@pytest.mark.solc
def test_it_is_told_where_a_variant_shows_new_code_and_where_nothing_is_new(tmp_path):
    """Coverage tells of the former as well; without it no variant is news."""
    for coverage in (True, False):
        sites = sites_of(events_of(tmp_path / str(coverage), coverage=coverage))
        (site,) = [each for each in sites if each["word"] == hex(WORD)]
        # Whose code it is shows what was run.
        assert ("code" in site) == coverage


@pytest.mark.solc
def test_without_its_key_the_word_stays_out_and_without_climbing_nothing_is_told(
    tmp_path,
):
    silent = events_of(tmp_path / "silent", solved_words=False)
    assert [each["word"] for each in sites_of(silent)].count(hex(WORD)) == 1
    assert words_of(silent) == []
    without = events_of(tmp_path / "without", climbing=False)
    assert sites_of(without) == words_of(without) == []


@pytest.mark.solc
def test_a_campaign_from_before_is_replayed_without_such_events(tmp_path):
    before = CampaignConfig.from_json({})
    assert (before.solved_events, before.solved_words) == (False, False)
    old = {"solved_events": False, "solved_words": False}
    for name, changes in (("before", old), ("now", {})):
        events = events_of(tmp_path / name, **changes)
        assert bool(sites_of(events)) == (name == "now")
        last = payloads(events, "RoundCommitted")[-1]["stateDigest"]
        assert replayed(events, named("compiled")) == last


# Echoes and ties bring it to a parameter of the same type as well.
ALIKE = {"echoes": False, "ties": False}


@pytest.mark.solc
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("others", [ALIKE, {}], ids=["alike", "in an array"])
def test_the_word_is_an_argument_of_another_function(tmp_path, seed, others):
    most = 100_000
    program = twice() if others else compile_solidity(IN_ARRAY, "Twice")
    calls = {}
    for solved_words in (True, False):
        calls[solved_words] = calls_until_falsified(
            tmp_path / str(solved_words),
            program,
            named("compiled"),
            most,
            seed=seed,
            round_budget=1_000_000,
            solved_words=solved_words,
            **others,
        )
    assert calls[True] < most // 2
    assert calls[False] >= most


@pytest.mark.solc
@pytest.mark.parametrize("name", ["MagicNested", "MagicChain"])
def test_campaigns_are_the_same_on_every_backend(tmp_path, name):
    def rounds_of(backend: str, **changes: Any) -> list[Event]:
        values = {"round_budget": 60_000, "seq_len": 30, **changes}
        values["function_constants"] = False  # They answer what is to be solved.
        program = compile_corpus((name,))
        directory = tmp_path / "-".join([backend, *changes])
        return six_rounds(directory, program, named(backend), **values)

    expected = rounds_of(REFERENCE)
    told = payloads(expected, "ComparisonsSolved")
    assert told
    for mode in ("compiled", "checked"):
        found = rounds_of(mode)
        assert payloads(found, "ComparisonsSolved") == told
        assert payloads(found, "RoundCommitted") == payloads(expected, "RoundCommitted")
    without = rounds_of("compiled", solved_events=False)
    assert payloads(without, "ComparisonsSolved") == []


@pytest.mark.solc
def test_a_campaign_is_the_same_in_plain_python_and_in_processes(tmp_path):
    config = small_config(round_budget=40_000, seq_len=10, workers=1)
    rounds = {}
    for backend, executor in (
        ("compiled", "inline"),
        ("plain", "inline"),
        ("compiled", "processes:2"),
        ("compiled", "threads:2"),
    ):
        directory = tmp_path / f"{backend}-{executor.replace(':', '-')}"
        with started(
            directory, twice(), config, executor=executor, backend=named(backend)
        ) as running:
            running.rounds(3)
            rounds[backend, executor] = running.digests()
            assert sites_of(running.events)
    assert len({tuple(digests) for digests in rounds.values()}) == 1


# ---------------------------------------------------------------------------- merging


def views() -> CampaignViews:
    return CampaignViews(build_target(load_demo(), CampaignConfig(workers=2)))


def fallen(*counters: int, word: int = 10**9, holds: int = 1) -> tuple[Fallen, ...]:
    kind = ComparisonKind.EQUAL
    return tuple(Fallen(at, int(kind), holds, word + at) for at in counters)


def merged(known: CampaignViews, *tasks: tuple[Fallen, ...]) -> dict[str, Any]:
    """Merge what tasks tell; return the payloads of the events, which are folded."""
    results = [RoundResult(worker=n, fallen=told) for n, told in enumerate(tasks)]
    events = [
        NewEvent(type=kind, round=1, payload=payload)
        for kind, payload in Learning(known).of_round(results)
    ]
    for each in events:
        known.apply(each)
    return {each.type: each.payload for each in events}


def counters_of(found: dict[str, Any]) -> list[int]:
    solved = found.get("ComparisonsSolved", {"sites": []})
    return [site["counter"] for site in solved["sites"]]


def test_of_two_workers_the_first_one_has_found_it_and_it_is_told_once():
    known = views()
    found = merged(known, fallen(3, 1), fallen(2, 1, word=5 * 10**9))
    assert counters_of(found) == [3, 1, 2]
    words = [int(site["word"], 16) for site in found["ComparisonsSolved"]["sites"]]
    assert words == [10**9 + 3, 10**9 + 1, 5 * 10**9 + 2]
    assert [int(w, 16) for w in found["DictionaryExtended"]["words"]] == words
    assert merged(known, fallen(2), fallen(1)) == {}


def test_a_round_tells_so_many_and_the_campaign_so_many():
    known = views()
    rest = range(MOST_FALLEN + 100)
    while found := counters_of(merged(known, fallen(*rest[:40]), fallen(*rest[40:90]))):
        assert found == [*rest[:MOST_TOLD]]
        rest = rest[MOST_TOLD:]
    assert len(known.comparisons.fallen) == MOST_FALLEN


def test_words_are_those_of_equations_that_hold_and_so_many_of_a_task():
    known = views()
    found = merged(known, fallen(1, holds=0), fallen(2, word=100), fallen(3))
    assert [int(w, 16) for w in found["DictionaryExtended"]["words"]] == [10**9 + 3]
    many = fallen(*range(100, 100 + MOST_WORDS + 5))
    words = merged(known, many)["DictionaryExtended"]["words"]
    assert len(words) == MOST_WORDS


def test_replicas_keep_the_event_for_those_that_join_later():
    known = views()
    payload = merged(known, fallen(1))["ComparisonsSolved"]
    event = Event(
        seq=1,
        type="ComparisonsSolved",
        version=1,
        round=1,
        worker=None,
        at="",
        payload=payload,
        digest=b"",
    )
    assert relevant([event]) == [event]
