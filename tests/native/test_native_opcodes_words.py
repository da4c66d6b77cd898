"""Word opcodes against their definitions in integers, and against py-evm."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from eth.vm.forks.cancun.opcodes import CANCUN_OPCODES
from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.kernel.language.record import blank
from echidna_mcp.kernel.library.library import Library
from echidna_mcp.kernel.library.plan import Plan
from echidna_mcp_plugins.native.opcodes import words
from echidna_mcp_plugins.native.opcodes.opcode import Opcode, declared
from echidna_mcp_plugins.native.state.machine import FAULT_GAS, FAULT_NONE, Machine

CEILING = 1 << 256
TOP = CEILING - 1
SIGN = 1 << 255
OPCODES = {entry.name: entry for entry in declared(words)}
EDGES = [0, 1, 2, 3, 7, 8, 30, 31, 32, 33, 127, 128, 248, 254, 255, 256, 257]
EDGES += [(1 << 64) - 1, 1 << 64, (1 << 64) + 1, 1 << 128, (1 << 128) - 1]
EDGES += [SIGN - 1, SIGN, SIGN + 1, TOP - 1, TOP, TOP - 254, TOP - 255, 0x80, 0x8000]
EDGES += [0x7FFF << 200, int.from_bytes(bytes(range(1, 33)), "big")]
FEW = [0, 1, 2, 3, 255, 1 << 64, 1 << 128, SIGN - 1, SIGN, TOP - 1, TOP]
WORDS = st.one_of(
    st.sampled_from(EDGES),
    st.integers(0, TOP),
    st.integers(0, 512),
    st.builds(lambda bits: (1 << bits) - 1, st.integers(1, 255)),
)


def signed(word: int) -> int:
    return word - CEILING if word & SIGN else word


def quotient(left: int, right: int) -> int:
    """Round towards zero."""
    found = abs(left) // abs(right)
    return found if (left < 0) == (right < 0) else -found


def remainder(left: int, right: int) -> int:
    return left - right * quotient(left, right)


def extended(last: int, value: int) -> int:
    if last > 30:
        return value
    low = value % (1 << 8 * (last + 1))
    negative = low >> (8 * last + 7)
    return low - (1 << 8 * (last + 1)) if negative else low


def digit(at: int, value: int) -> int:
    return value.to_bytes(32, "big")[at] if at < 32 else 0


MEANINGS: dict[str, Callable[..., int]] = {
    "ADD": lambda a, b: a + b,
    "MUL": lambda a, b: a * b,
    "SUB": lambda a, b: a - b,
    "DIV": lambda a, b: a // b if b else 0,
    "SDIV": lambda a, b: quotient(signed(a), signed(b)) if b else 0,
    "MOD": lambda a, b: a % b if b else 0,
    "SMOD": lambda a, b: remainder(signed(a), signed(b)) if b else 0,
    "ADDMOD": lambda a, b, n: (a + b) % n if n else 0,
    "MULMOD": lambda a, b, n: a * b % n if n else 0,
    "EXP": lambda a, b: pow(a, b, CEILING),
    "SIGNEXTEND": extended,
    "LT": lambda a, b: a < b,
    "GT": lambda a, b: a > b,
    "SLT": lambda a, b: signed(a) < signed(b),
    "SGT": lambda a, b: signed(a) > signed(b),
    "EQ": lambda a, b: a == b,
    "ISZERO": lambda a: a == 0,
    "AND": lambda a, b: a & b,
    "OR": lambda a, b: a | b,
    "XOR": lambda a, b: a ^ b,
    "NOT": lambda a: ~a,
    "BYTE": digit,
    "SHL": lambda n, a: a << n if n < 256 else 0,
    "SHR": lambda n, a: a >> min(n, 256),
    "SAR": lambda n, a: signed(a) >> min(n, 256),
    "CLZ": lambda a: 256 - a.bit_length(),
}


class WordStack:
    """The part of a computation that py-evm's arithmetic asks for."""

    def __init__(self, operands: tuple[int, ...]) -> None:
        self._items = list(reversed(operands))
        self.gas = 0

    def stack_pop_ints(self, count: int) -> tuple[int, ...]:
        return tuple(self._items.pop() for _ in range(count))

    def stack_pop1_int(self) -> int:
        return self._items.pop()

    def stack_push_int(self, value: int) -> None:
        self._items.append(value)

    def consume_gas(self, amount: int, reason: str) -> None:  # noqa: ARG002
        self.gas += amount

    def only(self) -> int:
        (item,) = self._items
        return item


@pytest.fixture(scope="module", params=["plain", "compiled", "checked"])
def library(request):
    functions = tuple(entry.function for entry in OPCODES.values())
    return Library.load(Plan(functions=functions), mode=request.param)


def run(
    library: Library, entry: Opcode, operands: tuple[int, ...], gas: int = 10_000
) -> tuple[int, int]:
    """Return the result and the dynamic gas."""
    assert entry.function is not None
    function = library.function(entry.function)
    if not entry.machine:
        return function(*operands), 0
    m = blank(Machine)
    m.gas = gas
    result = function(m, *operands)
    assert m.fault == FAULT_NONE
    return result, gas - m.gas


def check(library: Library, entry: Opcode, operands: tuple[int, ...]) -> None:
    result, gas = run(library, entry, operands)
    assert result == MEANINGS[entry.name](*operands) % CEILING, operands
    if entry.name == "CLZ":  # py-evm has no Osaka
        return
    stack: Any = WordStack(operands)
    reference: Any = CANCUN_OPCODES[entry.number]
    reference.logic_fn(stack)
    assert result == stack.only(), operands
    assert gas == stack.gas


def test_every_word_opcode_has_a_meaning_here():
    assert OPCODES.keys() == MEANINGS.keys()


@pytest.mark.parametrize("name", MEANINGS)
def test_edge_values(library, name):
    entry = OPCODES[name]
    values = EDGES if entry.pops < 3 else FEW
    for operands in product(values, repeat=entry.pops):
        check(library, entry, operands)


@settings(deadline=None)
@given(st.sampled_from(sorted(MEANINGS)), WORDS, WORDS, WORDS)
def test_any_values(library, name, first, second, third):
    entry = OPCODES[name]
    check(library, entry, (first, second, third)[: entry.pops])


@settings(deadline=None)
@given(WORDS, WORDS)
def test_quotient_and_remainder_make_up_the_number(library, left, right):
    if right:
        div, mod = library.function(words.div), library.function(words.mod)
        assert div(left, right) * right + mod(left, right) == left
        div, mod = library.function(words.sdiv), library.function(words.smod)
        again = div(left, right) * right + mod(left, right)
        assert again % CEILING == left


@pytest.mark.parametrize(
    ("exponent", "cost"),
    [(0, 0), (1, 50), (255, 50), (256, 100), (1 << 64, 450), (TOP, 1600)],
)
def test_exp_charges_by_byte_of_the_exponent(library, exponent, cost):
    assert run(library, OPCODES["EXP"], (3, exponent), cost)[1] == cost
    if cost:
        m = blank(Machine)
        m.gas = cost - 1
        library.function(words.exp)(m, 3, exponent)
        assert m.fault == FAULT_GAS
