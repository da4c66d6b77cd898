"""`assume`, `skip`, labels, and what only matters to other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echidna_mcp.abi.foundry_text import address_text
from echidna_mcp.cheatcodes.errors import ASSUME, SKIP, CheatError, RawRevertError
from echidna_mcp.cheatcodes.held import AssumedNoRevert, PotentialRevert
from echidna_mcp.cheatcodes.host import Site
from echidna_mcp.cheatcodes.registry import cheat

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats

_MOST = (1 << 256) - 1
_Potential = tuple[int, int, bytes]
"""`PotentialRevert` as Foundry's interface has it: reverter, 0 for anybody; whether a
part is enough; revert data."""


@cheat("assume(bool)")
def assume(_cheats: Cheats, _site: Site, condition: int) -> None:
    """Discard the call that runs unless a condition holds."""
    if not condition:
        raise RawRevertError(ASSUME)


@cheat("assumeNoRevert()")
def assume_no_revert(cheats: Cheats, site: Site) -> None:
    """Discard the call that runs if the next call that it makes reverts."""
    _assume_no_revert(cheats, site, ())


@cheat("assumeNoRevert((address,bool,bytes))")
def assume_no_revert_of(cheats: Cheats, site: Site, potential: _Potential) -> None:
    """Discard it if that call reverts so."""
    _assume_no_revert(cheats, site, (potential,))


@cheat("assumeNoRevert((address,bool,bytes)[])")
def assume_no_reverts_of(
    cheats: Cheats, site: Site, potentials: tuple[_Potential, ...]
) -> None:
    """Discard it if that call reverts in one of some ways."""
    _assume_no_revert(cheats, site, potentials)


def _assume_no_revert(
    cheats: Cheats, site: Site, potentials: tuple[_Potential, ...]
) -> None:
    if cheats.held.assumed_no_revert is not None:
        raise CheatError(
            "you must make another external call prior to calling assumeNoRevert again"
        )
    cheats.held.assumed_no_revert = AssumedNoRevert(
        site.depth,
        tuple(
            PotentialRevert(data, bool(partial), reverter or None)
            for reverter, partial, data in potentials
        ),
    )


@cheat("skip(bool)", "skip(bool,string)")
def skip(_cheats: Cheats, site: Site, condition: int, reason: bytes = b"") -> None:
    """Skip the test that runs."""
    if condition and site.depth > 1:
        raise CheatError("`skip` can only be used at test level")
    if condition:
        raise RawRevertError(SKIP + reason)


@cheat("label(address,string)")
def label(cheats: Cheats, _site: Site, address: int, name: bytes) -> None:
    """Give an address a name."""
    text = name.decode("utf-8", "replace")
    cheats.held.labels = {**cheats.held.labels, address: text}


@cheat("getLabel(address)", returns="(string)")
def get_label(cheats: Cheats, _site: Site, address: int) -> tuple[bytes]:
    """Return the name of an address."""
    known = cheats.held.labels.get(address)
    text = f"unlabeled:{address_text(address)}" if known is None else known
    return (text.encode(),)


@cheat(
    *("pauseGasMetering()", "resumeGasMetering()", "resetGasMetering()"),
    *("pauseTracing()", "resumeTracing()"),
    *("breakpoint(string)", "breakpoint(string,bool)"),
    *("cool(address)", "noAccessList()", "allowCheatcodes(address)"),
    *("snapshotValue(string,uint256)", "snapshotValue(string,string,uint256)"),
    *("startSnapshotGas(string)", "startSnapshotGas(string,string)"),
)
def ignore(_cheats: Cheats, _site: Site, *_arguments: object) -> None:
    """Do nothing: it changes what is charged or shown, and no state."""


@cheat(
    *("snapshotGasLastCall(string)", "snapshotGasLastCall(string,string)"),
    *("stopSnapshotGas()", "stopSnapshotGas(string)", "stopSnapshotGas(string,string)"),
    returns="(uint256)",
)
def unmeasured_gas(_cheats: Cheats, _site: Site, *_names: object) -> tuple[int]:
    """Return more gas than anything can use, and write no file.

    Gas is not measured for this. A test that sets it a limit fails, as hardly any does;
    none passes that should not.
    """
    return (_MOST,)


@cheat("isContext(uint8)", returns="(bool)")
def is_context(_cheats: Cheats, _site: Site, context: int) -> tuple[bool]:
    """Tell whether this is a test: one of the group of tests, or a test itself."""
    return (context in (0, 1),)
