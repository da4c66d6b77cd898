"""Who would call the cheatcodes of Foundry (`vm`), which do not work yet.

There is no code at their address, so that a call of Solidity reverts before it is made
(Solidity documentation, "External Function Calls": `extcodesize` is checked). Whatever
stands behind it is never tested, and a campaign may pass for that reason alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.program.model import Program
from echidna_mcp.program.plan import Deployment, plan_of
from echidna_mcp.wording import some

CHEATCODES: Final = 0x7109709ECFA91A80626FF3989D68F67F5B1DD12D
"""Their address: the last 20 bytes of the hash of `_PREIMAGE`."""
_PREIMAGE: Final = b"hevm cheat code"
_SELECTORS: Final = re.compile(rb"(?=\x63(.{4})|\x7f(.{4})\0{28})", re.DOTALL)
"""Operands of PUSH4, and of PUSH32 where the selector stands in its first bytes."""
_SHIFTED: Final = re.compile(rb"(?=\x60([\xe0-\xff])\x1b)", re.DOTALL)
"""PUSH1 and SHL, which move what was pushed before into the first bytes of a word."""


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
    """Return all of Foundry's, in order of their signatures.

    Source: Foundry 1.7, `crates/cheatcodes/assets/cheatcodes.json`.
    """
    text = files(__package__).joinpath("foundry_cheatcodes.tsv").read_text("ascii")
    rows = (line.split("\t") for line in text.splitlines())
    return tuple(
        Cheatcode(group, signature, bytes.fromhex(selector.removeprefix("0x")))
        for group, signature, selector in rows
    )


def wants_cheatcodes(program: Program, config: CampaignConfig) -> tuple[str, ...]:
    """Return a sentence for each contract of the plan that holds their address.

    Creation code holds the runtime code, and that of all that it can create. An
    address that is only imported, and never used, is not in it. Compilers may leave it
    to the code to shorten the hash, and even to compute it.

    Raises:
        TargetError: there is no plan; see `plan_of`.
    """
    deployments = plan_of(program, config).deployments
    if any(each.address == CHEATCODES for each in deployments):
        return ()  # Somebody has put code of his own there.
    signs = CHEATCODES.to_bytes(20, "big"), _PREIMAGE
    return tuple(
        _sentence(each)
        for each in deployments
        if any(sign in each.code for sign in signs)
    )


def _sentence(deployment: Deployment) -> str:
    names = [f"vm.{each.signature}" for each in cheatcodes_in(deployment.code)]
    which = f": {some(names)}" if names else ""
    return (
        f"{deployment.name}, or a contract that it creates, calls cheatcodes of "
        f"Foundry (vm), which do not work yet{which}; such calls revert."
    )


def cheatcodes_in(code: bytes) -> list[Cheatcode]:
    """Return the cheatcodes whose selectors some code holds, in order of signature.

    A function of the contract's own that has the same signature is among them.
    """
    held = {match[1] or match[2] for match in _SELECTORS.finditer(code)}
    held.update(_shifted(code))
    return [each for each in foundry_cheatcodes() if each.selector in held]


def _shifted(code: bytes) -> Iterator[bytes]:
    """Yield selectors that are pushed without the zero bits at their end."""
    for match in _SHIFTED.finditer(code):
        shift, end = match[1][0] - 0xE0, match.start()
        for size in range(1, 5):
            if end > size and code[end - size - 1] == 0x5F + size:  # PUSH1 to PUSH4
                word = int.from_bytes(code[end - size : end], "big") << shift
                if word < 1 << 32:
                    yield word.to_bytes(4, "big")
