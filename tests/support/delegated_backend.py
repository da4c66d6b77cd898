"""Backends in whose worlds the senders run the code of the target (EIP-7702)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.evm.backend import BackendConfig, EvmBackend
from echidna_mcp.rounds.backend import BackendPlugin

DESIGNATOR = bytes.fromhex("ef0100") + CampaignConfig().contract_addr.to_bytes(20)
"""The code of an account that is delegated to the target of a campaign."""


def delegated(plugin: BackendPlugin) -> BackendPlugin:
    """Return a backend, and its reference, with senders that are delegated."""
    return replace(
        plugin,
        create=partial(_create, plugin.create),
        reference=plugin.reference and delegated(plugin.reference),
    )


def _create(
    create: Callable[[BackendConfig], EvmBackend], config: BackendConfig
) -> EvmBackend:
    evm = create(config)
    for sender in CampaignConfig().senders:
        evm.set_account(sender, code=DESIGNATOR)
    return evm
