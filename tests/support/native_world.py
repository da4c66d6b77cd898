"""Native worlds for tests: small machines, and the functions of the state by mode."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from echidna_mcp.evm.backend import BackendConfig
from echidna_mcp.kernel.language.memory import load32, load64
from echidna_mcp.kernel.library.library import Library, Mode
from echidna_mcp.kernel.library.plan import Plan
from echidna_mcp_plugins.native.code import programs
from echidna_mcp_plugins.native.host.capacity import MIB, Capacity
from echidna_mcp_plugins.native.host.world import new_machine
from echidna_mcp_plugins.native.state import accounts, journal, lasting, storage
from echidna_mcp_plugins.native.state.index import INDEX_ENTRY
from echidna_mcp_plugins.native.state.machine import (
    ACCOUNT_ROW,
    SLOT_ORIGINAL,
    SLOT_ROW,
    SLOT_SAVED,
    SLOT_STAMP,
    SLOT_STORAGE,
    TRANSIENT,
    Machine,
)

SMALL = Capacity(
    accounts=MIB,
    slots=MIB,
    journal=MIB,
    memory=MIB,
    logs=MIB,
    programs=MIB,
    code=MIB,
    stream=MIB,
    blocks=MIB,
    touched=1 << 12,
)
MODULES = (accounts, journal, lasting, programs, storage)


def small_machine(**config: Any) -> Machine:
    """Return a machine with an empty world."""
    return new_machine(BackendConfig(**config), SMALL)


def state_functions(mode: Mode) -> State:
    """Return all functions of the state in a mode."""
    return State(mode)


class State:
    """The functions of accounts, journal, programs and storage as attributes."""

    def __init__(self, mode: Mode) -> None:
        found = {
            name: value for module in MODULES for name, value in functions_in(module)
        }
        self.mode = mode
        library = Library.load(Plan(functions=tuple(found.values())), mode=mode)
        for name, function in found.items():
            setattr(self, name, library.function(function))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def functions_in(module: ModuleType) -> list[tuple[str, Any]]:
    """Return the functions that a module defines."""
    return [
        (name, value)
        for name, value in vars(module).items()
        if getattr(value, "__module__", "") == module.__name__
    ]


def entries(index: Any, mask: int) -> list[int]:
    """Return the row numbers in an index, ascending."""
    found = (load32(index, INDEX_ENTRY * at) for at in range(mask + 1))
    return sorted(number for number in found if number)


def live_rows(m: Machine) -> tuple[bytes, bytes]:
    """Return the rows of accounts and slots, without what does not count.

    Stamps only grow, and originals belong to messages that are over.
    """
    slots = bytearray(m.slots[SLOT_ROW : m.slot_end])
    for row in range(0, len(slots), SLOT_ROW):
        slots[row + SLOT_STAMP : row + SLOT_STAMP + 8] = bytes(8)
        if not load64(slots, row + SLOT_STORAGE) & TRANSIENT:
            slots[row + SLOT_ORIGINAL : row + SLOT_ORIGINAL + 32] = bytes(32)
            slots[row + SLOT_SAVED : row + SLOT_SAVED + 8] = bytes(8)
    return bytes(m.accounts[ACCOUNT_ROW : m.account_end]), bytes(slots)
