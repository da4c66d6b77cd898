"""Hard forks: their names, which rules a program asks for, and what every chain has.

What forks differ in, each backend knows by itself; their tables are held against each
other by the tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, get_args

ForkName: TypeAlias = Literal["shanghai", "cancun", "prague", "osaka"]
"""Rules by hard fork, named as compilers name them (`evmVersion`)."""

FORKS: Final[tuple[ForkName, ...]] = get_args(ForkName)
"""Oldest first."""
NEWEST: Final[ForkName] = FORKS[-1]

OLDER: Final = (
    "homestead",
    "tangerineWhistle",
    "spuriousDragon",
    "byzantium",
    "constantinople",
    "petersburg",
    "istanbul",
    "berlin",
    "london",
    "paris",
)
"""What compilers can also compile for; such code runs by the rules of `FORKS[0]`."""

_GAS_CAP: Final = 1 << 24  # EIP-7825

PRECOMPILE_ADDRESSES: Final = (*range(1, 0x12), 0x100)
"""Those that any of the forks has (EIP-2537, EIP-7951 the newest)."""

HISTORY_ADDRESS: Final = 0x0000F90827F1C53A10CB7A02335B175320002935
HISTORY_WINDOW: Final = 8191
"""Blocks whose hashes the contract at `HISTORY_ADDRESS` serves (EIP-2935)."""
_HISTORY_CODE: Final = bytes.fromhex(
    "3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f356001430381"
    "11604257611fff81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff600143"
    "03065500"
)


def is_older(fork: ForkName, other: ForkName) -> bool:
    """Whether `fork` came before `other`."""
    return FORKS.index(fork) < FORKS.index(other)


def rules_for(compiled: str) -> ForkName | None:
    """Return the rules for code that was compiled for a fork.

    Args:
        compiled: the name that the compiler gave; one that nobody knows is newer than
            all that there are.

    Returns:
        The oldest fork here for one that is older still; None for one that is newer.
    """
    if compiled in OLDER:
        return FORKS[0]
    return next((fork for fork in FORKS if fork == compiled), None)


def most_gas(fork: ForkName) -> int | None:
    """Return how much gas a transaction can have; None for no limit.

    Osaka brought the limit (EIP-7825).
    """
    return None if is_older(fork, "osaka") else _GAS_CAP


def system_contracts(fork: ForkName) -> Mapping[int, bytes]:
    """Return the code that every chain holds by the rules of a fork, by address.

    Prague brought the contract that serves block hashes (EIP-2935).
    """
    if is_older(fork, "prague"):
        return {}
    return {HISTORY_ADDRESS: _HISTORY_CODE}
