"""The precompiles that Python runs for the machine."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from echidna_mcp_plugins.native.state.machine import (
    FAULT_CAPACITY,
    FAULT_GAS,
    FAULT_HALT,
    FAULT_NONE,
    FULL_MEMORY,
    Machine,
)
from echidna_mcp_plugins.native.state.rules import Fork
from echidna_mcp_plugins.precompiles.precompile import RefusedError

# With all their libraries: a thread that runs a campaign must import nothing.
from echidna_mcp_plugins.precompiles.table import PRECOMPILES

if TYPE_CHECKING:
    from collections.abc import Callable


def precompile_host(machine: Machine) -> Callable[[int], int]:
    """Return what `Machine.host` is to be; it does not keep the machine alive."""
    held = weakref.ref(machine)
    table = PRECOMPILES[Fork(machine.fork).name.lower()]

    def run(number: int) -> int:
        m = held()
        assert m is not None, "only a machine that lives can ask"
        start = m.asked_start
        data = bytes(m.memory[start : start + m.asked_size])
        precompile = table[number]
        try:
            cost = precompile.price(data)
            if cost > m.asked_gas:
                return FAULT_GAS
            output = precompile.run(data)
        except RefusedError:
            return FAULT_HALT
        size = len(output)
        if size > len(m.returned):
            m.full = FULL_MEMORY
            return FAULT_CAPACITY
        m.returned[:size] = output
        m.returned_size = size
        m.asked_gas -= cost
        return FAULT_NONE

    return run
