"""Transactions as a node takes them: payload, id, signature, body.

The id is made by the sender, from everything but the signature; what is signed is the
hexadecimal text of the id, not its bytes.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Final, Self

from echidna_mcp_plugins.circular.document import Document
from echidna_mcp_plugins.circular.keys import PublicKey, SigningKey, address_of

CERTIFICATE: Final = "C_TYPE_CERTIFICATE"
REGISTRATION: Final = "C_TYPE_REGISTERWALLET"

VERSION: Final = "1.0.13"
"""Of the API, as the enterprise SDKs send it."""


def hex_json(value: dict[str, str]) -> str:
    """Return a payload: the hexadecimal digits of JSON, spaced as the SDKs space it."""
    return json.dumps(value).encode().hex()


def certificate_payload(document: Document) -> str:
    """Return the payload of a certificate."""
    return hex_json({"Action": "CP_CERTIFICATE", "Data": document.hex()})


def transaction_id(
    *,
    blockchain: str,
    sender: str,
    recipient: str,
    payload: str,
    nonce: str,
    timestamp: str,
) -> str:
    """Return sha256 over the texts one after the other, none with `0x`."""
    text = blockchain + sender + recipient + payload + nonce + timestamp
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Transaction:
    """One transaction, signed.

    Attributes:
        id: 64 hexadecimal digits.
        sender: address; that of the recipient too.
        blockchain: its id.
        timestamp: when it was made, in the form of the protocol.
        kind: `C_TYPE_CERTIFICATE` or `C_TYPE_REGISTERWALLET`.
        payload: hexadecimal digits of JSON.
        nonce: its number in the order of the sender's transactions, from 1; 0 is the
            registration.
        signature: DER in hexadecimal digits.
    """

    id: str
    sender: str
    blockchain: str
    timestamp: str
    kind: str
    payload: str = field(repr=False)
    nonce: int
    signature: str = field(repr=False)

    @classmethod
    def certify(
        cls,
        document: Document,
        *,
        sender: str,
        blockchain: str,
        nonce: int,
        timestamp: str,
        key: SigningKey,
    ) -> Self:
        """Return the certificate of a document; the same one for the same arguments."""
        payload = certificate_payload(document)
        identity = transaction_id(
            blockchain=blockchain,
            sender=sender,
            recipient=sender,
            payload=payload,
            nonce=str(nonce),
            timestamp=timestamp,
        )
        return cls(
            id=identity,
            sender=sender,
            blockchain=blockchain,
            timestamp=timestamp,
            kind=CERTIFICATE,
            payload=payload,
            nonce=nonce,
            signature=key.sign(identity),
        )

    @classmethod
    def register(cls, public_text: str, *, blockchain: str, timestamp: str) -> Self:
        """Return the registration of a wallet, which needs no signature.

        Args:
            public_text: the public key, in the form whose digest is the address.
            blockchain: its id.
            timestamp: now, in the form of the protocol.
        """
        sender = address_of(public_text)
        payload = hex_json({"Action": "CP_REGISTERWALLET", "PublicKey": public_text})
        identity = transaction_id(
            blockchain=blockchain,
            sender=sender,
            recipient=sender,
            payload=payload,
            nonce="0",
            timestamp=timestamp,
        )
        return cls(
            id=identity,
            sender=sender,
            blockchain=blockchain,
            timestamp=timestamp,
            kind=REGISTRATION,
            payload=payload,
            nonce=0,
            signature="",
        )

    def body(self) -> dict[str, str]:
        """Return the body of `AddTransaction`."""
        return {
            "ID": self.id,
            "From": self.sender,
            "To": self.sender,
            "Timestamp": self.timestamp,
            "Payload": self.payload,
            "Nonce": str(self.nonce),
            "Signature": self.signature,
            "Blockchain": self.blockchain,
            "Type": self.kind,
            "Version": VERSION,
        }

    def body_sha256(self) -> str:
        """Return the digest of the body, which tells two bodies apart."""
        text = json.dumps(self.body(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def is_signed_by(self, key: PublicKey) -> bool:
        """Whether the signature is one of a key over the id."""
        return key.verifies(self.id, self.signature)

    def shown_signature(self) -> str:
        """Return so much of the signature as logs may hold: 8 digits."""
        return self.signature[:8]
