"""The official SDKs take the devnet for a network, and sign as we do."""

from __future__ import annotations

import hashlib

import pytest
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from echidna_mcp_plugins.circular.document import Document
from echidna_mcp_plugins.circular.errors import CircularError
from echidna_mcp_plugins.circular.keys import PublicKey, SigningKey
from echidna_mcp_plugins.circular.secret import Secret
from echidna_mcp_plugins.circular.settings import SANDBOX
from echidna_mcp_plugins.circular.transaction import Transaction

HALF_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141 // 2


async def test_both_sdks_register_certify_and_prove_and_are_refused(lab, secret_of):
    key = secret_of("sdk")
    async with lab.devnet(grant=10) as devnet:
        got = await lab.run(
            "use_sdks.py", devnet.url, key, secret_of("thief"), environment={}
        )
    address = got["address"]
    assert got["unknown"]["Result"] == 108
    assert got["register"]["Result"] == 200
    # The same second makes the same transaction.
    assert got["registered again"]["Result"] in {109, 122}
    assert got["check"]["Result"] == 200
    assert got["wallet"]["Response"]["Assets"][0]["Amount"] == 10.0
    assert got["balance"]["Response"]["Balance"] == 10.0
    assert got["nonce"]["Response"] == {"Nonce": 0}
    assert got["nag"] == f"{devnet.url}/NAG.php?cep="
    assert got["updated"] is True

    sent = got["certify"]["Response"]["TxID"]
    assert got["certify"]["Result"] == 200
    assert got["pending"]["Response"] == "Transaction Not Found" or (
        got["pending"]["Response"]["Status"] == "Pending"
    )
    outcome = got["outcome"]
    assert outcome == got["outcome of the other"]
    assert outcome["Status"] == "Executed"
    assert outcome["From"] == outcome["To"] == address
    assert outcome["Type"] == "C_TYPE_CERTIFICATE"
    fees = [value for name, value in outcome.items() if name.endswith("Fee")]
    assert sum(fees) == 4.0
    assert got["stale nonce"]["Result"] == 121
    assert got["wrong key"]["Result"] == 119
    assert got["second"]["Result"] == 200
    assert got["empty wallet"]["Result"] == 115
    assert got["no transaction"]["Response"] == "Transaction Not Found"

    assert got["old, among the newest"]["Response"] == "Transaction Not Found"
    assert got["old, by block"]["Response"] == outcome
    assert got["old, in many"]["Response"] == outcome
    assert sent in got["block"]["Response"]["Transactions"]
    first, second, third = got["blocks"]["Response"]
    assert second["PreviousHash"] == first["Hash"]
    assert third["PreviousHash"] == second["Hash"]
    assert len(got["chains"]["Response"]["Blockchains"]) == 1
    assert sent in [each["ID"] for each in got["of address"]["Response"]]
    assert "mainnet" in got["mainnet"]

    # What the SDK sent is, byte for byte, what we would have sent.
    ours = Transaction.certify(
        Document("évidence"),
        sender=address,
        blockchain=SANDBOX,
        nonce=int(outcome["Nonce"]),
        timestamp=outcome["Timestamp"],
        key=SigningKey(Secret(key)),
    )
    assert (ours.id, ours.payload) == (sent, outcome["Payload"])
    assert ours.signature == outcome["OSignature"]


async def test_signatures_and_keys_are_those_of_the_sdks_high_s_included(lab):
    vectors = await lab.run("sign_with_sdks.py", environment={})
    assert len(vectors) == 40
    high = 0
    for vector in vectors:
        key = SigningKey(Secret(vector["key"]))
        ours = key.sign(vector["text"])
        assert ours == vector["enterprise"] == vector["standard"]
        prefixed, coordinates = key.public.texts
        assert coordinates == vector["public"]
        assert prefixed == f"04{vector['public']}"
        assert key.public.verifies(vector["text"], ours)
        _, s = decode_dss_signature(bytes.fromhex(ours))
        high += s > HALF_ORDER
    assert 0 < high < 40


def test_a_key_has_the_address_of_either_sdk(secret_of):
    public = SigningKey(Secret(secret_of("alice"))).public
    prefixed, coordinates = public.texts
    assert public.addresses == (
        hashlib.sha256(prefixed.encode()).hexdigest(),
        hashlib.sha256(coordinates.encode()).hexdigest(),
    )


def test_a_public_key_is_read_in_each_form(secret_of):
    key = SigningKey(Secret(secret_of("alice")))
    signature = key.sign("text")
    prefixed, coordinates = key.public.texts
    parity = "03" if int(coordinates[-1], 16) % 2 else "02"
    for text in (prefixed, coordinates, parity + coordinates[:64], f"0x{prefixed}"):
        parsed = PublicKey.parse(text)
        assert parsed is not None
        assert parsed.verifies("text", signature)
        assert not parsed.verifies("texts", signature)
        assert not parsed.verifies("text", signature[:-2])
        assert not parsed.verifies("text", "zz")


@pytest.mark.parametrize(
    "text", ["", "04", "00" * 64, "05" + "00" * 32, "04" + "ff" * 64, "zz" * 64]
)
def test_what_is_no_point_of_the_curve_is_no_public_key(text):
    assert PublicKey.parse(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "12",
        "zz" * 32,
        "00" * 32,
        "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
    ],
)
def test_what_is_no_private_key_is_refused_without_being_shown(text):
    with pytest.raises(CircularError) as caught:
        SigningKey(Secret(text), "CIRCULAR_CEP_TESTNET_PRIVATE_KEY")
    error = caught.value
    assert error.message.startswith("CIRCULAR_CEP_TESTNET_PRIVATE_KEY is no private")
    assert error.__context__ is None
    assert not text or text not in error.message
