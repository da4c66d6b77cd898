"""What frames compare, as the reference tells it, and how far operands are."""

from __future__ import annotations

from dataclasses import replace

import pytest
from evm_assembler import OPCODES, assemble
from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.evm.backend import BackendConfig, CallResult, Message, Watch
from echidna_mcp.evm.sites import COMPARING, SiteComparison
from echidna_mcp_plugins.py_evm.backend import PyEvmBackend

TARGET, INNER = 0xA1, 0xA2
WORDS = st.integers(0, 2**256 - 1) | st.sampled_from([0, 1, 2**255 - 1, 2**255])


def run(code: bytes, inner: bytes = b"") -> CallResult:
    """Run a code with sites told; they must change nothing of the result."""
    backend = PyEvmBackend(BackendConfig())
    backend.set_account(TARGET, code=code)
    backend.set_account(INNER, code=inner)
    message = Message(sender=1, to=TARGET, data=b"", gas=1_000_000)
    before = backend.snapshot()
    plain = backend.call(message, Watch(coverage=True, frames=True))
    backend.restore(before)
    watch = Watch(coverage=True, frames=True, sites=True)
    result = backend.call(message, watch)
    assert (result.frame, plain.frame) != (None, None)
    told = replace(result.frame, acts=(), comparisons=())
    assert replace(result, frame=told) == replace(
        plain, frame=replace(plain.frame, acts=())
    )
    assert plain.frame.comparisons == ()
    return result


def compared(code: bytes) -> list[tuple[int, str, int, int]]:
    frame = run(code).frame
    return [(x.counter, COMPARING[x.opcode], *x[2:]) for x in frame.comparisons]


@pytest.mark.parametrize("name", ["LT", "GT", "SLT", "SGT", "EQ"])
@pytest.mark.parametrize("constant", [True, False])
def test_a_comparison_is_told_with_its_counter_and_operands(name, constant):
    # With the operand on top as a constant, and from the stack.
    code = assemble(7, 5, "" if constant else "DUP1 POP", name, "POP")
    assert compared(code) == [(code.index(OPCODES[name], 4), name, 5, 7)]


@pytest.mark.parametrize("value", [0, 1, 9])
def test_every_iszero_is_one_also_where_a_jump_swallows_it(value):
    code = assemble(value, "ISZERO @end JUMPI end: STOP")
    assert compared(code) == [(code.index(0x15), "ISZERO", value, 0)]


@pytest.mark.parametrize("name", ["SUB", "XOR"])
def test_a_difference_is_one_if_it_decides_a_jump(name):
    code = assemble(7, 5, name, "@end JUMPI end: STOP")
    assert compared(code) == [(4, name, 5, 7)]
    assert compared(assemble(7, 5, name, "POP")) == []


def test_of_many_times_the_nearest_of_each_outcome_is_kept():
    # For i in 0, 1, … 20: i < 10.
    loop = "again: DUP1 0xa SWAP1 LT POP 0x1 ADD DUP1 0x15 SUB @again JUMPI STOP"
    code = assemble("0x0", loop)
    less = code.index(OPCODES["LT"])
    told = [each for each in compared(code) if each[0] == less]
    assert told == [(less, "LT", 9, 10), (less, "LT", 10, 10)]


def test_each_frame_tells_its_own_also_if_it_reverts():
    inner = assemble(2, 1, "LT", 0, 0, "REVERT")
    code = assemble(0, 0, 0, 0, 0, INNER, "GAS CALL", 4, "EQ")
    frame = run(code, inner).frame
    (child,) = frame.children
    assert child.comparisons == (SiteComparison(inner.index(0x10), 0x10, 1, 2),)
    assert [each.opcode for each in frame.comparisons] == [OPCODES["EQ"]]


@given(st.sampled_from(sorted(COMPARING)), WORDS, WORDS)
def test_outcome_and_distance_are_those_of_the_words(opcode, left, right):
    right = 0 if COMPARING[opcode] == "ISZERO" else right
    found = SiteComparison(0, opcode, left, right)
    signed = COMPARING[opcode].startswith("S") and opcode != OPCODES["SUB"]
    one, two = (
        int.from_bytes(word.to_bytes(32, "big"), "big", signed=signed)
        for word in (left, right)
    )
    assert 0 <= found.distance < 2**256
    assert found.distance == max(one, two) - min(one, two)
    outcomes = {"LT": one < two, "SLT": one < two, "GT": one > two, "SGT": one > two}
    assert found.holds is outcomes.get(COMPARING[opcode], one == two)
