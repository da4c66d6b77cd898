"""Amounts of wei as agents write them: decimal strings."""

from __future__ import annotations

import re
from typing import Final

from echidna_mcp.errors import InvalidInputError
from echidna_mcp.tools.display import shown

MAX_WEI: Final = 2**256 - 1
"""What a word of the EVM holds."""

_DECIMAL = re.compile(r"0*([0-9]{1,78})")


def parse_wei(text: str, name: str) -> int:
    """Return an amount.

    Args:
        text: digits.
        name: the argument that holds it, for the message.

    Raises:
        InvalidInputError: it is no decimal number, or more wei than a word holds.
    """
    match = _DECIMAL.fullmatch(text)
    amount = int(match[1]) if match else -1
    if not 0 <= amount <= MAX_WEI:
        raise InvalidInputError(
            f"{name} must be wei as a decimal number of at most {MAX_WEI}, such as "
            f'"1000000000000000000" for one ether, not {shown(text)}.',
            argument=name,
            maximum=str(MAX_WEI),
        )
    return amount
