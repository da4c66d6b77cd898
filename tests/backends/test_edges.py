"""Edges: the rules of the seam, and that backends tell the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from evm_assembler import assemble, creation_code
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

pytestmark = pytest.mark.digests

CALLER, CALLEE = 0xA1, 0xA2
CALL_CALLEE = f"0x0 0x0 0x0 0x0 0x0 {CALLEE:#x} GAS CALL POP"
CALLS = 120


@pytest.fixture(params=[REFERENCE, "compiled", "checked", "plain"])
def backend(request) -> EvmBackend:
    return named(request.param).create(BackendConfig())


def run(
    backend: EvmBackend, code: bytes, data: bytes = b"", gas: int = 12_500_000
) -> CallResult:
    backend.set_account(CALLER, code=code)
    message = Message(sender=1, to=CALLER, data=data, gas=gas)
    return backend.call(message, Watch(coverage=True, edges=True))


def edges(result: CallResult) -> list[tuple[int, int]]:
    return [(edge.jump, edge.target) for edge in result.edges]


def ways(backend: EvmBackend, *code: str | int | bytes) -> list[tuple[int, int]]:
    return edges(run(backend, assemble(*code)))


# -------------------------------------------------------------------------------- rules


def test_jumps_that_are_taken_and_jumps_that_are_not_are_edges(backend):
    assert ways(backend, "@a JUMP a: STOP") == [(3, 4)]
    assert ways(backend, 1, "@a JUMPI a: STOP") == [(5, 6)]
    assert ways(backend, 1, "@a JUMPI STOP a: STOP") == [(5, 7)]
    assert ways(backend, 0, "@a JUMPI STOP a: STOP") == [(4, 5)]
    assert ways(backend, "PC 0x7 ADD JUMP INVALID", "INVALID a: STOP") == [(4, 7)]


def test_both_ways_of_a_jump_to_the_block_behind_it_are_one_edge(backend):
    code = assemble("0x0 CALLDATALOAD @a JUMPI a: STOP")
    assert edges(run(backend, code)) == edges(run(backend, code, b"\1" * 32)) != []


def test_blocks_that_no_jump_connects_are_no_edge(backend):
    assert ways(backend, "0x1 POP a: GAS POP", 1, 2, "SSTORE b: STOP") == []


def test_each_edge_is_told_once_in_the_order_of_its_first_time(backend):
    found = ways(backend, "0x5 l: 0x1 SWAP1 SUB DUP1 @l JUMPI @e JUMP e: STOP")
    assert found == [(11, 2), (11, 12), (15, 16)]


def test_the_same_block_may_be_reached_in_two_ways(backend):
    code = assemble("0x0 CALLDATALOAD @a JUMPI 0x1 POP a: STOP")
    fallen, jumped = (edges(run(backend, code, bytes([n]) * 32)) for n in (0, 1))
    assert fallen == [(5, 6)]
    assert jumped == [(5, 9)]
    both = {
        visit.counters[at]
        for n in (0, 1)
        for visit in run(backend, code, bytes([n]) * 32).visits
        for at in (0, 9)
    }
    assert both == {1}, "the blocks at both ends are no news"


def test_a_jump_that_leads_nowhere_is_no_edge(backend):
    result = run(backend, assemble("0x3 JUMP STOP"))
    assert result.status is Status.HALT
    assert result.edges == ()


def test_a_block_that_is_not_entered_ends_no_edge(backend):
    refused = run(backend, assemble("@a JUMP a: POP"))
    assert refused.status is Status.HALT
    assert refused.edges == ()
    poor = run(backend, assemble("@a JUMP a:", "0x1 POP " * 9), gas=21_000 + 12)
    assert poor.status is Status.OUT_OF_GAS
    assert poor.visits
    assert poor.edges == ()


@pytest.mark.parametrize(
    "callee",
    ["0x3 JUMP", "@a JUMP a: POP", "0x1 0x0 JUMPI", "@a JUMP a: STOP", ""],
)
def test_the_jump_of_a_callee_does_not_lead_into_its_caller(backend, callee):
    backend.set_account(CALLEE, code=assemble(callee))
    result = run(backend, assemble(CALL_CALLEE, "@b JUMP b: STOP"))
    at = len(assemble(CALL_CALLEE)) + 3
    own = [e for e in result.edges if e.code_hash == result.visits[0].code_hash]
    assert [(e.jump, e.target) for e in own] == [(at, at + 1)]
    others = [(e.jump, e.target) for e in result.edges if e not in own]
    assert others == ([(3, 4)] if "STOP" in callee else [])


def test_a_code_that_calls_itself_keeps_its_frames_apart(backend):
    """The inner frame ends with a jump that fails; the outer one goes on."""
    call = "0x0 0x0 0x0 0x0 0x0 ADDRESS GAS CALL POP"
    code = assemble(
        "CALLER ADDRESS EQ @inner JUMPI", call, "@end JUMP inner: 0x2 JUMP end: STOP"
    )
    decision = len(assemble("CALLER ADDRESS EQ")) + 3
    jump = decision + 1 + len(assemble(call)) + 3
    assert edges(run(backend, code)) == [
        (decision, decision + 1),
        (decision, jump + 1),
        (jump, len(code) - 2),
    ]


def test_edges_of_reverted_frames_and_of_constructors_count(backend):
    backend.set_account(CALLEE, code=assemble("@a JUMP a: 0x0 0x0 REVERT"))
    assert (3, 4) in edges(run(backend, assemble(CALL_CALLEE, "STOP")))
    init = assemble("@a JUMP a:") + creation_code(b"")
    message = Message(sender=1, to=None, data=init)
    made = backend.deploy(message, Watch(coverage=True, edges=True))
    assert edges(made) == [(3, 4)]
    assert backend.code_of_hash(made.edges[0].code_hash) == init


def test_frames_that_are_too_deep_are_not_recorded(backend):
    """The code calls itself, and jumps only where calldata or depth let it."""
    deep = assemble(
        "0x0 SLOAD 0x1 ADD DUP1 0x0 SSTORE 0x42 LT @deep JUMPI",
        f"0x0 0x0 0x0 0x0 0x0 {CALLER:#x} GAS CALL STOP",
        "deep: @x JUMP x: STOP",
    )
    backend.set_account(CALLER, storage={0: 0})
    result = run(backend, deep)
    assert max(visit.depth for visit in result.visits) == 63
    jump = len(deep) - 3
    assert jump not in {edge.jump for edge in result.edges}
    backend.set_account(CALLER, storage={0: 50})
    assert jump in {edge.jump for edge in run(backend, deep).edges}


def test_they_are_told_only_to_who_asks_and_change_nothing_else(backend):
    code = assemble(
        "0x5 l: 0x1 SWAP1 SUB DUP1 @l JUMPI", CALL_CALLEE, "@e JUMP e: STOP"
    )
    backend.set_account(CALLER, code=code)
    backend.set_account(CALLEE, code=assemble("@a JUMP a: STOP"))
    message = Message(sender=1, to=CALLER, data=b"")
    silent = [backend.call(message, Watch(coverage=True)) for _ in range(2)]
    asked = [backend.call(message, Watch(coverage=True, edges=True)) for _ in range(2)]
    after = backend.call(message, Watch(coverage=True))
    assert len(asked[0].edges) == 4
    assert asked[0] == asked[1]
    for result in (*silent, after):
        assert result == replace(asked[0], edges=())
    assert backend.call(message, Watch(edges=True)).edges == ()


# ---------------------------------------------------------------------------- contracts


@pytest.mark.parametrize("solc_args", ["", "--optimize --via-ir"])
@pytest.mark.parametrize("name", ["NestedTypes", "Token", "TryCatch", "Factory"])
def test_calls_of_contracts_take_the_same_edges_on_both_backends(name, solc_args):
    names = ("Factory", "NestedTypes", "Token", "TryCatch")
    replicas = replica_pair(names, name, solc_args, seq_len=40, edges=True)
    first, native = replicas
    native.backend.only_new = False
    assert first.deployments == native.deployments
    assert first.deployments[0].edges
    found = set()
    for one, other in paired_results(replicas, CALLS, Watch(coverage=True, edges=True)):
        assert one == other
        found |= set(one.edges)
    assert len(found) > 20
