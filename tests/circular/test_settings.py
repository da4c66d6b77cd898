"""What the environment may say."""

from __future__ import annotations

import pytest

from echidna_mcp_plugins.circular.errors import CircularError, ErrorType
from echidna_mcp_plugins.circular.settings import (
    PUBLIC_DISCOVERY,
    SANDBOX,
    Settings,
    is_safe_url,
)
from echidna_mcp_plugins.circular.wallets import choose_wallet


def settings(**variables):
    named = {f"CIRCULAR_CEP_{name}": value for name, value in variables.items()}
    return Settings.from_environment({"HOME": "/", "CIRCULARITY": "1", **named})


def test_nothing_is_configured_by_default():
    found = settings()
    assert not found.configured
    assert found.network == "testnet"
    assert found.discovery == PUBLIC_DISCOVERY
    assert found.networks["testnet"].blockchain == SANDBOX
    assert found.networks["mainnet"].blockchain != SANDBOX
    assert all(each.key is None for each in found.networks.values())


def test_what_is_empty_counts_as_not_set():
    assert not settings(TESTNET_PRIVATE_KEY="", NETWORK=" ").configured


def test_each_network_has_its_own_key_address_and_chain(secret_of):
    found = settings(
        TESTNET_PRIVATE_KEY=f"0x{secret_of('alice')}",
        TESTNET_ADDRESS="0x" + "AB" * 32,
        MAINNET_PRIVATE_KEY=secret_of("bob"),
        MAINNET_BLOCKCHAIN_ID="CD" * 32,
        NETWORK="mainnet",
    )
    assert found.configured
    assert found.network == "mainnet"
    assert found.networks["testnet"].address == "ab" * 32
    assert found.networks["testnet"].blockchain == SANDBOX
    assert found.networks["mainnet"].blockchain == "cd" * 32
    assert found.networks["mainnet"].address is None
    assert found.networks["testnet"].key != found.networks["mainnet"].key


def test_a_wallet_is_the_configured_one_or_that_of_its_key(secret_of, key_of):
    derived = key_of("alice").public.addresses
    found = settings(TESTNET_PRIVATE_KEY=secret_of("alice")).networks["testnet"]
    assert choose_wallet(found, None).address == derived[0]
    assert choose_wallet(found, derived[1].upper()).address == derived[1]
    found = settings(
        TESTNET_PRIVATE_KEY=secret_of("alice"), TESTNET_ADDRESS="ab" * 32
    ).networks["testnet"]
    assert choose_wallet(found, None).address == "ab" * 32
    assert choose_wallet(found, derived[0]).address == derived[0]


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"TESTNET_PRIVATEKEY": "secret"}, "TESTNET_PRIVATEKEY is no known variable"),
        ({"TESTNET_SEED_PHRASE": "secret words"}, "SEED_PHRASE is no known variable"),
        ({"TESTNET_PRIVATE_KEY": "secret"}, "TESTNET_PRIVATE_KEY is no private key"),
        ({"MAINNET_ADDRESS": "secret"}, "MAINNET_ADDRESS must have 64"),
        ({"MAINNET_BLOCKCHAIN_ID": "mainnet"}, "MAINNET_BLOCKCHAIN_ID must have 64"),
        ({"NETWORK": "devnet"}, "NETWORK must be testnet or mainnet"),
        ({"NAG_DISCOVERY_URL": "http://example.org"}, "DISCOVERY_URL must be an https"),
    ],
)
def test_what_is_wrong_is_named_and_never_shown(variables, message):
    with pytest.raises(CircularError, match=message) as caught:
        settings(**variables)
    assert caught.value.type is ErrorType.INVALID_INPUT
    assert "secret" not in caught.value.message


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://circularlabs.io/network/getNAG", True),
        ("http://127.0.0.1:80/x", True),
        ("http://localhost/x", True),
        ("http://[::1]:1/x", True),
        ("http://circularlabs.io/x", False),
        ("http://127.0.0.1.example.org/x", False),
        ("https://user:word@circularlabs.io/x", False),
        ("ftp://127.0.0.1/x", False),
        ("file:///etc/passwd", False),
        ("circularlabs.io", False),
        ("https://", False),
    ],
)
def test_only_what_nobody_on_the_way_can_change_is_asked(url, safe):
    assert is_safe_url(url) is safe
