"""Requests of cheatcodes to the world outside of the campaign."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echidna_mcp.cheatcodes.errors import CheatError, UnsupportedError
from echidna_mcp.evm.outside import Request

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats


def found_outside(
    cheats: Cheats, signature: str, request: Request
) -> tuple[bytes, ...]:
    """Return what the outside has answered: `Reply.values`.

    Args:
        cheats: whose campaign it is.
        signature: of the cheatcode that asks.
        request: what it asks for.

    Raises:
        CheatError: there is nothing; the text is forge's.
        UnsupportedError: it is not for this campaign to see.
        UnansweredError: nobody has answered that yet.
    """
    reply = cheats.outside.ask(request)
    if reply is None:
        raise UnsupportedError(
            signature, "asks for more of the outside than a campaign can record."
        )
    if reply.refusal:
        name = signature.partition("(")[0]
        text = f"vm.{name}: {reply.error}" if reply.error else ""
        raise UnsupportedError(signature, reply.refusal, text=text)
    if reply.error:
        raise CheatError(reply.error)
    return reply.values
