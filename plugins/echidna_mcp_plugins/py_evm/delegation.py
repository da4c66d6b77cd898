"""Accounts that run code from elsewhere (EIP-7702)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eth._utils.state import code_is_delegation_designation
from eth.vm.forks.prague.constants import (
    DELEGATION_DESIGNATION_PREFIX,
    PER_AUTH_BASE_COST,
    PER_EMPTY_ACCOUNT_BASE_COST,
)
from eth_typing import Address

from echidna_mcp_plugins.py_evm.message import address_of

if TYPE_CHECKING:
    from echidna_mcp.evm.backend import Authorization
    from echidna_mcp_plugins.py_evm.state import State

_NONCE_LIMIT = (1 << 64) - 1


def delegate(state: State, authorization: Authorization) -> None:
    """Set, replace or end a delegation; do nothing if the authorization is invalid."""
    chain_id, nonce = authorization.chain_id, authorization.nonce
    if chain_id not in {0, state.world.env.chain_id} or nonce >= _NONCE_LIMIT:
        return
    if authorization.authority is None:
        return
    authority = address_of(authorization.authority)
    state.mark_address_warm(authority)
    code = state.get_code(authority)
    if code and not code_is_delegation_designation(code):
        return
    if state.get_nonce(authority) != nonce:
        return
    if state.account_exists(authority):
        state.scope.refund += PER_EMPTY_ACCOUNT_BASE_COST - PER_AUTH_BASE_COST
    if authorization.address:
        to = address_of(authorization.address)
        state.set_code(authority, DELEGATION_DESIGNATION_PREFIX + to)
    else:
        state.set_code(authority, b"")
    state.increment_nonce(authority)


def delegate_of(code: bytes) -> Address | None:
    """Return where an account with this code delegates to; None if it does not."""
    return Address(code[3:]) if code_is_delegation_designation(code) else None
