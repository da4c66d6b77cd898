"""Addresses, ids and other hexadecimal texts as users and nodes write them."""

from __future__ import annotations

import re
from typing import Final

DIGEST: Final = re.compile(r"[0-9a-fA-F]{64}")
"""A wallet, a transaction or a blockchain: sha256 in hexadecimal digits."""


def bare(text: str) -> str:
    """Return a hexadecimal text without the `0x` before it, if there is one."""
    return text[2:] if text[:2] in {"0x", "0X"} else text


def digest_of(text: str) -> str | None:
    """Return 64 hexadecimal digits in lower case without `0x`; None if it is none."""
    digits = bare(text)
    return digits.lower() if DIGEST.fullmatch(digits) else None
