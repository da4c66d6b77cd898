"""The declarations of opcodes against the table of the py-evm backend."""

from __future__ import annotations

import inspect

import pytest
from eth.vm.forks.cancun.opcodes import CANCUN_OPCODES
from eth.vm.forks.prague.opcodes import PRAGUE_OPCODES

from echidna_mcp_plugins.evm.table import opcode_table
from echidna_mcp_plugins.native.isa import instruction_set
from echidna_mcp_plugins.native.opcode import Flow, Fork

INVALID = 0xFE
SPLITTING = {"SSTORE", "GAS"}
CALLING = {"CALL", "CALLCODE", "DELEGATECALL", "STATICCALL", "CREATE", "CREATE2"}
ENDING = {"STOP", "RETURN", "REVERT", "INVALID", "SELFDESTRUCT"}
JUMPING = {"JUMP", "JUMPI"}
TABLES = {
    Fork.CANCUN: opcode_table(CANCUN_OPCODES, clz=False),
    Fork.PRAGUE: opcode_table(PRAGUE_OPCODES, clz=False),
    Fork.OSAKA: opcode_table(PRAGUE_OPCODES, clz=True),
}


def known(fork):
    return {
        number: entry
        for number, entry in instruction_set().items()
        if entry.since <= fork and number != INVALID
    }


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
