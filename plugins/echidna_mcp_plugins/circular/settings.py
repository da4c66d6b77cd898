"""Configuration: `CIRCULAR_CEP_…` variables of the environment, read once at start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Literal, Self, TypeAlias, get_args

from httpx2 import URL, InvalidURL

from echidna_mcp.server.address import is_loopback
from echidna_mcp_plugins.circular.errors import CircularError, invalid_input
from echidna_mcp_plugins.circular.identifiers import digest_of
from echidna_mcp_plugins.circular.keys import SigningKey
from echidna_mcp_plugins.circular.secret import Secret

Network: TypeAlias = Literal["testnet", "mainnet"]

NETWORKS: Final[tuple[Network, ...]] = get_args(Network)
PREFIX: Final = "CIRCULAR_CEP_"
DISCOVERY: Final = f"{PREFIX}NAG_DISCOVERY_URL"
DEFAULT_NETWORK: Final = f"{PREFIX}NETWORK"

PUBLIC_DISCOVERY: Final = "https://circularlabs.io/network/getNAG"
PUBLIC_EXPLORER: Final = "https://circularlabs.io/Explorer"

SANDBOX: Final = "8a20baa40c45dc5055aeb26197c203e576ef389d9acb171bd62da11dc5ad72b2"
"""The sandbox chain: the default of the enterprise SDKs."""
_BLOCKCHAINS: Final[Mapping[Network, str]] = MappingProxyType(
    {
        "testnet": SANDBOX,
        # The public main chain, as Circular's guide for exchanges names it.
        "mainnet": "714d2ac07a826b66ac56752eebd7c77b58d2ee842e523d913fd0ef06e6bdfcae",
    }
)
_FIELDS: Final = ("PRIVATE_KEY", "ADDRESS", "BLOCKCHAIN_ID")


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """One network.

    Attributes:
        name: of the network.
        blockchain: id of the chain, 64 hexadecimal digits.
        key: of the wallet that certifies; None if nothing can be certified.
        address: of that wallet; None for the one that is derived from the key.
    """

    name: Network
    blockchain: str
    key: Secret | None = None
    address: str | None = None

    @property
    def key_variable(self) -> str:
        """Name of the variable that holds the key."""
        return _variable(self.name, "PRIVATE_KEY")


@dataclass(frozen=True, slots=True)
class Settings:
    """What the environment says.

    Attributes:
        networks: of each network, what is known.
        discovery: the URL that tells where a network's gateway (NAG) is.
        network: meant where a caller names none.
        configured: whether any variable is set; otherwise the devnet is used.
    """

    networks: Mapping[Network, NetworkSettings]
    discovery: str = PUBLIC_DISCOVERY
    network: Network = "testnet"
    configured: bool = True

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """Read the variables; those that are empty count as not set.

        Raises:
            CircularError: INVALID_INPUT, a name or a value is wrong. Values are not
                shown.
        """
        given = {
            name: value.strip()
            for name, value in environment.items()
            if name.startswith(PREFIX) and value.strip()
        }
        known = {DISCOVERY, DEFAULT_NETWORK} | {
            _variable(network, field) for network in NETWORKS for field in _FIELDS
        }
        # A misspelt name must not lead to a devnet unnoticed.
        for name in given:
            if name not in known:
                raise invalid_input(
                    f"{name} is no known variable; there are {_listed(sorted(known))}."
                )
        network = given.get(DEFAULT_NETWORK, "testnet")
        if network not in NETWORKS:
            raise invalid_input(f"{DEFAULT_NETWORK} must be {' or '.join(NETWORKS)}.")
        return cls(
            networks={name: _network(name, given) for name in NETWORKS},
            discovery=_checked_url(given.get(DISCOVERY, PUBLIC_DISCOVERY)),
            network=network,
            configured=bool(given),
        )

    @property
    def names_no_wallet(self) -> bool:
        """Whether a gateway of this machine is named, and no wallet for it.

        That is how `echidna-mcp devnet` tells to configure clients.
        """
        testnet = self.networks["testnet"]
        here = is_loopback(URL(self.discovery).host)
        return here and testnet.key is None and testnet.address is None

    def with_testnet_key(self, key: Secret) -> Self:
        """Return the same with the key of a wallet of the testnet."""
        testnet = replace(self.networks["testnet"], key=key)
        return replace(self, networks={**self.networks, "testnet": testnet})

    def on_devnet(self, discovery: str, key: Secret) -> Self:
        """Return the settings for a devnet, which has the testnet and one wallet."""
        testnet = NetworkSettings("testnet", SANDBOX, key)
        networks: dict[Network, NetworkSettings] = {"testnet": testnet}
        return replace(self, networks=networks, discovery=discovery)


def _variable(network: Network, field: str) -> str:
    return f"{PREFIX}{network.upper()}_{field}"


def _network(name: Network, given: Mapping[str, str]) -> NetworkSettings:
    key, address, blockchain = (given.get(_variable(name, each)) for each in _FIELDS)
    secret = None
    if key is not None:
        secret = Secret(key)
        SigningKey(secret, _variable(name, "PRIVATE_KEY"))  # Or it raises.
    return NetworkSettings(
        name,
        blockchain=_BLOCKCHAINS[name]
        if blockchain is None
        else _digest(_variable(name, "BLOCKCHAIN_ID"), blockchain),
        key=secret,
        address=None
        if address is None
        else _digest(_variable(name, "ADDRESS"), address),
    )


def _digest(variable: str, text: str) -> str:
    found = digest_of(text)
    if found is None:
        raise invalid_input(f"{variable} must have 64 hexadecimal digits.")
    return found


def _checked_url(text: str) -> str:
    if not is_safe_url(text):
        raise invalid_input(
            f"{DISCOVERY} must be an https URL, or an http one of this machine."
        )
    return text


def is_safe_url(text: str) -> bool:
    """Whether nobody on the way can change what is asked and answered there."""
    try:
        url = URL(text)
    except InvalidURL:
        return False
    if not url.host or url.userinfo:
        return False
    return url.scheme == "https" or (url.scheme == "http" and is_loopback(url.host))


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def check_network(name: str) -> Network:
    """Return a network by its name.

    Raises:
        CircularError: INVALID_INPUT, there is none of that name.
    """
    if name not in NETWORKS:
        raise _unknown(name)
    return name


def _unknown(name: str) -> CircularError:
    return invalid_input(
        f"There is no network {name[:20]!r}: name {' or '.join(NETWORKS)}."
    )
