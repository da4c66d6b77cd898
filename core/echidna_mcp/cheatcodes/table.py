"""All functions of Foundry's `vm`, and those of them that do not work here.

Source: Foundry 1.7, `crates/cheatcodes/assets/cheatcodes.json`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final


@dataclass(frozen=True, slots=True)
class Cheatcode:
    """A function of `vm`.

    Attributes:
        group: where Foundry's reference lists it.
        signature: canonical, as `prank(address)`.
        selector: its four bytes.
    """

    group: str
    signature: str
    selector: bytes


@cache
def foundry_cheatcodes() -> tuple[Cheatcode, ...]:
    """Return all of Foundry's, in order of their signatures."""
    text = files(__package__).joinpath("foundry.tsv").read_text("ascii")
    rows = (line.split("\t") for line in text.splitlines())
    return tuple(
        Cheatcode(group, signature, bytes.fromhex(selector.removeprefix("0x")))
        for group, signature, selector in rows
    )


_REFUSALS: Final = {
    "needs a live chain, which no campaign has.": (
        *(r"\w*[fF]orks?\b", "makePersistent", "revokePersistent", "isPersistent"),
        *(r"rpc\w*", "eth_getLogs", "transact", "getChain\\("),
        *("executeTransaction", "broadcastRawTransaction", "getRawBlockHeader"),
    ),
    "is for scripts that send transactions to a chain.": (
        *(r"\w*[bB]roadcast\w*", "getBroadcasts?", "getDeployments?"),
    ),
    "writes files, which campaigns never do.": (
        r"(write|remove|copy|create)(File|Dir|Line|Json|Toml)\w*",
        "dumpState",
    ),
    "asks a person, who is not there.": ("prompt",),
    "depends on the clock of this machine.": ("sleep", "unixTime"),
}
"""Why those never work that begin so, to follow the name in a sentence."""


def refusal_of(cheatcode: Cheatcode) -> str:
    """Return why a cheatcode does not work, to follow its name in a sentence."""
    for reason, patterns in _REFUSALS.items():
        if any(re.match(pattern, cheatcode.signature) for pattern in patterns):
            return reason
    return "does not work yet."
