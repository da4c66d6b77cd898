"""Precompiles by themselves: on the native EVM, and on the reference."""

from __future__ import annotations

from typing import Any

from eth.exceptions import OutOfGas, VMError
from eth_typing import Address

from echidna_mcp.evm.fork import ForkName
from echidna_mcp.kernel.language.record import blank
from echidna_mcp_plugins.native.precompiles.contracts import run_precompile
from echidna_mcp_plugins.native.precompiles.host import precompile_host
from echidna_mcp_plugins.native.state.machine import (
    FAULT_GAS,
    FAULT_HALT,
    FAULT_NONE,
    Machine,
)
from echidna_mcp_plugins.native.state.rules import Fork
from echidna_mcp_plugins.py_evm.fork import rules_of

ECRECOVER, SHA256, RIPEMD160, IDENTITY, MODEXP, ECADD, ECMUL, PAIRING, BLAKE2F, KZG = (
    range(1, 11)
)
G1_ADD, G1_MSM, G2_ADD, G2_MSM, BLS_PAIRING, MAP_G1, MAP_G2 = range(0x0B, 0x12)
P256VERIFY = 0x100

PADDING = 11
"""The input does not begin where the memory does."""
PLENTY = 10**9

Answer = tuple[int, int, bytes]
"""Fault, what is left of the gas, and output."""


class Question:
    """All that py-evm's precompiles see of a computation, and of its message."""

    def __init__(self, data: bytes, gas: int) -> None:
        self.data = self.data_as_bytes = data
        self.gas = gas
        self.output = b""

    @property
    def msg(self) -> Question:
        return self

    def consume_gas(self, amount: int, reason: str) -> None:
        if amount > self.gas:
            raise OutOfGas(reason)
        self.gas -= amount


def word(value: int) -> bytes:
    return value.to_bytes(32, "big")


def machine(data: bytes, fork: ForkName = "prague", room: int = 1 << 12) -> Machine:
    """Return a machine that has nothing but an input and room for the output."""
    m = blank(Machine)
    m.fork = Fork[fork.upper()]
    m.memory = bytearray(bytes(range(1, PADDING + 1)) + data + b"\xff" * 40)
    m.returned = bytearray(b"\xaa" * room)
    m.host = precompile_host(m)
    return m


def native(number: int, data: bytes, gas: int, fork: ForkName = "prague") -> Answer:
    m = machine(data, fork)
    left = run_precompile(m, number, PADDING, len(data), gas)
    assert m.returned_size == 0 or m.fault == FAULT_NONE
    return m.fault, left, bytes(m.returned[: m.returned_size])


def reference(number: int, data: bytes, gas: int, fork: ForkName = "prague") -> Answer:
    """Return the same according to the backend py-evm."""
    question: Any = Question(data, gas)
    try:
        rules_of(fork).precompiles[Address(number.to_bytes(20, "big"))](question)
    except OutOfGas:
        return FAULT_GAS, 0, b""
    except VMError:
        return FAULT_HALT, 0, b""
    return FAULT_NONE, question.gas, question.output


def assert_equal(number: int, data: bytes, fork: ForkName = "prague") -> Answer:
    """Compare with plenty of gas, exactly enough, and one too little."""
    fault, left, output = expected = reference(number, data, PLENTY, fork)
    assert native(number, data, PLENTY, fork) == expected
    cost = PLENTY - left
    if fault == FAULT_NONE:
        assert native(number, data, cost, fork) == (FAULT_NONE, 0, output)
        assert native(number, data, cost - 1, fork) == (FAULT_GAS, 0, b"")
    assert native(number, data, 0, fork) == reference(number, data, 0, fork)
    return expected
