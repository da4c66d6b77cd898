"""Storage words read and written: the rules of the seam, alike on every backend."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from evm_assembler import assemble
from native_backends import REFERENCE, named
from paired_calls import paired_results, replica_pair
from random_worlds import RandomWorld
from twins import Twins

from echidna_mcp.evm.backend import (
    MOST_SLOTS,
    BackendConfig,
    CallResult,
    EvmBackend,
    Message,
    Status,
    Watch,
)

pytestmark = pytest.mark.digests

CALLER, CALLEE = 0xA1, 0xA2
LARGE = (1 << 256) - 5

CONTRACTS = ("MultiToken", "Libraries", "Factory", "Transient", "TryCatch", "UupsProxy")
CALLS = 150


@pytest.fixture(params=[REFERENCE, "compiled", "checked", "plain"])
def backend(request: pytest.FixtureRequest) -> EvmBackend:
    return named(request.param).create(BackendConfig())


def run(
    backend: EvmBackend, *code: str | int | bytes, gas: int = 2_000_000
) -> CallResult:
    backend.set_account(CALLER, code=assemble(*code))
    message = Message(sender=1, to=CALLER, data=b"", gas=gas)
    return backend.call(message, Watch(storage=True))


def test_reads_and_writes_are_told_once_in_order_of_their_first_time(backend) -> None:
    load, store = "SLOAD POP", "SSTORE"
    result = run(
        backend, 7, load, 3, LARGE, store, 5, load, 1, 7, store, 3, load, 7, load, 2, 9
    )
    assert result.status is Status.STOP
    assert result.reads == ((CALLER, 7), (CALLER, 5), (CALLER, 3))
    assert result.writes == ((CALLER, LARGE), (CALLER, 7))


def test_a_word_is_written_even_if_it_stays_as_it_is(backend) -> None:
    result = run(backend, 0, 4, "SSTORE")
    assert (result.reads, result.writes) == ((), ((CALLER, 4),))


def test_transient_storage_and_access_lists_do_not_count(backend) -> None:
    backend.set_account(CALLER, code=assemble(1, 2, "TSTORE", 2, "TLOAD POP"))
    listed = ((CALLER, (1, 2)),)
    message = Message(sender=1, to=CALLER, data=b"", access_list=listed)
    result = backend.call(message, Watch(storage=True))
    assert result.status is Status.STOP
    assert (result.reads, result.writes) == ((), ())


def test_an_access_that_faults_is_none(backend) -> None:
    # 2,100 gas for a cold word, and 2,300 that SSTORE wants to see.
    poor = run(backend, 4, "SLOAD", gas=21_000 + 2_100)
    assert (poor.status, poor.reads) == (Status.OUT_OF_GAS, ())
    guarded = run(backend, 1, 4, "SSTORE", gas=21_000 + 6 + 2_300)
    assert (guarded.status, guarded.writes) == (Status.OUT_OF_GAS, ())
    poor = run(backend, 1, 4, "SSTORE", gas=21_000 + 6 + 22_099)
    assert (poor.status, poor.writes) == (Status.OUT_OF_GAS, ())
    same = run(backend, 0, 4, "SSTORE", gas=21_000 + 5 + 2_301)
    assert (same.status, same.writes) == (Status.STOP, ((CALLER, 4),))
    backend.set_account(CALLEE, code=assemble(1, 4, "SSTORE"))
    static = run(backend, f"0x0 0x0 0x0 0x0 {CALLEE:#x} GAS STATICCALL")
    assert (static.status, static.writes) == (Status.STOP, ())


@pytest.mark.parametrize("end", ["STOP", "0x0 0x0 REVERT", b"\xfe"])
def test_accesses_of_all_frames_count_even_of_reverted_ones(backend, end) -> None:
    inner = assemble(9, 8, "SSTORE", 6, "SLOAD POP", "0x0 0x0 REVERT")
    backend.set_account(CALLEE, code=inner)
    call = f"0x0 0x0 0x0 0x0 0x0 {CALLEE:#x} GAS CALL POP"
    result = run(backend, 6, "SLOAD POP", call, 1, 2, "SSTORE", end)
    assert result.reads == ((CALLER, 6), (CALLEE, 6))
    assert result.writes == ((CALLEE, 8), (CALLER, 2))


def test_a_delegated_call_accesses_the_storage_of_its_caller(backend) -> None:
    backend.set_account(CALLEE, code=assemble(9, 8, "SSTORE", 6, "SLOAD POP"))
    result = run(backend, f"0x0 0x0 0x0 0x0 {CALLEE:#x} GAS DELEGATECALL POP")
    assert (result.reads, result.writes) == (((CALLER, 6),), ((CALLER, 8),))


def test_the_slots_that_were_accessed_first_are_kept(backend) -> None:
    # Reads slots upwards from 1 until there is no more gas, and writes slot 1.
    gas = 21_000 + (MOST_SLOTS + 20) * 2_300
    loop = "0x0 again: 0x1 ADD DUP1 SLOAD POP DUP1 0x1 SSTORE @again JUMP"
    result = run(backend, loop, gas=gas)
    assert result.status is Status.OUT_OF_GAS
    assert result.reads == tuple((CALLER, slot + 1) for slot in range(MOST_SLOTS))
    assert result.writes == ((CALLER, 1),)


def test_they_are_told_only_to_who_asks_and_change_nothing_else(backend) -> None:
    code = assemble(0, "SLOAD", 1, "ADD DUP1", 0, "SSTORE", 0, "MSTORE 0x20 0x0 RETURN")
    backend.set_account(CALLER, code=code)
    start = backend.snapshot()
    message = Message(sender=1, to=CALLER, data=b"")
    results = []
    for storage in (False, True, False, True):
        backend.restore(start)
        results.append(backend.call(message, Watch(coverage=True, storage=storage)))
    asked = (((CALLER, 0),), ((CALLER, 0),))
    told = [(result.reads, result.writes) for result in results]
    assert told == [((), ()), asked, ((), ()), asked]
    for result in results:
        assert replace(result, reads=(), writes=()) == results[0]
    assert backend.code_of_hash(results[3].visits[0].code_hash) == code


# ------------------------------------------------------------------------ differential


@pytest.mark.parametrize("fork", ["cancun", "prague"])
def test_random_programs_access_the_same_on_both_backends(fork) -> None:
    told = 0
    for seed in range(40):
        world = RandomWorld(1_000 + seed, fork)
        backends = [named(each).create for each in (REFERENCE, "compiled")]
        twins = Twins(world.config(), *backends)
        world.play(twins, Counter())
        told += twins.slots
    assert told > 100


@pytest.mark.parametrize("name", CONTRACTS)
def test_calls_of_contracts_access_the_same_on_both_backends(name) -> None:
    told = set()
    replicas = replica_pair(CONTRACTS, name, seq_len=50)
    for one, other in paired_results(replicas, CALLS, Watch(storage=True)):
        assert one == other
        told |= {*one.reads, *one.writes}
    assert len(told) > 1
