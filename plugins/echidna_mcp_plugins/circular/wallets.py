"""Wallets that certify."""

from __future__ import annotations

from dataclasses import dataclass

from echidna_mcp_plugins.circular.errors import CircularError, ErrorType, invalid_input
from echidna_mcp_plugins.circular.identifiers import digest_of
from echidna_mcp_plugins.circular.keys import SigningKey
from echidna_mcp_plugins.circular.settings import Network, NetworkSettings


@dataclass(frozen=True, slots=True)
class Wallet:
    """A wallet on a network.

    Attributes:
        network: where it is.
        blockchain: on which chain there.
        address: 64 hexadecimal digits.
        key: with which it signs.
    """

    network: Network
    blockchain: str
    address: str
    key: SigningKey


def choose_wallet(settings: NetworkSettings, wanted: str | None) -> Wallet:
    """Return the wallet that certifies.

    Args:
        settings: of the network.
        wanted: address that the caller names. A key has two (`keys`); if the chain
            knows the wallet by another one, that is configured.

    Raises:
        CircularError: INVALID_INPUT, no key is configured, or it is not the key of the
            wanted wallet.
    """
    if settings.key is None:
        raise invalid_input(
            f"No key is configured for {settings.name}: set {settings.key_variable}"
            " and start again."
        )
    key = SigningKey(settings.key, settings.key_variable)
    derived = key.public.addresses
    address = settings.address or derived[0]
    if wanted is not None:
        given = check_address(wanted, ErrorType.INVALID_INPUT)
        if given not in {address, *derived}:
            raise invalid_input(
                f"The configured key is not that of wallet {given}: leave"
                f" wallet_address out, or name {address}."
            )
        address = given
    return Wallet(settings.name, settings.blockchain, address, key)


def check_address(text: str, otherwise: ErrorType = ErrorType.INVALID_ADDRESS) -> str:
    """Return an address in lower case, without `0x`.

    Args:
        text: what a caller gave.
        otherwise: what it is called if it is none.

    Raises:
        CircularError: it has not 64 hexadecimal digits.
    """
    found = digest_of(text)
    if found is None:
        raise CircularError(
            otherwise, "The address of a wallet must have 64 hexadecimal digits."
        )
    return found
