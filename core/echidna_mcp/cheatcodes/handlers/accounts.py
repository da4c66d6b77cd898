"""`deal`, `etch`, `store`, nonces: accounts are changed and read.

What sets balances and nonces writes past the journal of Foundry's EVM: no revert undoes
it. In those of hevm and Medusa it does.

Source: Foundry, `crates/cheatcodes/src/evm.rs`; revm, `JournalEntry::revert`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from echidna_mcp.cheatcodes.addresses import CHEATCODES, CONSOLE
from echidna_mcp.cheatcodes.errors import CheatError
from echidna_mcp.cheatcodes.host import CheatHost, Site
from echidna_mcp.cheatcodes.registry import cheat
from echidna_mcp.evm.backend import AccountState

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats

_P256_VERIFY: Final = 0x100
_LAST_PRECOMPILE: Final = 0x11
NOTHING: Final = AccountState(balance=0, nonce=0, code=b"", storage={})
"""An account that nobody has used."""
_FAILED: Final = b"failed".ljust(32, b"\0")
"""Slot of the flag with which tests tell that they fail (ds-test)."""


def refuse_precompile(address: int) -> None:
    """Refuse to change what is no account.

    Raises:
        CheatError: it is a precompile, or of the cheatcodes.
    """
    if address in (CHEATCODES, CONSOLE, _P256_VERIFY) or (
        0 < address <= _LAST_PRECOMPILE
    ):
        raise CheatError(f"cannot use precompile 0x{address:040x} as an argument")


def _lasts(cheats: Cheats) -> bool:
    """Whether balances and nonces that are set survive the revert of the frame."""
    return cheats.settings.dialect == "foundry"


@cheat("deal(address,uint256)")
def deal(cheats: Cheats, _site: Site, address: int, wei: int) -> None:
    """Set a balance."""
    cheats.host.set_account(address, balance=wei, lasting=_lasts(cheats))


@cheat("etch(address,bytes)")
def etch(cheats: Cheats, _site: Site, address: int, code: bytes) -> None:
    """Set runtime code."""
    refuse_precompile(address)
    cheats.host.set_account(address, code=code)


@cheat("load(address,bytes32)", returns="(bytes32)")
def load(cheats: Cheats, _site: Site, address: int, slot: bytes) -> tuple[bytes]:
    """Read a storage word."""
    if (address, slot) == (CHEATCODES, _FAILED):
        return (int(cheats.held.failed_flag).to_bytes(32, "big"),)
    refuse_precompile(address)
    word = cheats.host.storage(address, int.from_bytes(slot, "big"))
    return (word.to_bytes(32, "big"),)


@cheat("store(address,bytes32,bytes32)")
def store(cheats: Cheats, _site: Site, address: int, slot: bytes, word: bytes) -> None:
    """Write a storage word."""
    if (address, slot) == (CHEATCODES, _FAILED):
        cheats.held.failed_flag = any(word)
        cheats.flagged = any(word)
        return
    refuse_precompile(address)
    at, value = int.from_bytes(slot, "big"), int.from_bytes(word, "big")
    cheats.host.set_storage(address, at, value)


@cheat("getNonce(address)", returns="(uint64)")
def get_nonce(cheats: Cheats, _site: Site, address: int) -> tuple[int]:
    """Read a nonce."""
    return (cheats.host.nonce(address),)


@cheat("setNonce(address,uint64)")
def set_nonce(cheats: Cheats, _site: Site, address: int, nonce: int) -> None:
    """Set a nonce, which must not become less."""
    present = cheats.host.nonce(address)
    if nonce < present:
        raise CheatError(
            f"new nonce ({nonce}) must be strictly equal to or higher than the "
            f"account's current nonce ({present})"
        )
    cheats.host.set_account(address, nonce=nonce, lasting=_lasts(cheats))


@cheat("setNonceUnsafe(address,uint64)")
def set_nonce_unsafe(cheats: Cheats, _site: Site, address: int, nonce: int) -> None:
    """Set a nonce."""
    cheats.host.set_account(address, nonce=nonce, lasting=_lasts(cheats))


@cheat("resetNonce(address)")
def reset_nonce(cheats: Cheats, _site: Site, address: int) -> None:
    """Make a nonce that of a new account: 1 if it has code."""
    nonce = 1 if cheats.host.code(address) else 0
    cheats.host.set_account(address, nonce=nonce, lasting=_lasts(cheats))


@cheat("copyStorage(address,address)")
def copy_storage(cheats: Cheats, _site: Site, source: int, target: int) -> None:
    """Write all storage words of an account to another one."""
    known = dict(cheats.host.accounts())
    if source in known:
        before = known.get(target, NOTHING).storage
        replace_storage(cheats.host, target, before, known[source].storage)


@cheat("cloneAccount(address,address)")
def clone_account(cheats: Cheats, _site: Site, source: int, target: int) -> None:
    """Make an account as another one is."""
    known = dict(cheats.host.accounts())
    if source in known:
        become(cheats.host, target, known.get(target, NOTHING), known[source])


def become(
    host: CheatHost, address: int, before: AccountState, after: AccountState
) -> None:
    """Make an account, which is as `before`, one as `after`."""
    host.set_account(address, balance=after.balance, nonce=after.nonce, code=after.code)
    replace_storage(host, address, before.storage, after.storage)


def replace_storage(
    host: CheatHost, address: int, before: Mapping[int, int], after: Mapping[int, int]
) -> None:
    """Write all storage words of an account that has other ones."""
    for slot in sorted({*before, *after}):
        host.set_storage(address, slot, after.get(slot, 0))
