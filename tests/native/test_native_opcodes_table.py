"""The declarations of opcodes against the table of the py-evm backend."""

from __future__ import annotations

import inspect

import pytest

from echidna_mcp.evm.fork import FORKS
from echidna_mcp_plugins.native.code.flow import Flow
from echidna_mcp_plugins.native.opcodes.isa import instruction_set
from echidna_mcp_plugins.native.state.rules import Fork
from echidna_mcp_plugins.py_evm.fork import rules_of

INVALID = 0xFE
SPLITTING = {"SSTORE", "GAS"}
CALLING = {"CALL", "CALLCODE", "DELEGATECALL", "STATICCALL", "CREATE", "CREATE2"}
ENDING = {"STOP", "RETURN", "REVERT", "INVALID", "SELFDESTRUCT"}
JUMPING = {"JUMP", "JUMPI"}
TABLES = {fork: rules_of(fork.name.lower()).table for fork in Fork}


def known(fork):
    return {
        number: entry
        for number, entry in instruction_set().items()
        if entry.since <= fork and number != INVALID
    }


def test_the_forks_are_those_of_the_seam():
    assert tuple(fork.name.lower() for fork in Fork) == FORKS


@pytest.mark.parametrize("fork", Fork)
def test_a_fork_has_the_opcodes_that_py_evm_has(fork):
    assert known(fork).keys() == TABLES[fork].effects.keys()


@pytest.mark.parametrize("fork", Fork)
def test_stack_effects_are_those_of_py_evm(fork):
    effects = {n: (entry.pops, entry.pushes) for n, entry in known(fork).items()}
    assert effects == TABLES[fork].effects


@pytest.mark.parametrize("fork", Fork)
def test_static_gas_is_that_of_py_evm(fork):
    table = TABLES[fork].gas
    for number, entry in known(fork).items():
        assert entry.gas == table.get(number, 0), entry.name


def test_blocks_end_where_the_seam_says():
    flows = {
        **dict.fromkeys(SPLITTING, Flow.SPLIT),
        **dict.fromkeys(CALLING, Flow.CALL),
        **dict.fromkeys(ENDING, Flow.END),
        **dict.fromkeys(JUMPING, Flow.JUMP),
    }
    for entry in instruction_set().values():
        assert entry.flow == flows.get(entry.name, Flow.NEXT), entry.name


def test_every_opcode_says_what_it_means():
    for entry in instruction_set().values():
        if entry.function is not None:
            meaning = inspect.getdoc(entry.function)
            assert meaning, entry.name


def test_only_an_opcode_with_the_machine_can_fail():
    for entry in instruction_set().values():
        assert entry.machine or not entry.fallible, entry.name
