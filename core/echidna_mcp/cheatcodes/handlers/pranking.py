"""`prank`, `startPrank`, `stopPrank`, `readCallers`: in whose name calls are made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echidna_mcp.cheatcodes import pranks
from echidna_mcp.cheatcodes.errors import CheatError
from echidna_mcp.cheatcodes.host import Site
from echidna_mcp.cheatcodes.registry import cheat
from echidna_mcp.kernel.language.memory import load64, peek256

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats

_PRANK, _RECURRENT_PRANK = 3, 4
"""Members of `CallerMode`; 0 is none, and nobody broadcasts here."""


@cheat("prank(address)", "prank(address,bool)")
def prank(cheats: Cheats, site: Site, sender: int, delegates: int = 0) -> None:
    """Let the next call come from somebody else."""
    flags = pranks.SINGLE | (pranks.DELEGATES if delegates else 0)
    _begin(cheats, site, sender, None, flags)


@cheat("prank(address,address)", "prank(address,address,bool)")
def prank_with_origin(
    cheats: Cheats, site: Site, sender: int, origin: int, delegates: int = 0
) -> None:
    """Do the same, and let somebody else have sent the message."""
    flags = pranks.SINGLE | (pranks.DELEGATES if delegates else 0)
    _begin(cheats, site, sender, origin, flags)


@cheat("startPrank(address)", "startPrank(address,bool)")
def start_prank(cheats: Cheats, site: Site, sender: int, delegates: int = 0) -> None:
    """Let all calls come from somebody else until `stopPrank`."""
    _begin(cheats, site, sender, None, pranks.DELEGATES if delegates else 0)


@cheat("startPrank(address,address)", "startPrank(address,address,bool)")
def start_prank_with_origin(
    cheats: Cheats, site: Site, sender: int, origin: int, delegates: int = 0
) -> None:
    """Do the same, and let somebody else have sent the message."""
    _begin(cheats, site, sender, origin, pranks.DELEGATES if delegates else 0)


@cheat("stopPrank()")
def stop_prank(cheats: Cheats, site: Site) -> None:
    """End the prank of the frame that calls."""
    pranks.end_prank(cheats.host.pranks, site.depth)


def _begin(
    cheats: Cheats, site: Site, sender: int, origin: int | None, flags: int
) -> None:
    host = cheats.host
    if flags & pranks.DELEGATES and not host.code(sender):
        raise CheatError("cannot `prank` delegate call from an EOA")
    if origin is not None:
        flags |= pranks.NEW_ORIGIN
    match pranks.begin_prank(
        *(host.pranks, site.depth, site.caller, host.origin),
        *(sender, origin or 0, flags),
    ):
        case pranks.NOT_APPLIED_YET:
            raise CheatError(
                "cannot overwrite a prank until it is applied at least once"
            )
        case pranks.ONGOING:
            raise CheatError(
                "cannot override an ongoing prank with a single vm.prank; use "
                "vm.startPrank to override the current prank"
            )


@cheat("readCallers()", returns="(uint8,address,address)")
def read_callers(cheats: Cheats, site: Site) -> tuple[int, int, int]:
    """Tell the kind of prank, and whose name and whose message calls bear."""
    host, known = cheats.host, cheats.host.pranks
    number = pranks.prank_at(known, site.depth)
    if number == pranks.NO_PRANK:
        return 0, host.origin, host.origin
    row = number * pranks.PRANK_ROW
    flags = load64(known.rows, row + pranks.PRANK_FLAGS)
    origin = host.origin
    if flags & pranks.NEW_ORIGIN:
        origin = peek256(known.rows, row + pranks.PRANK_ORIGIN)
    mode = _PRANK if flags & pranks.SINGLE else _RECURRENT_PRANK
    return mode, peek256(known.rows, row + pranks.PRANK_SENDER), origin
