"""How an EVM backend is offered by a plugin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from echidna_mcp.evm.backend import BackendConfig, EvmBackend


@dataclass(frozen=True, slots=True)
class BackendPlugin:
    """A named EVM. `create` makes a fresh, empty world."""

    name: str
    create: Callable[[BackendConfig], EvmBackend]
