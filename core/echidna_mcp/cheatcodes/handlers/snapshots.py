"""`snapshotState` and `revertToState`: the world as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echidna_mcp.cheatcodes.handlers.accounts import NOTHING, become
from echidna_mcp.cheatcodes.held import WorldSnapshot
from echidna_mcp.cheatcodes.host import ENV_FIELDS, Site
from echidna_mcp.cheatcodes.registry import cheat

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats


@cheat("snapshot()", "snapshotState()", returns="(uint256)")
def snapshot(cheats: Cheats, _site: Site) -> tuple[int]:
    """Keep the world as it is; return the number of what is kept."""
    host, held = cheats.host, cheats.held
    env = {field: host.env(field) for field in ENV_FIELDS}
    kept = WorldSnapshot(
        dict(host.accounts()), env, held.excess_blob_gas, held.block_hashes
    )
    held.snapshots = (*held.snapshots, kept)
    return (len(held.snapshots) - 1,)


@cheat("revertTo(uint256)", "revertToState(uint256)", returns="(bool)")
def revert_to(cheats: Cheats, _site: Site, number: int) -> tuple[bool]:
    """Make the world as it was; return whether there is such a snapshot."""
    return (_revert(cheats, number),)


@cheat(
    "revertToAndDelete(uint256)", "revertToStateAndDelete(uint256)", returns="(bool)"
)
def revert_to_and_delete(cheats: Cheats, _site: Site, number: int) -> tuple[bool]:
    """Do the same, and forget the snapshot."""
    found = _revert(cheats, number)
    if found:
        _forget(cheats, number)
    return (found,)


@cheat("deleteSnapshot(uint256)", "deleteStateSnapshot(uint256)", returns="(bool)")
def delete_snapshot(cheats: Cheats, _site: Site, number: int) -> tuple[bool]:
    """Forget a snapshot; return whether there was one."""
    return (_forget(cheats, number),)


@cheat("deleteSnapshots()", "deleteStateSnapshots()")
def delete_snapshots(cheats: Cheats, _site: Site) -> None:
    """Forget all; numbers are not used again."""
    cheats.held.snapshots = (None,) * len(cheats.held.snapshots)


def _revert(cheats: Cheats, number: int) -> bool:
    known = cheats.held.snapshots
    kept = known[number] if number < len(known) else None
    if kept is None:
        return False
    before = dict(cheats.host.accounts())
    for address in sorted({*before, *kept.accounts}):
        old = before.get(address, NOTHING)
        become(cheats.host, address, old, kept.accounts.get(address, NOTHING))
    for field in ENV_FIELDS:
        cheats.host.set_env(field, kept.env[field])
    cheats.held.excess_blob_gas = kept.excess_blob_gas
    cheats.held.block_hashes = kept.block_hashes
    return True


def _forget(cheats: Cheats, number: int) -> bool:
    known = cheats.held.snapshots
    if number >= len(known) or known[number] is None:
        return False
    cheats.held.snapshots = (*known[:number], None, *known[number + 1 :])
    return True
