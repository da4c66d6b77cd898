"""`addr`, `sign`, `createWallet`, `deriveKey` and the like: keys of accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eth_hash.auto import keccak

from echidna_mcp.abi.foundry_text import address_text
from echidna_mcp.cheatcodes.errors import CheatError
from echidna_mcp.cheatcodes.handlers.formats.text import read
from echidna_mcp.cheatcodes.handlers.keys import secp256k1
from echidna_mcp.cheatcodes.handlers.keys.mnemonics import ETHEREUM, derive
from echidna_mcp.cheatcodes.handlers.keys.secp256k1 import Signature
from echidna_mcp.cheatcodes.host import Site
from echidna_mcp.cheatcodes.registry import cheat

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats

Wallet = tuple[int, int, int, int]
"""Address, both coordinates of the public key, private key."""
_WALLET: Final = "(address,uint256,uint256,uint256)"
_FULL: Final = "(uint8,bytes32,bytes32)"
_COMPACT: Final = "(bytes32,bytes32)"
_MOST_KEYS: Final = 1000
"""Keys that `rememberKeys` derives: a call could ask for billions."""


@cheat("addr(uint256)", returns="(address)", pure=True)
def addr(_cheats: Cheats, _site: Site, key: int) -> tuple[int]:
    """Return the address of a private key."""
    return (secp256k1.address(key),)


@cheat("createWallet(uint256)", returns=f"({_WALLET})")
def create_wallet(_cheats: Cheats, _site: Site, key: int) -> tuple[Wallet]:
    """Return what belongs to a private key."""
    return (_wallet(key),)


@cheat("createWallet(uint256,string)", returns=f"({_WALLET})")
def create_labelled_wallet(
    cheats: Cheats, _site: Site, key: int, label: bytes
) -> tuple[Wallet]:
    """Do the same, and label its address."""
    wallet = _wallet(key)
    cheats.held.labels = {**cheats.held.labels, wallet[0]: read(label)}
    return (wallet,)


@cheat("createWallet(string)", returns=f"({_WALLET})")
def create_wallet_of_label(cheats: Cheats, site: Site, label: bytes) -> tuple[Wallet]:
    """Do the same with the hash of the label as the key."""
    key = int.from_bytes(keccak(read(label).encode()), "big")
    found: tuple[Wallet] = create_labelled_wallet(cheats, site, key, label)
    return found


def _wallet(key: int) -> Wallet:
    return (secp256k1.address(key), *secp256k1.public_key(key), key)


@cheat(f"getNonce({_WALLET})", returns="(uint64)")
def get_nonce_of_wallet(cheats: Cheats, _site: Site, wallet: Wallet) -> tuple[int]:
    """Read the nonce of the address of a wallet."""
    return (cheats.host.nonce(wallet[0]),)


# -------------------------------------------------------------------------- signing


@cheat("sign(uint256,bytes32)", returns=_FULL, pure=True)
def sign(
    _cheats: Cheats, _site: Site, key: int, digest: bytes
) -> tuple[int, bytes, bytes]:
    """Sign a digest."""
    return _full(secp256k1.sign(key, digest))


@cheat("signCompact(uint256,bytes32)", returns=_COMPACT)
def sign_compact(
    _cheats: Cheats, _site: Site, key: int, digest: bytes
) -> tuple[bytes, bytes]:
    """Sign a digest; return v in the highest bit of s (EIP-2098)."""
    return _compact(secp256k1.sign(key, digest))


@cheat(f"sign({_WALLET},bytes32)", returns=_FULL)
def sign_with_wallet(
    _cheats: Cheats, _site: Site, wallet: Wallet, digest: bytes
) -> tuple[int, bytes, bytes]:
    """Sign a digest with the key of a wallet."""
    return _full(secp256k1.sign(wallet[3], digest))


@cheat(f"signCompact({_WALLET},bytes32)", returns=_COMPACT)
def sign_compact_with_wallet(
    _cheats: Cheats, _site: Site, wallet: Wallet, digest: bytes
) -> tuple[bytes, bytes]:
    """Do the same in the short form."""
    return _compact(secp256k1.sign(wallet[3], digest))


@cheat("sign(address,bytes32)", returns=_FULL)
def sign_as(
    cheats: Cheats, _site: Site, signer: int, digest: bytes
) -> tuple[int, bytes, bytes]:
    """Sign a digest with the key of an address that is remembered."""
    return _full(secp256k1.sign(_key_of(cheats, signer), digest))


@cheat("signCompact(address,bytes32)", returns=_COMPACT)
def sign_compact_as(
    cheats: Cheats, _site: Site, signer: int, digest: bytes
) -> tuple[bytes, bytes]:
    """Do the same in the short form."""
    return _compact(secp256k1.sign(_key_of(cheats, signer), digest))


@cheat("sign(bytes32)", returns=_FULL)
def sign_as_only(
    cheats: Cheats, _site: Site, digest: bytes
) -> tuple[int, bytes, bytes]:
    """Sign a digest with the only key that is remembered."""
    return _full(secp256k1.sign(_only_key(cheats), digest))


@cheat("signCompact(bytes32)", returns=_COMPACT)
def sign_compact_as_only(
    cheats: Cheats, _site: Site, digest: bytes
) -> tuple[bytes, bytes]:
    """Do the same in the short form."""
    return _compact(secp256k1.sign(_only_key(cheats), digest))


@cheat("signWithNonceUnsafe(uint256,bytes32,uint256)", returns=_FULL)
def sign_with_nonce(
    _cheats: Cheats, _site: Site, key: int, digest: bytes, nonce: int
) -> tuple[int, bytes, bytes]:
    """Sign a digest with a nonce that the caller chooses."""
    return _full(secp256k1.sign_with_nonce(key, digest, nonce))


def _full(signature: Signature) -> tuple[int, bytes, bytes]:
    v = 28 if signature.odd else 27
    return v, signature.r.to_bytes(32, "big"), signature.s.to_bytes(32, "big")


def _compact(signature: Signature) -> tuple[bytes, bytes]:
    s = signature.s | signature.odd << 255
    return signature.r.to_bytes(32, "big"), s.to_bytes(32, "big")


# ------------------------------------------------------------------- remembered keys


@cheat("rememberKey(uint256)", returns="(address)")
def remember_key(cheats: Cheats, _site: Site, key: int) -> tuple[int]:
    """Remember a private key by its address, which is returned."""
    address = secp256k1.address(key)
    cheats.held.keys = {**cheats.held.keys, address: key}
    return (address,)


@cheat("rememberKeys(string,string,uint32)", returns="(address[])")
def remember_keys(
    cheats: Cheats, _site: Site, phrase: bytes, path: bytes, count: int
) -> tuple[tuple[int, ...]]:
    """Remember the first keys of a mnemonic; return their addresses."""
    return (_remember(cheats, phrase, path, b"english", count),)


@cheat("rememberKeys(string,string,string,uint32)", returns="(address[])")
def remember_keys_in_language(
    cheats: Cheats,
    _site: Site,
    phrase: bytes,
    path: bytes,
    language: bytes,
    count: int,
) -> tuple[tuple[int, ...]]:
    """Do the same with words of a language."""
    return (_remember(cheats, phrase, path, language, count),)


def _remember(
    cheats: Cheats, phrase: bytes, path: bytes, language: bytes, count: int
) -> tuple[int, ...]:
    if count > _MOST_KEYS:
        raise CheatError(f"{count} keys are too many: {_MOST_KEYS} work")
    words, place, name = read(phrase), read(path), read(language)
    keys = [derive(words, place, number, name) for number in range(count)]
    by_address = {secp256k1.address(key): key for key in keys}
    cheats.held.keys = {**cheats.held.keys, **by_address}
    return tuple(map(secp256k1.address, keys))


@cheat("getWallets()", returns="(address[])")
def get_wallets(cheats: Cheats, _site: Site) -> tuple[tuple[int, ...]]:
    """Return the addresses whose keys are remembered, oldest first."""
    return (tuple(cheats.held.keys),)


def _key_of(cheats: Cheats, signer: int) -> int:
    keys = cheats.held.keys
    if not keys:
        raise CheatError("no wallets available")
    if signer not in keys:
        raise CheatError(f"signer with address {address_text(signer)} is not available")
    return keys[signer]


def _only_key(cheats: Cheats) -> int:
    keys = [*cheats.held.keys.values()]
    if not keys:
        raise CheatError("no wallets available")
    if len(keys) > 1:
        raise CheatError(
            "could not determine signer, there are multiple signers available use "
            "vm.sign(signer, digest) to specify one"
        )
    return keys[0]


# ------------------------------------------------------------------------- mnemonics


@cheat("deriveKey(string,uint32)", returns="(uint256)")
def derive_key(_cheats: Cheats, _site: Site, phrase: bytes, number: int) -> tuple[int]:
    """Return the private key of an account of a mnemonic."""
    return (derive(read(phrase), ETHEREUM, number),)


@cheat("deriveKey(string,string,uint32)", returns="(uint256)")
def derive_key_at_path(
    _cheats: Cheats, _site: Site, phrase: bytes, path: bytes, number: int
) -> tuple[int]:
    """Do the same at a path."""
    return (derive(read(phrase), read(path), number),)


@cheat("deriveKey(string,uint32,string)", returns="(uint256)")
def derive_key_in_language(
    _cheats: Cheats, _site: Site, phrase: bytes, number: int, language: bytes
) -> tuple[int]:
    """Return the private key of an account of a mnemonic of a language."""
    return (derive(read(phrase), ETHEREUM, number, read(language)),)


@cheat("deriveKey(string,string,uint32,string)", returns="(uint256)")
def derive_key_at_path_in_language(
    _cheats: Cheats,
    _site: Site,
    phrase: bytes,
    path: bytes,
    number: int,
    language: bytes,
) -> tuple[int]:
    """Do the same at a path."""
    return (derive(read(phrase), read(path), number, read(language)),)
