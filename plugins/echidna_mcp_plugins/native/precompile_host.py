"""The precompiles that Python runs for the machine: those of the other backend."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, cast

from eth.exceptions import OutOfGas, VMError
from eth_typing import Address

from echidna_mcp_plugins.evm.precompiles import PRAGUE
from echidna_mcp_plugins.native.machine import (
    FAULT_CAPACITY,
    FAULT_GAS,
    FAULT_HALT,
    FAULT_NONE,
    FULL_MEMORY,
    Machine,
)

if TYPE_CHECKING:
    from collections.abc import Callable


class Question:
    """All that py-evm's precompiles see of a computation, and of its message.

    Attributes:
        gas: what is left.
        output: what the precompile returns.
    """

    def __init__(self, data: bytes, gas: int) -> None:
        self.data = self.data_as_bytes = data
        self.gas = gas
        self.output = b""

    @property
    def msg(self) -> Question:
        """The message, of which only the data are asked for."""
        return self

    def consume_gas(self, amount: int, reason: str) -> None:
        """Pay gas.

        Raises:
            OutOfGas: there is less.
        """
        if amount > self.gas:
            raise OutOfGas(reason)
        self.gas -= amount


def precompile_host(machine: Machine) -> Callable[[int], int]:
    """Return what `Machine.host` is to be; it does not keep the machine alive."""
    held = weakref.ref(machine)

    def run(number: int) -> int:
        m = held()
        assert m is not None, "only a machine that lives can ask"
        start = m.asked_start
        question = Question(bytes(m.memory[start : start + m.asked_size]), m.asked_gas)
        try:
            PRAGUE[Address(number.to_bytes(20, "big"))](cast("Any", question))
        except OutOfGas:
            return FAULT_GAS
        except VMError:
            return FAULT_HALT
        size = len(question.output)
        if size > len(m.returned):
            m.full = FULL_MEMORY
            return FAULT_CAPACITY
        m.returned[:size] = question.output
        m.returned_size = size
        m.asked_gas = question.gas
        return FAULT_NONE

    return run
