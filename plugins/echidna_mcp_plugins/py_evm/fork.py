"""Rules of hard forks, as a table."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from eth.vm.forks.berlin.logic import selfdestruct_eip2929
from eth.vm.forks.cancun.logic import selfdestruct_eip6780
from eth.vm.forks.cancun.opcodes import CANCUN_OPCODES
from eth.vm.forks.prague.opcodes import PRAGUE_OPCODES
from eth.vm.forks.shanghai.opcodes import SHANGHAI_OPCODES

from echidna_mcp_plugins.py_evm.precompiles import CANCUN, OSAKA, PRAGUE, SHANGHAI
from echidna_mcp_plugins.py_evm.table import OSAKA_OPCODES, OpcodeTable, opcode_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eth.abc import OpcodeAPI

    from echidna_mcp.evm.fork import ForkName
    from echidna_mcp_plugins.py_evm.precompiles import Precompiles
    from echidna_mcp_plugins.py_evm.table import Addition


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """A fork.

    Attributes:
        opcodes: those of py-evm.
        precompiles: by address.
        selfdestruct: which of py-evm's SELFDESTRUCTs.
        added: opcodes that py-evm does not have.
        delegations: whether accounts can run the code of others (EIP-7702).
        data_floor: whether calldata have a least price (EIP-7623).
        serves_hashes: whether a contract serves the hashes of blocks (EIP-2935).
    """

    opcodes: Mapping[int, OpcodeAPI]
    precompiles: Precompiles
    selfdestruct: Callable[..., None]
    added: Mapping[int, Addition] = field(default_factory=dict)
    delegations: bool = False
    data_floor: bool = False
    serves_hashes: bool = False

    @property
    def table(self) -> OpcodeTable:
        """The opcodes as the decoder wants them."""
        return opcode_table(self.opcodes, self.selfdestruct, self.added)


_SHANGHAI = Rules(
    opcodes=SHANGHAI_OPCODES,
    precompiles=SHANGHAI,
    selfdestruct=selfdestruct_eip2929,
)
_CANCUN = replace(
    _SHANGHAI,
    opcodes=CANCUN_OPCODES,
    precompiles=CANCUN,
    selfdestruct=selfdestruct_eip6780,
)
_PRAGUE = replace(
    _CANCUN,
    opcodes=PRAGUE_OPCODES,
    precompiles=PRAGUE,
    delegations=True,
    data_floor=True,
    serves_hashes=True,
)
_OSAKA = replace(_PRAGUE, precompiles=OSAKA, added=OSAKA_OPCODES)
_FORKS: Mapping[ForkName, Rules] = {
    "shanghai": _SHANGHAI,
    "cancun": _CANCUN,
    "prague": _PRAGUE,
    "osaka": _OSAKA,
}


def rules_of(fork: ForkName) -> Rules:
    """Return the rules of a fork."""
    return _FORKS[fork]
