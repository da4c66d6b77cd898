"""The precompiles that Python runs for the machine: those of the other backend."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

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


def precompile_host(machine: Machine) -> Callable[[int], int]:
    """Return what `Machine.host` is to be; it does not keep the machine alive."""
    held = weakref.ref(machine)

    def run(number: int) -> int:
        # Here, because py-evm takes most of a second to import, and most contracts
        # never ask.
        from echidna_mcp_plugins.evm.asked import ask  # noqa: PLC0415

        m = held()
        assert m is not None, "only a machine that lives can ask"
        start = m.asked_start
        data = bytes(m.memory[start : start + m.asked_size])
        match ask(number, data, m.asked_gas):
            case "out of gas":
                return FAULT_GAS
            case "refused":
                return FAULT_HALT
            case answer:
                size = len(answer.output)
        if size > len(m.returned):
            m.full = FULL_MEMORY
            return FAULT_CAPACITY
        m.returned[:size] = answer.output
        m.returned_size = size
        m.asked_gas = answer.gas
        return FAULT_NONE

    return run
