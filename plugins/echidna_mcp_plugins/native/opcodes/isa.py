"""The instruction set: all opcodes, and what the decoder needs to know of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from echidna_mcp_plugins.native.code.decode import (
    DECIDING_SUB,
    DECIDING_XOR,
    INFO_FLOW,
    INFO_POPS,
    INFO_PUSHES,
    INFO_TOKEN,
    INVALID,
    ISZERO,
    NUMBER_IS_ZERO,
    SUB,
    XOR,
)
from echidna_mcp_plugins.native.code.flow import Flow
from echidna_mcp_plugins.native.opcodes import (
    accounts,
    calls,
    creations,
    environment,
    halts,
    logs,
    memory,
    storage,
    words,
)
from echidna_mcp_plugins.native.opcodes.comparisons import (
    deciding_sub,
    deciding_xor,
    number_is_zero,
)
from echidna_mcp_plugins.native.opcodes.opcode import Opcode, declared
from echidna_mcp_plugins.native.state.rules import Fork

MODULES = (
    words,
    environment,
    memory,
    storage,
    logs,
    accounts,
    calls,
    creations,
    halts,
)
"""Where opcodes are declared."""


def _without_function() -> list[Opcode]:
    """Return the opcodes that decoder and interpreter know by themselves."""
    known = [
        Opcode(number=0x50, name="POP", function=None, gas=2, pops=1, pushes=0),
        _jump(0x56, "JUMP", gas=8, pops=1),
        _jump(0x57, "JUMPI", gas=10, pops=2),
        Opcode(number=0x58, name="PC", function=None, gas=2, pops=0, pushes=1),
        Opcode(number=0x5B, name="JUMPDEST", function=None, gas=1, pops=0, pushes=0),
        Opcode(number=0x5F, name="PUSH0", function=None, gas=2, pops=0, pushes=1),
    ]
    known += [_plain(0x5F + n, f"PUSH{n}", pops=0, pushes=1) for n in range(1, 33)]
    for n in range(1, 17):
        known.append(_plain(0x7F + n, f"DUP{n}", pops=n, pushes=n + 1))
        known.append(_plain(0x8F + n, f"SWAP{n}", pops=n + 1, pushes=n + 1))
    return known


def _plain(number: int, name: str, *, pops: int, pushes: int) -> Opcode:
    return Opcode(
        number=number, name=name, function=None, gas=3, pops=pops, pushes=pushes
    )


def _jump(number: int, name: str, *, gas: int, pops: int) -> Opcode:
    return Opcode(
        number=number,
        name=name,
        function=None,
        gas=gas,
        pops=pops,
        pushes=0,
        flow=Flow.JUMP,
    )


@cache
def instruction_set() -> Mapping[int, Opcode]:
    """Return all opcodes of all forks, by number."""
    every = [*_without_function(), *declared(*MODULES)]
    return {entry.number: entry for entry in sorted(every, key=lambda e: e.number)}


@cache
def token_operations() -> Mapping[int, Opcode]:
    """Return what the tokens that have a function mean."""
    found = {n: entry for n, entry in instruction_set().items() if entry.function}
    for number, token, function in (
        (SUB, DECIDING_SUB, deciding_sub),
        (XOR, DECIDING_XOR, deciding_xor),
        (ISZERO, NUMBER_IS_ZERO, number_is_zero),
    ):
        found[token] = replace(found[number], function=function, machine=True)
    return found


def instruction_table(fork: Fork) -> list[int]:
    """Return `Machine.instructions`: a word for each opcode, defined or not.

    Its fields are those that `decode` names: static gas, pops, pushes, flow, token.
    """
    undefined = Flow.END << INFO_FLOW | INVALID << INFO_TOKEN
    table = [undefined] * 256
    for entry in instruction_set().values():
        if entry.since <= fork:
            table[entry.number] = (
                entry.gas
                | entry.pops << INFO_POPS
                | entry.pushes << INFO_PUSHES
                | entry.flow << INFO_FLOW
                | entry.number << INFO_TOKEN
            )
    return table
