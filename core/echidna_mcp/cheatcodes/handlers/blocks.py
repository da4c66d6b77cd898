"""`warp`, `roll` and the like: what block and chain are.

Source: Foundry, `crates/cheatcodes/src/evm.rs`; EIP-4844 and EIP-7691 for the fee for
blob gas, computed as in revm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from echidna_mcp.cheatcodes.errors import CheatError
from echidna_mcp.cheatcodes.host import EnvField, Site
from echidna_mcp.cheatcodes.registry import Handler, cheat
from echidna_mcp.evm.fork import is_older

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats

_U64 = (1 << 64) - 1
_U128 = (1 << 128) - 1
_UPDATE_FRACTION: Final = 5007716
_UPDATE_FRACTION_OF_CANCUN: Final = 3338477
_MOST_EXCESS: Final = 1 << 32
"""Of blob gas: the time that the fee takes to compute grows with it."""


def _setter(field: EnvField, most: int | None = None, limit: str = "") -> Handler:
    """Return what sets a field; values above `most` are refused."""

    def change(cheats: Cheats, _site: Site, value: int | bytes) -> None:
        number = int.from_bytes(value, "big") if isinstance(value, bytes) else value
        if most is not None and number > most:
            raise CheatError(limit)
        cheats.host.set_env(field, number)

    return change


def _getter(field: EnvField) -> Handler:
    def tell(cheats: Cheats, _site: Site) -> tuple[int]:
        return (cheats.host.env(field),)

    return tell


cheat("warp(uint256)")(_setter("timestamp", _U64, "timestamp must be less than 2^64"))
cheat("roll(uint256)")(_setter("number", _U64, "block number must be less than 2^64"))
cheat("fee(uint256)")(_setter("base_fee", _U64, "base fee must be less than 2^64"))
cheat("chainId(uint256)")(_setter("chain_id", _U64, "chain ID must be less than 2^64"))
cheat("coinbase(address)")(_setter("coinbase"))
cheat("prevrandao(bytes32)", "prevrandao(uint256)")(_setter("prev_randao"))
cheat("getBlockTimestamp()", returns="(uint256)")(_getter("timestamp"))
cheat("getBlockNumber()", returns="(uint256)")(_getter("number"))
cheat("getChainId()", returns="(uint256)")(_getter("chain_id"))


@cheat("blobBaseFee(uint256)")
def blob_base_fee(cheats: Cheats, _site: Site, excess: int) -> None:
    """Set the excess of blob gas, which decides the fee; Foundry's name misleads."""
    if excess > _MOST_EXCESS:
        raise CheatError(f"excess of blob gas must be no more than {_MOST_EXCESS}")
    fraction = _UPDATE_FRACTION
    if is_older(cheats.host.fork, "prague"):
        fraction = _UPDATE_FRACTION_OF_CANCUN
    cheats.held.excess_blob_gas = excess
    cheats.host.set_env("blob_base_fee", _fake_exponential(excess, fraction))


@cheat("getBlobBaseFee()", returns="(uint256)")
def get_blob_base_fee(cheats: Cheats, _site: Site) -> tuple[int]:
    """Return that excess."""
    return (cheats.held.excess_blob_gas,)


def _fake_exponential(numerator: int, denominator: int) -> int:
    """Return about e^(numerator / denominator), in 128 bits (EIP-4844)."""
    total, term, number = 0, denominator, 1
    while term:
        total = total + term & _U128
        term = (term * numerator & _U128) // (denominator * number)
        number += 1
    return total // denominator


@cheat("blobhashes(bytes32[])")
def blob_hashes(cheats: Cheats, _site: Site, hashes: tuple[bytes, ...]) -> None:
    """Set what BLOBHASH gives, in this message and in all that follow."""
    _refuse_before_cancun(cheats, "blobhashes")
    words = (int.from_bytes(each, "big") for each in hashes)
    cheats.held.blob_hashes = tuple(words)


@cheat("getBlobhashes()", returns="(bytes32[])")
def get_blob_hashes(cheats: Cheats, _site: Site) -> tuple[tuple[bytes, ...]]:
    """Return what was set."""
    _refuse_before_cancun(cheats, "getBlobhashes")
    words = cheats.held.blob_hashes or ()
    return (tuple(each.to_bytes(32, "big") for each in words),)


def _refuse_before_cancun(cheats: Cheats, name: str) -> None:
    if is_older(cheats.host.fork, "cancun"):
        raise CheatError(
            f"`{name}` is not supported before the Cancun hard fork; see EIP-4844: "
            "https://eips.ethereum.org/EIPS/eip-4844"
        )


@cheat("setBlockhash(uint256,bytes32)")
def set_block_hash(cheats: Cheats, _site: Site, number: int, block: bytes) -> None:
    """Set what BLOCKHASH gives for a block, as long as it tells of it."""
    if number > _U64:
        raise CheatError("blockNumber must be less than 2^64")
    if number > cheats.host.env("number"):
        raise CheatError(
            "block number must be less than or equal to the current block number"
        )
    held = cheats.held
    held.block_hashes = {**held.block_hashes, number: int.from_bytes(block, "big")}


@cheat("txGasPrice(uint256)")
def tx_gas_price(cheats: Cheats, _site: Site, price: int) -> None:
    """Set the gas price of this message and of all that follow."""
    if price > _U64:
        raise CheatError("gas price must be less than 2^64")
    cheats.held.gas_price = price
    cheats.host.set_env("gas_price", price)


@cheat("difficulty(uint256)")
def difficulty(_cheats: Cheats, _site: Site, _value: int) -> None:
    """Refuse: since the merge there is none."""
    raise CheatError(
        "`difficulty` is not supported after the Paris hard fork, use `prevrandao` "
        "instead; see EIP-4399: https://eips.ethereum.org/EIPS/eip-4399"
    )
