"""Keys of wallets: secp256k1, deterministic signatures, addresses.

A wallet's address is sha256 over the *hexadecimal text* of its public key. The official
SDKs disagree about that text: JavaScript's has the prefix 04 of SEC 1 before the two
coordinates, Python's has not. So a key has an address in each form.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from typing import Final, NoReturn, Self, final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from echidna_mcp_plugins.circular.errors import invalid_input
from echidna_mcp_plugins.circular.identifiers import bare
from echidna_mcp_plugins.circular.secret import Secret

_ORDER: Final = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
"""Of secp256k1 (SEC 2, 2.4.1)."""
_KEY: Final = re.compile(r"[0-9a-fA-F]{64}")
_PUBLIC: Final = re.compile(r"04[0-9a-fA-F]{128}|[0-9a-fA-F]{128}|0[23][0-9a-fA-F]{64}")
_CURVE: Final = ec.SECP256K1()


def address_of(public_key: str) -> str:
    """Return the address of a public key that is written in hexadecimal digits."""
    return hashlib.sha256(public_key.encode("ascii")).hexdigest()


@final
class PublicKey:
    """Half of a wallet's key that everybody may know."""

    def __init__(self, point: ec.EllipticCurvePublicKey) -> None:
        self._point = point

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Return the key of 128, 130 (04) or 66 (02, 03) digits; None if it is none."""
        digits = bare(text)
        if _PUBLIC.fullmatch(digits) is None:
            return None
        encoded = bytes.fromhex(f"04{digits}" if len(digits) == 128 else digits)
        try:
            point = ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, encoded)
        except ValueError:  # It does not lie on the curve.
            return None
        return cls(point)

    @property
    def text(self) -> str:
        """130 digits: 04 and both coordinates (SEC 1, 2.3.3)."""
        encoded = self._point.public_bytes(
            Encoding.X962, PublicFormat.UncompressedPoint
        )
        return encoded.hex()

    @property
    def texts(self) -> tuple[str, str]:
        """Texts with which wallets are registered: with the prefix 04, without it."""
        return self.text, self.text[2:]

    @property
    def addresses(self) -> tuple[str, str]:
        """Addresses of `texts`; the first is the one we register."""
        prefixed, coordinates = self.texts
        return address_of(prefixed), address_of(coordinates)

    def verifies(self, text: str, signature: str) -> bool:
        """Whether a signature, in hexadecimal DER, is one of this key over `text`.

        Any s is accepted: the SDKs sign with high ones too.
        """
        try:
            der = bytes.fromhex(bare(signature))
            self._point.verify(der, text.encode(), ec.ECDSA(SHA256()))
        except (ValueError, InvalidSignature):
            return False
        return True


@final
class SigningKey:
    """A wallet's private key; nothing that it shows tells it."""

    def __init__(self, secret: Secret, name: str = "The private key") -> None:
        """Take a key of 64 hexadecimal digits, with or without `0x`.

        Args:
            secret: the digits.
            name: what to call it in the message of an error.

        Raises:
            CircularError: INVALID_INPUT, it is no key of secp256k1.
        """
        digits = bare(secret.reveal().strip())
        # Looked at before it is converted: `int` quotes what it can't read.
        number = int(digits, 16) if _KEY.fullmatch(digits) else 0
        if not 0 < number < _ORDER:
            raise invalid_input(
                f"{name} is no private key of secp256k1: give 64 hexadecimal digits."
            )
        self._key = ec.derive_private_key(number, _CURVE)
        self.public = PublicKey(self._key.public_key())

    def sign(self, text: str) -> str:
        """Return the signature of a text's sha256, DER in hexadecimal digits.

        Deterministic (RFC 6979), so that the same transaction can be sent again.
        """
        algorithm = ec.ECDSA(SHA256(), deterministic_signing=True)
        return self._key.sign(text.encode(), algorithm).hex()

    def __repr__(self) -> str:
        return f"<SigningKey of wallet {self.public.addresses[0]}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("A private key is neither copied nor pickled.")


def new_key() -> Secret:
    """Return the digits of a new private key, from the system's random numbers."""
    return Secret(f"{1 + secrets.randbelow(_ORDER - 1):064x}")
