"""What hard forks differ in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eth.vm.forks.cancun.opcodes import CANCUN_OPCODES
from eth.vm.forks.prague.opcodes import PRAGUE_OPCODES

from echidna_mcp_plugins.evm.precompiles import CANCUN, PRAGUE
from echidna_mcp_plugins.evm.table import OpcodeTable, opcode_table

if TYPE_CHECKING:
    from echidna_mcp.evm.backend import ForkName
    from echidna_mcp_plugins.evm.precompiles import Precompiles


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """A fork.

    Attributes:
        prague: whether accounts can delegate to code elsewhere (EIP-7702) and calldata
            has a floor price (EIP-7623).
    """

    table: OpcodeTable
    precompiles: Precompiles
    prague: bool


def rules_of(fork: ForkName) -> Rules:
    """Return the rules of a fork; Osaka is Prague with CLZ."""
    if fork == "cancun":
        table = opcode_table(CANCUN_OPCODES, clz=False)
        return Rules(table=table, precompiles=CANCUN, prague=False)
    table = opcode_table(PRAGUE_OPCODES, clz=fork == "osaka")
    return Rules(table=table, precompiles=PRAGUE, prague=True)
