"""How a devnet behaves."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

FOLDER: Final = "devnet"
"""Of a data directory: where its devnet and the key of its wallet are."""
BLOCK_SECONDS: Final = 2.0
GRANT: Final = Decimal(10_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class DevnetOptions:
    """How a devnet behaves.

    Attributes:
        block_seconds: between two blocks; None for blocks on demand only.
        grant: CIRX that the faucet gives to each wallet when it is registered.
        verify: whether transactions are `Verified` for one block before they are
            `Executed`.
    """

    block_seconds: float | None = BLOCK_SECONDS
    grant: Decimal = GRANT
    verify: bool = False
