"""The rules by which a transaction is accepted, in the order in which they are checked.

They are those that the public networks show to the official SDKs: which field has which
form, what the id covers, who may sign, which nonce is next, what it costs.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final, Self

from echidna_mcp_plugins.circular.chain_view import Status
from echidna_mcp_plugins.circular.devnet.amounts import FEE
from echidna_mcp_plugins.circular.devnet.answers import Answer, Refusal, granted
from echidna_mcp_plugins.circular.devnet.chain import Chain
from echidna_mcp_plugins.circular.devnet.store import TransactionRow
from echidna_mcp_plugins.circular.document import MOST_BYTES
from echidna_mcp_plugins.circular.identifiers import DIGEST, bare
from echidna_mcp_plugins.circular.keys import PublicKey, address_of
from echidna_mcp_plugins.circular.results import Result
from echidna_mcp_plugins.circular.settings import SANDBOX
from echidna_mcp_plugins.circular.timestamps import parse_circular_time
from echidna_mcp_plugins.circular.transaction import (
    CERTIFICATE,
    REGISTRATION,
    transaction_id,
)

_HEX: Final = re.compile(r"(?:[0-9a-fA-F]{2})*")
_NONCE: Final = re.compile(r"[0-9]{1,15}")
_MOST_DIGITS: Final = 4 * MOST_BYTES + 256
"""Of a payload: each byte of data is two digits, and each digit two again."""


@dataclass(frozen=True, slots=True)
class _Fields:
    """The fields of a body, without `0x`."""

    id: str
    sender: str
    recipient: str
    timestamp: str
    payload: str = field(repr=False)
    nonce: str
    signature: str = field(repr=False)
    blockchain: str
    kind: str

    @classmethod
    def of(cls, body: dict[str, Any]) -> Self:
        found = [body.get(name) for name in _NAMES]
        if not all(isinstance(value, str) for value in found):
            raise Refusal(Result.WRONG_FORMAT)
        return cls(*(bare(str(value)) for value in found))

    def check_format(self) -> None:
        good = (
            all(DIGEST.fullmatch(each) for each in (self.id, self.sender))
            and DIGEST.fullmatch(self.recipient)
            and parse_circular_time(self.timestamp)
            and len(self.payload) <= _MOST_DIGITS
            and _HEX.fullmatch(self.payload)
            and _NONCE.fullmatch(self.nonce)
            and _HEX.fullmatch(self.signature)
        )
        if not good:
            raise Refusal(Result.WRONG_FORMAT)

    def action(self) -> dict[str, Any]:
        """Return the JSON of the payload."""
        try:
            found = json.loads(bytes.fromhex(self.payload))
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise Refusal(Result.INVALID_PAYLOAD)
        return found

    def row(self) -> TransactionRow:
        return TransactionRow(
            id=self.id.lower(),
            sender=self.sender.lower(),
            recipient=self.recipient.lower(),
            timestamp=self.timestamp,
            kind=self.kind,
            payload=self.payload,
            nonce=int(self.nonce),
            signature=self.signature,
            fee=FEE if self.kind == CERTIFICATE else 0,
            fate=Status.EXECUTED,
            status=Status.PENDING,
            block=None,
        )


_NAMES: Final = (
    *("ID", "From", "To", "Timestamp", "Payload"),
    *("Nonce", "Signature", "Blockchain", "Type"),
)


def check_blockchain(body: dict[str, Any]) -> None:
    """Refuse calls that mean another chain, or none."""
    named = body.get("Blockchain")
    if not isinstance(named, str) or DIGEST.fullmatch(bare(named)) is None:
        raise Refusal(Result.WRONG_FORMAT)
    if bare(named).lower() != SANDBOX:
        raise Refusal(Result.INVALID_BLOCKCHAIN)


def add_transaction(chain: Chain, body: dict[str, Any]) -> Answer:
    """Accept a transaction.

    Raises:
        Refusal: it breaks a rule.
    """
    fields = _Fields.of(body)
    fields.check_format()
    if fields.kind not in {CERTIFICATE, REGISTRATION}:
        raise Refusal(Result.INVALID_PAYLOAD)
    action = fields.action()
    identity = transaction_id(
        blockchain=fields.blockchain,
        sender=fields.sender,
        recipient=fields.recipient,
        payload=fields.payload,
        nonce=fields.nonce,
        timestamp=fields.timestamp,
    )
    if identity != fields.id.lower():
        raise Refusal(Result.INVALID_SIGNATURE)
    if chain.store.transaction(identity) is not None:
        raise Refusal(Result.DUPLICATE_TRANSACTION)
    if fields.kind == REGISTRATION:
        _register(chain, fields, action)
    else:
        _certify(chain, fields, action)
    return granted({"TxID": identity, "Timestamp": chain.time()})


def _register(chain: Chain, fields: _Fields, action: dict[str, Any]) -> None:
    given = action.get("PublicKey")
    public_key = bare(given) if isinstance(given, str) else ""
    if action.get("Action") != "CP_REGISTERWALLET" or not PublicKey.parse(public_key):
        raise Refusal(Result.INVALID_PAYLOAD)
    if address_of(public_key) != fields.sender.lower():
        raise Refusal(Result.INVALID_SIGNATURE)
    if int(fields.nonce) != 0:
        raise Refusal(Result.INVALID_NONCE)
    if chain.store.wallet(fields.sender.lower()) is not None:
        raise Refusal(Result.WALLET_EXISTS)
    chain.register(fields.row(), public_key)


def _certify(chain: Chain, fields: _Fields, action: dict[str, Any]) -> None:
    data = action.get("Data")
    is_hex = isinstance(data, str) and _HEX.fullmatch(bare(data)) is not None
    if action.get("Action") != "CP_CERTIFICATE" or not is_hex:
        raise Refusal(Result.INVALID_PAYLOAD)
    wallet = chain.store.wallet(fields.sender.lower())
    if wallet is None:
        raise Refusal(Result.WALLET_NOT_FOUND)
    key = PublicKey.parse(wallet.public_key)
    # What is signed is the text of the id as it was sent.
    if key is None or not key.verifies(fields.id, fields.signature):
        raise Refusal(Result.INVALID_SIGNATURE)
    if int(fields.nonce) != wallet.nonce + 1:
        raise Refusal(Result.INVALID_NONCE)
    if wallet.balance < FEE:
        raise Refusal(Result.INSUFFICIENT_BALANCE)
    chain.certify(fields.row(), wallet)
