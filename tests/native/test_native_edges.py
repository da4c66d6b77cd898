"""The table of edges of the native backend."""

from __future__ import annotations

from random import Random

import pytest
from evm_assembler import assemble
from native_backends import named

from echidna_mcp.errors import CapacityError
from echidna_mcp.evm.backend import (
    BackendConfig,
    CallResult,
    EvmBackend,
    Message,
    Watch,
)
from echidna_mcp_plugins.native.backend import NativeBackend
from echidna_mcp_plugins.native.code.edges import (
    KNOWN_EDGE,
    MISSING,
    add_edge,
    find_edge,
    forget_edges,
    learn_edge,
)
from echidna_mcp_plugins.native.host.capacity import Capacity

CALLER = 0xA1


def run(backend: EvmBackend, code: bytes, data: bytes = b"") -> CallResult:
    backend.set_account(CALLER, code=code)
    message = Message(sender=1, to=CALLER, data=data)
    return backend.call(message, Watch(coverage=True, edges=True))


def edges(result: CallResult) -> list[tuple[int, int]]:
    return [(edge.jump, edge.target) for edge in result.edges]


def many_jumps(count: int) -> bytes:
    """Return code with so many edges."""
    return b"".join(
        bytes([0x61, *(5 * i + 4).to_bytes(2, "big"), 0x56, 0x5B]) for i in range(count)
    )


@pytest.mark.parametrize("mode", ["compiled", "checked", "plain"])
def test_the_table_of_edges_grows(mode):
    code = many_jumps(3_000)
    found = run(named(mode).create(BackendConfig()), code)
    assert edges(found) == [(5 * i + 3, 5 * i + 4) for i in range(3_000)]


def test_a_full_table_is_an_error_that_says_so_and_changes_nothing():
    backend = NativeBackend(BackendConfig(), capacity=Capacity(edges=0))
    code = assemble(7, 0, "SSTORE") + b"\x5b" * 3
    jumps = many_jumps(900)
    moved = bytearray(jumps)
    for i in range(900):
        moved[5 * i + 1 : 5 * i + 3] = (5 * i + 4 + len(code)).to_bytes(2, "big")
    with pytest.raises(CapacityError, match="no room for more edges"):
        run(backend, code + bytes(moved))
    assert backend.storage(CALLER, 0) == 0
    # It is emptied, so that other messages don't have to suffer for this one.
    assert len(run(backend, many_jumps(700)).edges) == 700


def test_the_table_holds_what_is_put_into_it():
    m = NativeBackend(BackendConfig()).machine
    random, known = Random(3), dict[int, bool]()
    for _ in range(20_000):
        key = random.randrange(1, 1 << 14) << 31 | random.randrange(1, 1 << 14)
        if random.random() < 0.5:
            learn_edge(m, key)
            known[key] = True
        elif find_edge(m, key) == MISSING:
            add_edge(m, key)
            known[key] = False
    assert m.edge_count == len(known)
    for key, is_known in known.items():
        word = m.edges[find_edge(m, key)]
        assert word == (key | KNOWN_EDGE if is_known else key)
    forget_edges(m)
    assert m.edge_count == 0
    assert all(find_edge(m, key) == MISSING for key in known)


@pytest.mark.parametrize("mode", ["compiled", "plain"])
def test_an_edge_that_is_known_is_not_told_while_searching(mode):
    backend = NativeBackend(BackendConfig(), mode=mode)
    backend.only_new = True
    code = assemble("0x0 CALLDATALOAD @a JUMPI 0x1 POP a: STOP")
    assert edges(run(backend, code)) == [(5, 6)]
    assert edges(run(backend, code)) == []
    assert edges(run(backend, code, b"\1")) == [(5, 9)]
    assert edges(run(backend, code, b"\1")) == []
    backend.only_new = False
    assert edges(run(backend, code)) == [(5, 6)]
