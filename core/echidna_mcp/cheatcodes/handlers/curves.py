"""`signP256`, `signEd25519` and the like: keys of other curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echidna_mcp.cheatcodes.handlers.keys import other_curves
from echidna_mcp.cheatcodes.host import Site
from echidna_mcp.cheatcodes.registry import cheat

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats


@cheat("publicKeyP256(uint256)", returns="(uint256,uint256)")
def public_key_p256(_cheats: Cheats, _site: Site, key: int) -> tuple[int, int]:
    """Return the point of a private key on P-256."""
    return other_curves.p256_public_key(key)


@cheat("signP256(uint256,bytes32)", returns="(bytes32,bytes32)")
def sign_p256(
    _cheats: Cheats, _site: Site, key: int, digest: bytes
) -> tuple[bytes, bytes]:
    """Sign a digest on P-256."""
    r, s = other_curves.sign_p256(key, digest)
    return r.to_bytes(32, "big"), s.to_bytes(32, "big")


@cheat("createEd25519Key(bytes32)", returns="(bytes32,bytes32)")
def create_ed25519_key(
    _cheats: Cheats, _site: Site, salt: bytes
) -> tuple[bytes, bytes]:
    """Return the public key and the private key of a salt, which is the latter."""
    return other_curves.ed25519_public_key(salt), salt


@cheat("publicKeyEd25519(bytes32)", returns="(bytes32)")
def public_key_ed25519(_cheats: Cheats, _site: Site, key: bytes) -> tuple[bytes]:
    """Return the public key of a private key."""
    return (other_curves.ed25519_public_key(key),)


@cheat("signEd25519(bytes,bytes,bytes32)", returns="(bytes)")
def sign_ed25519(
    _cheats: Cheats, _site: Site, namespace: bytes, message: bytes, key: bytes
) -> tuple[bytes]:
    """Sign a namespace and a message behind it."""
    return (other_curves.sign_ed25519(key, namespace + message),)


@cheat("verifyEd25519(bytes,bytes,bytes,bytes32)", returns="(bool)")
def verify_ed25519(
    _cheats: Cheats,
    _site: Site,
    signature: bytes,
    namespace: bytes,
    message: bytes,
    key: bytes,
) -> tuple[bool]:
    """Tell whether a signature is that of a public key."""
    return (other_curves.verify_ed25519(key, namespace + message, signature),)
