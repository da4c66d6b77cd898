"""RLP, names of ENS, hashes of EIP-712, addresses of contracts, versions of Foundry."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from eth_hash.auto import keccak

from echidna_mcp.abi.codec import CodecError, decode
from echidna_mcp.abi.types import Tuple
from echidna_mcp.cheatcodes.errors import CheatError, UnsupportedError
from echidna_mcp.cheatcodes.handlers.formats import json_text, rlp
from echidna_mcp.cheatcodes.handlers.formats.text import quoted, read
from echidna_mcp.cheatcodes.handlers.formats.typed_data import (
    StructTypes,
    signing_hash,
)
from echidna_mcp.cheatcodes.host import Site
from echidna_mcp.cheatcodes.registry import cheat

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats

CREATE2_FACTORY: Final = 0x4E59B44847B379578588920CA78FBF26C0B4956C
"""Who creates with CREATE2 if nobody is named: the deployer that Foundry has."""
FOUNDRY: Final = (1, 7, 1)
"""The release whose cheatcodes these are."""
FOUNDRY_VERSION: Final = b"1.7.1+4072e48705.1778226655.dist"
_VERSION: Final = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)", re.ASCII)
_MOST_U64: Final = (1 << 64) - 1
_VARIATION_SELECTOR: Final = "\ufe0f"


@cheat("toRlp(bytes[])", returns="(bytes)")
def to_rlp(_cheats: Cheats, _site: Site, items: tuple[bytes, ...]) -> tuple[bytes]:
    """Encode a list of byte strings."""
    return (rlp.encode_list(items),)


@cheat("fromRlp(bytes)", returns="(bytes[])")
def from_rlp(_cheats: Cheats, _site: Site, data: bytes) -> tuple[tuple[bytes, ...]]:
    """Decode a list of byte strings."""
    return (rlp.decode_list(data),)


@cheat("ensNamehash(string)", returns="(bytes32)")
def ens_namehash(_cheats: Cheats, _site: Site, name: bytes) -> tuple[bytes]:
    """Return the node of a name (EIP-137)."""
    node = bytes(32)
    if name:
        for label in reversed(read(name).replace(_VARIATION_SELECTOR, "").split(".")):
            node = keccak(node + keccak(label.encode()))
    return (node,)


@cheat("computeCreateAddress(address,uint256)", returns="(address)")
def compute_create_address(
    _cheats: Cheats, _site: Site, deployer: int, nonce: int
) -> tuple[int]:
    """Return the address that CREATE gives with a nonce."""
    if nonce > _MOST_U64:
        raise CheatError("nonce must be less than 2^64")
    creator = deployer.to_bytes(20, "big")
    return (_address(rlp.encode_list((creator, rlp.encode_number(nonce)))),)


@cheat("computeCreate2Address(bytes32,bytes32)", returns="(address)")
@cheat("computeCreate2Address(bytes32,bytes32,address)", returns="(address)")
def compute_create2_address(
    _cheats: Cheats,
    _site: Site,
    salt: bytes,
    code_hash: bytes,
    deployer: int = CREATE2_FACTORY,
) -> tuple[int]:
    """Return the address that CREATE2 gives with a salt."""
    return (_address(b"\xff" + deployer.to_bytes(20, "big") + salt + code_hash),)


def _address(preimage: bytes) -> int:
    return int.from_bytes(keccak(preimage)[12:], "big")


# --------------------------------------------------------------------------- EIP-712


@cheat("eip712HashType(string)", returns="(bytes32)")
def eip712_hash_type(_cheats: Cheats, _site: Site, definition: bytes) -> tuple[bytes]:
    """Return the hash of the type of a struct."""
    types = _types(read(definition), "eip712HashType(string)")
    return (keccak(types.encode_type(types.main()).encode()),)


@cheat("eip712HashStruct(string,bytes)", returns="(bytes32)")
def eip712_hash_struct(
    _cheats: Cheats, _site: Site, definition: bytes, data: bytes
) -> tuple[bytes]:
    """Return the hash of a struct from its ABI encoding."""
    types = _types(read(definition), "eip712HashStruct(string,bytes)")
    main = types.main()
    types.encode_type(main)  # Refuses members of types that are not there.
    try:
        (value,) = decode(Tuple((types.abi_type(main),), ("",)), data)
    except CodecError as error:
        raise CheatError(f"Failed to ABI decode '{main}': {error}") from None
    return (types.hash_struct(main, value),)


@cheat("eip712HashTypedData(string)", returns="(bytes32)")
def eip712_hash_typed_data(_cheats: Cheats, _site: Site, text: bytes) -> tuple[bytes]:
    """Return the hash of typed data that a wallet signs."""
    return (signing_hash(json_text.parse(read(text))),)


def _types(definition: str, signature: str) -> StructTypes:
    if "(" not in definition:
        raise UnsupportedError(
            signature,
            "does not work with the name of a type yet: Foundry finds its definition "
            "in a file that `forge bind-json` writes. Give the definition.",
        )
    return StructTypes.read(definition)


# -------------------------------------------------------------------------- versions


@cheat("getFoundryVersion()", returns="(string)")
def get_foundry_version(_cheats: Cheats, _site: Site) -> tuple[bytes]:
    """Return the version of Foundry whose cheatcodes these are."""
    return (FOUNDRY_VERSION,)


@cheat("foundryVersionCmp(string)", returns="(int256)")
def foundry_version_cmp(_cheats: Cheats, _site: Site, text: bytes) -> tuple[int]:
    """Return -1, 0 or 1: whether it is less than, equal to or more than another one."""
    other = _version(read(text))
    return ((other < FOUNDRY) - (other > FOUNDRY),)


@cheat("foundryVersionAtLeast(string)", returns="(bool)")
def foundry_version_at_least(_cheats: Cheats, _site: Site, text: bytes) -> tuple[bool]:
    """Tell whether it is at least another one."""
    return (_version(read(text)) <= FOUNDRY,)


def _version(text: str) -> tuple[int, ...]:
    found = _VERSION.fullmatch(text)
    if found is None or max(map(len, found.groups())) > len(str(_MOST_U64)):
        raise CheatError(f"invalid version {quoted(text)}")
    numbers = tuple(map(int, found.groups()))
    if max(numbers) > _MOST_U64:
        raise CheatError(f"invalid version {quoted(text)}")
    return numbers
