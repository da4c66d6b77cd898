"""The state before the first call, taken from an EVM on which a target is deployed."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from echidna_mcp.evm.backend import BlockContext, EvmBackend, Message
from echidna_mcp.evm.outside import Answers, Outside
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.deployment import deployed_world
from echidna_mcp.solving.state import StartState

_ASKED: Final = {
    "coinbase": 0x41,
    "timestamp": 0x42,
    "number": 0x43,
    "prev_randao": 0x44,
    "gas_limit": 0x45,
    "chain_id": 0x46,
    "base_fee": 0x48,
    "blob_base_fee": 0x4A,
}
"""Fields of the block, and the instructions that tell them. Before Cancun the last one
fails, and tells 0."""
_TELL: Final = bytes.fromhex("5f5260205ff3")
"""Return the word on the stack."""
_PLACE: Final = 0x5017E5


def start_state(plugin: BackendPlugin, target: FuzzTarget) -> StartState:
    """Deploy a target; return the world that stands then.

    Cheatcodes of `setUp` may have changed the block, so it is asked.

    Raises:
        DeploymentError, NotReproducibleError: see `deployed_world`.
    """
    plugin.load()
    outside = Outside(Answers(target.world.answers))
    evm, _ = deployed_world(plugin, target, outside)
    outside.close()
    accounts = dict(evm.accounts())
    return StartState(accounts, _block(evm, target.config.block))


def _block(evm: EvmBackend, known: BlockContext) -> BlockContext:
    found = {}
    for name, op in _ASKED.items():
        evm.set_account(_PLACE, code=bytes([op]) + _TELL)
        told = evm.call(Message(sender=_PLACE + 1, to=_PLACE, data=b"")).output
        found[name] = int.from_bytes(told, "big")
    return replace(known, **found)
