"""Data to certify. It is shown nowhere but on the chain."""

from __future__ import annotations

import hashlib
import re
from typing import Final, NoReturn, final

from echidna_mcp_plugins.circular.errors import invalid_input

MOST_BYTES: Final = 1 << 20
"""Of UTF-8. Longer data is certified by its digest."""
_HALF: Final = re.compile("[\ud800-\udfff]")
"""UTF-8 has no form for them (RFC 3629, section 3)."""


@final
class Document:
    """Data to certify, of which only digest and size may be shown.

    Attributes:
        sha256: of its UTF-8 form, in hexadecimal digits.
        size: bytes of its UTF-8 form.
    """

    __slots__ = ("_bytes", "sha256", "size")

    def __init__(self, data: str) -> None:
        """Take data to certify.

        Raises:
            CircularError: INVALID_INPUT, it is empty, too long or no Unicode.
        """
        # Looked for before it is encoded: the encoder's exception would carry the text.
        if _HALF.search(data):
            raise invalid_input(
                "The data has half a surrogate pair: send Unicode text."
            )
        encoded = data.encode()
        if not encoded:
            raise invalid_input("The data is empty: send what is to be certified.")
        if len(encoded) > MOST_BYTES:
            raise invalid_input(
                f"Payload exceeds 1 MB size limit: the data has {len(encoded):,} bytes"
                f" of at most {MOST_BYTES:,}; certify its digest instead."
            )
        self._bytes = encoded
        self.sha256 = hashlib.sha256(encoded).hexdigest()
        self.size = len(encoded)

    def hex(self) -> str:
        """Return the data in hexadecimal digits, as a certificate holds it."""
        return self._bytes.hex()

    def __reduce__(self) -> NoReturn:
        raise TypeError("Data to certify is neither copied nor pickled.")

    def __repr__(self) -> str:
        return f"<Document of {self.size} bytes, sha256 {self.sha256}>"
