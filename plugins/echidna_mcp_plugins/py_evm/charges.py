"""Prices of a message before it runs, and at least."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from echidna_mcp.evm.backend import Message

_TRANSACTION = 21000
_CREATION = 32000
_ZERO_BYTE = 4
_OTHER_BYTE = 16  # EIP-2028
_INITCODE_WORD = 2  # EIP-3860
_LISTED_ADDRESS = 2400  # EIP-2930
_LISTED_SLOT = 1900
_AUTHORIZATION = 25000  # EIP-7702
_FLOOR_ZERO_BYTE = 10  # EIP-7623
_FLOOR_OTHER_BYTE = 40


def intrinsic_gas(message: Message, *, creation: bool, delegations: bool) -> int:
    """Return the gas that a message costs before it runs."""
    data = message.data
    zeros = data.count(0)
    gas = _TRANSACTION + _ZERO_BYTE * zeros + _OTHER_BYTE * (len(data) - zeros)
    if creation:
        gas += _CREATION + _INITCODE_WORD * (len(data) + 31 >> 5)
    for _, slots in message.access_list:
        gas += _LISTED_ADDRESS + _LISTED_SLOT * len(slots)
    if delegations and not creation:
        gas += _AUTHORIZATION * len(message.authorizations)
    return gas


def floor_gas(data: bytes) -> int:
    """Return the gas that a message with this calldata costs at least (EIP-7623)."""
    zeros = data.count(0)
    others = len(data) - zeros
    return _TRANSACTION + _FLOOR_ZERO_BYTE * zeros + _FLOOR_OTHER_BYTE * others
