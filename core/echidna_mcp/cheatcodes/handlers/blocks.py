"""`warp`, `roll` and the like: what block and chain are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echidna_mcp.cheatcodes.errors import CheatError
from echidna_mcp.cheatcodes.host import EnvField, Site
from echidna_mcp.cheatcodes.registry import Handler, cheat

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats

_U64 = (1 << 64) - 1


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
cheat("blobBaseFee(uint256)")(_setter("blob_base_fee"))
cheat("getBlockTimestamp()", returns="(uint256)")(_getter("timestamp"))
cheat("getBlockNumber()", returns="(uint256)")(_getter("number"))
cheat("getChainId()", returns="(uint256)")(_getter("chain_id"))
cheat("getBlobBaseFee()", returns="(uint256)")(_getter("blob_base_fee"))


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
