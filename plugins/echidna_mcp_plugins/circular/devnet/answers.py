"""Answers of a gateway: a result code and what goes with it."""

from __future__ import annotations

import hashlib
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from echidna_mcp_plugins.circular.results import Result

Answer: TypeAlias = dict[str, Any]

NODE: Final = hashlib.sha256(b"echidna-mcp devnet").hexdigest()
"""The id of the only node."""

NOT_FOUND: Final = "Transaction Not Found"
"""What a look-up says that succeeds and finds nothing."""

_TEXTS: Final = MappingProxyType(
    {
        Result.WALLET_NOT_FOUND: "Wallet Not found",
        Result.WALLET_EXISTS: "Wallet Already Exists",
        Result.BLOCK_NOT_FOUND: "Block Not Found",
        Result.INVALID_BLOCKCHAIN: "Rejected: Invalid Blockchain",
        Result.INSUFFICIENT_BALANCE: "Rejected: Insufficient balance",
        Result.INVALID_PAYLOAD: "Invalid Payload [Unknown Type]",
        Result.WRONG_FORMAT: "Wrong Format",
        Result.INVALID_SIGNATURE: "Invalid Signature",
        Result.INVALID_NONCE: "Invalid Nonce",
        Result.DUPLICATE_TRANSACTION: "Duplicate Transaction",
        Result.UNKNOWN_CALL: "Unknown Call",
    }
)


class Refusal(Exception):  # noqa: N818 (an answer, no mistake of the program)
    """A call is answered with a result code other than 200."""

    def __init__(self, result: Result) -> None:
        super().__init__(result)
        self.result = result

    def answer(self) -> Answer:
        """Return the answer."""
        code = int(self.result)
        return {"Result": code, "Response": _TEXTS[self.result], "Node": NODE}


def granted(response: Any) -> Answer:
    """Return the answer of a call that succeeds."""
    return {"Result": int(Result.OK), "Response": response, "Node": NODE}
