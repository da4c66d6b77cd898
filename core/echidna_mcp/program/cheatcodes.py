"""What cheatcodes know of a program and the config of a campaign."""

from __future__ import annotations

from echidna_mcp.abi.revert import errors_of
from echidna_mcp.abi.types import type_name
from echidna_mcp.cheatcodes.addresses import CHEATCODES
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.evm.cheat_settings import CheatSettings
from echidna_mcp.program.linking import linked_codes
from echidna_mcp.program.model import Program
from echidna_mcp.program.plan import Plan


def cheat_settings(
    program: Program, config: CampaignConfig, plan: Plan
) -> CheatSettings | None:
    """Return how cheatcodes act; None if there are none.

    There are none, either, where somebody has put code of his own at their address.
    """
    if not config.cheatcodes or any(
        each.address == CHEATCODES for each in plan.deployments
    ):
        return None
    libraries = {
        each.contract.qualified_name: each.address
        for each in plan.deployments
        if each.contract is not None
    }
    return CheatSettings(
        dialect=config.cheat_dialect,
        seed=config.seed,
        allow_ffi=config.allow_ffi,
        artifacts=tuple(
            (each.qualified_name, *linked_codes(each, libraries))
            for each in program.contracts
            if all(link.library in libraries for link in each.links)
        ),
        internal_expect_revert=config.internal_expect_revert,
        assertions_revert=config.assertions_revert,
        errors=_errors(program),
    )


def _errors(program: Program) -> tuple[tuple[bytes, str, str], ...]:
    """Return the errors of all contracts, by selector."""
    found = {
        error.selector: (error.selector, error.name, type_name(error.inputs))
        for contract in (*program.contracts, *program.interfaces)
        for error in errors_of(contract.abi)
    }
    return tuple(found[selector] for selector in sorted(found))
