"""States: what calls leave in storage, by the rules of the seam, on every backend."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from campaigns import payloads, six_rounds
from corpus_contracts import corpus_program
from eth_hash.auto import keccak
from evm_assembler import assemble
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from native_backends import REFERENCE, named
from paired_calls import paired_results, replica_pair

from echidna_mcp.evm.backend import (
    BackendConfig,
    CallResult,
    EvmBackend,
    Message,
    Status,
    Watch,
)
from echidna_mcp.evm.cheat_settings import CheatSettings
from echidna_mcp.evm.states import (
    EXACT,
    GREATEST,
    PAIR_WORDS,
    STATE_SLOTS,
    WRITTEN,
    pair_number,
)
from echidna_mcp.views.coverage import CoverageMap, CoverageView
from echidna_mcp_plugins.native.backend import NativeBackend
from echidna_mcp_plugins.native.host.capacity import Capacity

pytestmark = pytest.mark.digests

CALLER, CALLEE = 0xA1, 0xA2
CALL_CALLEE = f"0x0 0x0 0x0 0x0 0x0 {CALLEE:#x} GAS CALL POP"
DELEGATE = f"0x0 0x0 0x0 0x0 {CALLEE:#x} GAS DELEGATECALL POP"
REVERT = "0x0 0x0 REVERT"
CALLS = 200
SELECTOR = bytes.fromhex("aabbccdd")
HASHED = 1 << 200
CHEATS = 0x7109709ECFA91A80626FF3989D68F67F5B1DD12D


@pytest.fixture(params=[REFERENCE, "compiled", "checked", "plain"])
def backend(request: pytest.FixtureRequest) -> EvmBackend:
    return named(request.param).create(BackendConfig())


def run(
    backend: EvmBackend,
    *code: str | int | bytes,
    data: bytes = b"",
    mappings: bool = False,
    pairs: bool = False,
) -> CallResult:
    backend.set_account(CALLER, code=assemble(*code))
    message = Message(sender=1, to=CALLER, data=data, gas=2_000_000)
    return backend.call(message, Watch(states=True, mappings=mappings, pairs=pairs))


def left(backend: EvmBackend, *code: str | int | bytes) -> set[tuple[int, int]]:
    return {(each.slot, each.value) for each in run(backend, *code).states}


# -------------------------------------------------------------------------------- rules


def test_the_first_words_that_were_changed_are_told(backend) -> None:
    last = STATE_SLOTS - 1
    code = (7, 0, "SSTORE", 1 << 255, last, "SSTORE", 9, STATE_SLOTS, "SSTORE")
    assert left(backend, *code) == {(0, 7), (last, 1 << 255)}
    assert left(backend, *code) == set(), "now they stay as they are"


def test_a_word_whose_number_only_ends_like_a_small_one_is_none(backend) -> None:
    assert left(backend, 7, (1 << 64) + 3, "SSTORE") == set()


def test_what_counts_is_the_value_at_the_end(backend) -> None:
    backend.set_account(CALLER, storage={2: 1})
    assert left(backend, 2, 2, "SSTORE", 3, 2, "SSTORE") == {(2, 3)}
    backend.set_account(CALLER, storage={2: 1})
    assert left(backend, 2, 2, "SSTORE", 1, 2, "SSTORE") == {(2, 1)}
    assert left(backend, 0, 2, "SSTORE") == {(2, 0)}


def test_what_is_reverted_leaves_nothing(backend) -> None:
    result = run(backend, 7, 0, "SSTORE", REVERT)
    assert (result.status, result.states) == (Status.REVERT, ())
    backend.set_account(CALLEE, code=assemble(5, 1, "SSTORE", REVERT))
    assert left(backend, 7, 0, "SSTORE", CALL_CALLEE) == {(0, 7)}


def test_transient_storage_leaves_nothing(backend) -> None:
    assert left(backend, 7, 0, "TSTORE") == set()


def test_words_are_named_by_the_code_of_their_account(backend) -> None:
    callee = assemble(5, 1, "SSTORE")
    backend.set_account(CALLEE, code=callee)
    caller = [(each.slot, each.value) for each in run(backend, DELEGATE).states]
    assert caller == [(1, 5)]
    (delegated,) = run(backend, 0, 1, "SSTORE", DELEGATE, 6, 1, "SSTORE").states
    both = run(backend, 8, 0, "SSTORE", CALL_CALLEE).states
    assert {(each.slot, each.value) for each in both} == {(0, 8), (1, 5)}
    assert len({each.code_hash for each in both}) == 2
    (other,) = (each for each in both if each.slot == 1)
    assert backend.code_of_hash(other.code_hash) == callee
    assert delegated.code_hash != other.code_hash


def test_an_account_that_is_destroyed_or_has_no_code_leaves_nothing(backend) -> None:
    # The creation code writes a word and ends without runtime code.
    init = assemble(5, 1, "SSTORE", "0x0 0x0 RETURN")
    word = int.from_bytes(init.ljust(32, b"\0"), "big")
    create = (word, 0, "MSTORE", len(init), "0x0 0x0 CREATE POP")
    assert left(backend, *create) == set()
    init = assemble(5, 1, "SSTORE", "CALLER SELFDESTRUCT")
    word = int.from_bytes(init.ljust(32, b"\0"), "big")
    create = (word, 0, "MSTORE", len(init), "0x0 0x0 CREATE POP")
    assert left(backend, 4, 0, "SSTORE", *create) == {(0, 4)}


def test_they_are_told_only_to_who_asks_and_change_nothing_else(backend) -> None:
    code = assemble(1, 0, "SLOAD ADD", 0, "SSTORE")
    backend.set_account(CALLER, code=code)
    message = Message(sender=1, to=CALLER, data=b"")
    silent = backend.call(message)
    asked = backend.call(message, Watch(states=True))
    backend.set_account(CALLER, storage={0: 1})
    again = backend.call(message)
    assert silent.states == again.states == ()
    assert [each.value for each in asked.states] == [2]
    assert replace(asked, states=()) == again


# ----------------------------------------------------------------------------- mappings


def written(
    backend: EvmBackend, *code: str | int | bytes, data: bytes = SELECTOR
) -> set[tuple[int, int]]:
    told = run(backend, *code, data=data, mappings=True).states
    return {(each.slot, each.value) for each in told}


def test_small_numbers_in_other_words_are_those_of_the_writing_function(backend):
    code = (GREATEST, HASHED, "SSTORE", 3, STATE_SLOTS, "SSTORE", 7, 0, "SSTORE")
    code += (GREATEST + 1, HASHED + 1, "SSTORE", (1 << 64) + 3, HASHED + 2, "SSTORE")
    by = WRITTEN | 0xAABBCCDD
    assert written(backend, *code) == {(by, GREATEST), (by, 3), (0, 7)}
    assert written(backend, *code) == set(), "now they stay as they are"
    assert left(backend, 5, HASHED, "SSTORE", 8, 0, "SSTORE") == {(0, 8)}


@pytest.mark.parametrize("data", [b"", b"\xaa\xbb\xcc"])
def test_a_frame_without_a_selector_has_that_of_zero(backend, data):
    code = (7, HASHED, "SSTORE")
    assert written(backend, *code, data=data) == {(WRITTEN, 7)}


def test_words_count_that_are_as_before_or_zero_if_they_have_changed(backend):
    by = WRITTEN | 0xAABBCCDD
    backend.set_account(CALLER, storage={HASHED: 1})
    code = (2, HASHED, "SSTORE", 1, HASHED, "SSTORE")
    assert written(backend, *code) == {(by, 1)}
    assert written(backend, 1, HASHED, "SSTORE") == set()
    assert written(backend, 0, HASHED, "SSTORE") == {(by, 0)}


def test_each_frame_writes_for_its_own_function(backend):
    callee = assemble(5, HASHED, "SSTORE")
    backend.set_account(CALLEE, code=callee)
    passed = f"{0x11223344 << 224:#x} 0x0 MSTORE"
    call = f"0x0 0x0 0x4 0x0 0x0 {CALLEE:#x} GAS CALL POP"
    own, other = WRITTEN | 0xAABBCCDD, WRITTEN | 0x11223344
    code = (6, HASHED, "SSTORE", passed, call)
    result = run(backend, *code, data=SELECTOR, mappings=True)
    assert {(e.slot, e.value) for e in result.states} == {(own, 6), (other, 5)}
    assert len({each.code_hash for each in result.states}) == 2
    # A delegate writes into the account of its caller, which goes on writing then.
    delegate = f"0x0 0x0 0x4 0x0 {CALLEE:#x} GAS DELEGATECALL POP"
    code = (passed, delegate, 9, HASHED + 1, "SSTORE")
    assert written(backend, *code) == {(other, 5), (own, 9)}
    # Of two functions that have changed a word the last one has left what is in it.
    backend.set_account(CALLER, storage={HASHED: 1})
    code = (passed, delegate, 4, HASHED, "SSTORE")
    assert written(backend, *code) == {(own, 4)}
    backend.set_account(CALLER, storage={HASHED: 1})
    code = (GREATEST + 1, HASHED, "SSTORE", passed, delegate)
    assert written(backend, *code) == {(other, 5)}


def test_what_is_reverted_was_not_written(backend):
    backend.set_account(CALLEE, code=assemble(5, HASHED, "SSTORE", REVERT))
    by = WRITTEN | 0xAABBCCDD
    code = (7, HASHED, "SSTORE", DELEGATE, 1, HASHED + 1, "SSTORE")
    assert written(backend, *code) == {(by, 7), (by, 1)}
    assert written(backend, 8, HASHED, "SSTORE", REVERT) == set()


@given(
    before=st.dictionaries(st.integers(0, 2), st.sampled_from([1, 2, 9_999])),
    frames=st.lists(
        st.tuples(
            st.integers(1, 3),
            st.lists(st.tuples(st.integers(0, 2), st.sampled_from([0, 1, 2, 9_999]))),
            st.booleans(),
        ),
        max_size=5,
    ),
)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_who_has_changed_a_word_last_has_left_it(backend, before, frames):
    words = {HASHED + slot: before.get(slot, 0) for slot in range(3)}
    backend.set_account(CALLER, storage=dict(words))
    code: list[str | int | bytes] = []
    by: dict[int, int] = {}
    for number, (selector, writes, reverts) in enumerate(frames):
        callee = CALLEE + number
        stores = [
            part for slot, value in writes for part in (value, HASHED + slot, "SSTORE")
        ]
        ending = REVERT if reverts else "STOP"
        backend.set_account(callee, code=assemble(*stores, ending))
        code += [f"{selector << 224:#x} 0x0 MSTORE 0x0 0x0 0x4 0x0 {callee:#x}"]
        code += ["GAS DELEGATECALL POP"]
        for slot, value in [] if reverts else writes:
            if words[HASHED + slot] != value:
                words[HASHED + slot] = value
                by[HASHED + slot] = WRITTEN | selector
    expected = {(by[slot], words[slot]) for slot in by if words[slot] <= GREATEST}
    assert written(backend, *code) == expected


def test_what_init_code_writes_is_of_no_function(backend):
    init = assemble(5, STATE_SLOTS, "SSTORE", "0x1 0x0 RETURN")  # Its code is STOP.
    word = int.from_bytes(init.ljust(32, b"\0"), "big")
    create = f"{word:#x} 0x20 MSTORE {len(init):#x} 0x20 0x0 CREATE POP"
    assert written(backend, create, 6, HASHED, "SSTORE") == {
        (WRITTEN, 5),
        (WRITTEN | 0xAABBCCDD, 6),
    }


def test_callcode_writes_for_the_function_that_it_names(backend):
    backend.set_account(CALLEE, code=assemble(5, HASHED, "SSTORE"))
    call = f"0x0 0x0 0x4 0x0 0x0 {CALLEE:#x} GAS CALLCODE POP"
    code = (f"{0x11223344 << 224:#x} 0x0 MSTORE", call)
    assert written(backend, *code) == {(WRITTEN | 0x11223344, 5)}
    (only,) = run(backend, 7, HASHED, "SSTORE", data=SELECTOR, mappings=True).states
    assert backend.code_of_hash(only.code_hash) == assemble(7, HASHED, "SSTORE")


def test_words_of_a_contract_that_is_gone_are_none(backend):
    init = assemble(5, HASHED, "SSTORE", "CALLER SELFDESTRUCT")
    word = int.from_bytes(init.ljust(32, b"\0"), "big")
    create = f"{word:#x} 0x20 MSTORE {len(init):#x} 0x20 0x0 CREATE POP"
    by = WRITTEN | 0xAABBCCDD
    assert written(backend, create, 6, HASHED, "SSTORE") == {(by, 6)}


@pytest.mark.parametrize("mode", ["compiled", "checked", "plain"])
def test_the_memory_may_end_with_the_selector(mode):
    room = 1 << 16
    capacity = Capacity(memory=room)
    evm = NativeBackend(BackendConfig(), mode=mode, capacity=capacity)
    evm.set_account(CALLEE, code=assemble(5, HASHED, "SSTORE"))
    last = f"{0x11223344:#x} {room - 32:#x} MSTORE"
    call = f"0x0 0x0 0x4 {room - 4:#x} 0x0 {CALLEE:#x} GAS CALL POP"
    # Calldata would stand before it.
    assert written(evm, last, call, data=b"") == {(WRITTEN | 0x11223344, 5)}


def store(slot: int, value: int) -> str:
    """Return code that has `vm.store` write a word of the account."""
    selector = keccak(b"store(address,bytes32,bytes32)")[:4]
    words = {0: int.from_bytes(selector, "big") << 224, 4: CALLER, 36: slot, 68: value}
    puts = " ".join(f"{word:#x} {at:#x} MSTORE" for at, word in words.items())
    return f"{puts} 0x0 0x0 0x64 0x0 0x0 {CHEATS:#x} GAS CALL POP"


@pytest.mark.parametrize("name", [REFERENCE, "compiled", "checked"])
def test_what_cheatcodes_have_left_is_of_no_function(name):
    cheats = CheatSettings(dialect="foundry")
    evm = named(name).create(BackendConfig(fork="cancun", cheats=cheats))
    by = WRITTEN | 0xAABBCCDD
    code = (5, HASHED, "SSTORE", store(HASHED, 6), 1, HASHED + 1, "SSTORE")
    assert written(evm, *code) == {(by, 1)}
    assert evm.storage(CALLER, HASHED) == 6
    # What is there already is no change.
    assert written(evm, 7, HASHED, "SSTORE", store(HASHED, 7)) == {(by, 7)}
    assert written(evm, store(HASHED, 8), 9, HASHED, "SSTORE") == {(by, 9)}
    assert left(evm, store(3, 4)) == {(3, 4)}, "first words are whoever's"


def test_transient_words_are_none(backend):
    assert written(backend, 7, HASHED, "TSTORE") == set()


# -------------------------------------------------------------------------------- pairs


def paired(backend: EvmBackend, *code: str | int | bytes) -> set[tuple[int, int]]:
    """Return number and value of what is left, without the words by themselves."""
    told = run(backend, *code, pairs=True).states
    return {(each.slot, each.value) for each in told if each.slot >= STATE_SLOTS}


def test_small_words_are_states_together_with_each_one_that_has_changed(backend):
    code = (7, 3, "SSTORE", 5, 1, "SSTORE")
    assert paired(backend, *code) == {(pair_number(1, 3, 7), 5)}
    assert paired(backend, *code) == set(), "now they stay as they are"
    assert paired(backend, 6, 3, "SSTORE") == {(pair_number(1, 3, 6), 5)}
    backend.set_account(CALLER, storage={0: 1, 1: 2, 3: 4})
    both = {(pair_number(0, 2, 9), 1), (pair_number(1, 2, 9), 2)}
    assert paired(backend, 9, 2, "SSTORE") == {*both, (pair_number(2, 3, 4), 9)}
    assert left(backend, 8, 2, "SSTORE") == {(2, 8)}, "nobody asked for pairs"


def test_zero_great_numbers_and_words_further_back_are_in_no_pair(backend):
    last = PAIR_WORDS - 1
    backend.set_account(CALLER, storage={0: EXACT, 1: EXACT + 1, last + 1: 1})
    assert paired(backend, 1, last, "SSTORE") == {(pair_number(0, last, 1), EXACT)}
    for value in (0, EXACT + 1, (1 << 64) + 1):
        assert paired(backend, value, last, "SSTORE") == set()
    assert paired(backend, 2, last + 1, "SSTORE") == set()
    assert paired(backend, 2, (1 << 64) + 2, "SSTORE") == set()


def test_words_of_two_accounts_are_no_pair(backend):
    backend.set_account(CALLEE, code=assemble(5, 1, "SSTORE"))
    assert paired(backend, 8, 0, "SSTORE", CALL_CALLEE) == set()
    assert paired(backend, 6, 1, "SSTORE") == {(pair_number(0, 1, 6), 8)}


first_words = st.integers(0, PAIR_WORDS + 1)
little = st.sampled_from([0, 1, 2, EXACT, EXACT + 1, 1 << 70])


@given(
    st.dictionaries(first_words, little, max_size=5),
    st.lists(st.tuples(first_words, little), max_size=5),
)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_pairs_are_those_of_the_values_at_the_end(backend, before, writes):
    backend.set_account(CALLER, storage=before)
    words, changed = dict(before), set()
    for slot, value in writes:
        if words.get(slot, 0) != value:
            changed.add(slot)
        words[slot] = value
    small = sorted(s for s, v in words.items() if s < PAIR_WORDS and 0 < v <= EXACT)
    expected = {
        (pair_number(one, other, words[other]), words[one])
        for one, other in combinations(small, 2)
        if changed & {one, other}
    }
    code = [part for slot, value in writes for part in (value, slot, "SSTORE")]
    assert paired(backend, *code) == expected


# ---------------------------------------------------------------------------- contracts


@pytest.mark.parametrize(
    "name", ["Factory", "StorageHeavy", "UupsProxy", "TryCatch", "Lender", "Cheats"]
)
def test_calls_of_contracts_leave_the_same_on_both_backends(name) -> None:
    names = ("Cheats", "Factory", "Lender", "StorageHeavy", "TryCatch", "UupsProxy")
    found = set()
    replicas = replica_pair(names, name, seq_len=40)
    # Else what a search knows already would be left out by the backend that has one.
    watch = Watch(states=True, mappings=True, pairs=True, known=True)
    for one, other in paired_results(replicas, CALLS, watch):
        assert set(one.states) == set(other.states)
        assert replace(one, states=()) == replace(other, states=())
        found |= set(one.states)
    assert found


def committed(
    folder: Path, name: str, backend: str, budget: int = 30_000
) -> tuple[list[Any], CoverageMap]:
    """Return what a campaign has committed in six rounds, and what it knows then."""
    program, values = corpus_program(name), {"round_budget": budget, "seq_len": 30}
    events = six_rounds(folder / backend, program, named(backend), **values)
    view = CoverageView()
    for event in events:
        view.apply(event)
    return payloads(events, "RoundCommitted"), view.map


@pytest.mark.parametrize("name", ["Ratchet", "Factory", "Grid", "StorageHeavy"])
def test_campaigns_with_states_are_the_same_on_every_backend(tmp_path, name) -> None:
    expected, known = committed(tmp_path, name, REFERENCE)
    assert known.states
    for backend in ("compiled", "checked", "hot"):
        assert committed(tmp_path, name, backend)[0] == expected


def test_campaigns_are_the_same_when_no_more_states_can_become_known(tmp_path) -> None:
    expected, known = committed(tmp_path, "Shelves", REFERENCE, 2_000_000)
    assert known.state_rooms == [0, 0, 0]
    for backend in ("compiled", "checked", "hot"):
        assert committed(tmp_path, "Shelves", backend, 2_000_000)[0] == expected
