"""Who would call the cheatcodes of Foundry (`vm`), which do not work yet.

There is no code at their address, so that a call of Solidity reverts before it is made
(Solidity documentation, "External Function Calls": `extcodesize` is checked). Whatever
stands behind it is never tested, and a campaign may pass for that reason alone.
"""

from __future__ import annotations

from typing import Final

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.program.model import Program
from echidna_mcp.program.plan import plan_of

CHEATCODES: Final = 0x7109709ECFA91A80626FF3989D68F67F5B1DD12D
"""Their address: the last 20 bytes of the hash of `_PREIMAGE`."""
_PREIMAGE: Final = b"hevm cheat code"


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
        f"{each.name}, or a contract that it creates, calls cheatcodes of Foundry "
        "(vm), which do not work yet: such calls revert."
        for each in deployments
        if any(sign in each.code for sign in signs)
    )
