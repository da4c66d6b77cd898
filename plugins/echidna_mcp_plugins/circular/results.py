"""The result codes of a node, and what each means to a caller.

A node answers HTTP 200 whatever happens; the outcome is `Result`. The codes are those
that the official SDKs and their documentation show.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import Final

from echidna_mcp_plugins.circular.errors import CircularError, ErrorType


class Result(IntEnum):
    """`Result` of an answer."""

    OK = 200
    WALLET_NOT_FOUND = 108
    WALLET_EXISTS = 109
    BLOCK_NOT_FOUND = 111
    INVALID_BLOCKCHAIN = 114
    INSUFFICIENT_BALANCE = 115
    INVALID_PAYLOAD = 117
    WRONG_FORMAT = 118
    INVALID_SIGNATURE = 119
    INVALID_NONCE = 121
    DUPLICATE_TRANSACTION = 122
    UNKNOWN_CALL = 404


_REFUSALS: Final[Mapping[int, tuple[ErrorType, str]]] = MappingProxyType(
    {
        Result.WALLET_NOT_FOUND: (
            ErrorType.INVALID_INPUT,
            (
                "The wallet is not registered on this blockchain: register it first, or"
                " configure the address of the wallet that is."
            ),
        ),
        Result.INVALID_BLOCKCHAIN: (
            ErrorType.INVALID_INPUT,
            "The node does not serve this blockchain: correct the configured id.",
        ),
        Result.INSUFFICIENT_BALANCE: (
            ErrorType.INSUFFICIENT_BALANCE,
            "The wallet has not enough CIRX for the fee of a certification: add funds.",
        ),
        Result.INVALID_PAYLOAD: (
            ErrorType.INVALID_INPUT,
            "The node does not accept this payload: certify smaller or other data.",
        ),
        Result.WRONG_FORMAT: (
            ErrorType.INVALID_INPUT,
            (
                "The node does not accept the format of a field: check the configured"
                " address and blockchain id."
            ),
        ),
        Result.INVALID_SIGNATURE: (
            ErrorType.INVALID_SIGNATURE,
            (
                "The signature does not fit the wallet: configure the private key with"
                " which the wallet was registered."
            ),
        ),
        Result.INVALID_NONCE: (
            ErrorType.NONCE_MISMATCH,
            (
                "The nonce is not the next one of the wallet: another program uses the"
                " wallet too."
            ),
        ),
    }
)


def refusal(code: int, text: object) -> CircularError:
    """Return the failure that stands for a `Result` other than 200.

    Args:
        code: `Result`.
        text: `Response`; it is never quoted, since it may repeat what was sent.
    """
    known = _REFUSALS.get(code)
    if known is not None:
        kind, message = known
    elif 100 <= code < 200 and isinstance(text, str) and text:
        kind = ErrorType.INVALID_INPUT
        message = f"The node refused the request with result {code}: check the input."
    else:
        kind = ErrorType.API_UNAVAILABLE
        message = f"The node answered with result {code}, which is not known."
    return CircularError(kind, message, result=code)
