"""The rules of the devnet, as a foreign client meets them."""

from __future__ import annotations

import dataclasses
import signal
import sqlite3

import pytest

from echidna_mcp.errors import UsageError
from echidna_mcp_plugins.circular.devnet.chain import block_hash
from echidna_mcp_plugins.circular.devnet.server import serving
from echidna_mcp_plugins.circular.document import Document
from echidna_mcp_plugins.circular.errors import CircularError
from echidna_mcp_plugins.circular.keys import address_of
from echidna_mcp_plugins.circular.settings import SANDBOX
from echidna_mcp_plugins.circular.transaction import (
    Transaction,
    hex_json,
    transaction_id,
)

NOW = "2026:01:02-03:04:05"
CHAIN = {"Blockchain": SANDBOX}


@pytest.fixture
def alice(key_of):
    return key_of("alice")


def registration(key, form=0):
    text = key.public.texts[form]
    return Transaction.register(text, blockchain=SANDBOX, timestamp=NOW)


def certificate(key, nonce, data="data", **more):
    chosen = {"sender": key.public.addresses[0], "timestamp": NOW, **more}
    return Transaction.certify(
        Document(data), blockchain=SANDBOX, nonce=nonce, key=key, **chosen
    )


def signed_anew(body, key):
    """Return a body with the id and the signature that its fields need."""
    body["ID"] = transaction_id(
        blockchain=body["Blockchain"],
        sender=body["From"],
        recipient=body["To"],
        payload=body["Payload"],
        nonce=body["Nonce"],
        timestamp=body["Timestamp"],
    )
    body["Signature"] = key.sign(body["ID"])
    return body


async def add(lab, devnet, transaction):
    body = transaction if isinstance(transaction, dict) else transaction.body()
    return await lab.call(devnet, "AddTransaction", **body)


# ---------------------------------------------------------------------- admission


@pytest.mark.parametrize("form", [0, 1, 2])
async def test_a_wallet_is_registered_in_each_form_of_its_key(lab, devnet, alice, form):
    prefixed, coordinates = alice.public.texts
    parity = "03" if int(coordinates[-1], 16) % 2 else "02"
    text = (prefixed, coordinates, parity + coordinates[:64])[form]
    sender = address_of(text)
    first = Transaction.register(text, blockchain=SANDBOX, timestamp=NOW)
    assert (await add(lab, devnet, first))["Result"] == 200
    sent = certificate(alice, 1, sender=sender)
    answer = await add(lab, devnet, sent)
    assert answer["Response"]["TxID"] == sent.id
    wallet = await lab.call(devnet, "GetWallet", Address=f"0x{sender}", **CHAIN)
    assert wallet["Response"]["Nonce"] == 1
    assert wallet["Response"]["PublicKey"] == text
    assert wallet["Response"]["Assets"][0]["Amount"] == 9996.0


async def test_forty_signatures_are_accepted_those_with_high_s_too(lab, alice):
    async with lab.devnet(block_seconds=None) as devnet:
        await add(lab, devnet, registration(alice))
        for nonce in range(1, 41):
            answer = await add(lab, devnet, certificate(alice, nonce))
            assert answer["Result"] == 200


FIELDS = [
    ({"ID": "12"}, 118),
    ({"ID": None}, 118),
    ({"From": "zz" * 32}, 118),
    ({"To": "ab"}, 118),
    ({"Timestamp": "2026-01-02 03:04:05"}, 118),
    ({"Timestamp": "2026:13:02-03:04:05"}, 118),
    ({"Payload": "abc"}, 118),
    ({"Payload": "zz"}, 118),
    ({"Nonce": 1}, 118),
    ({"Nonce": "-1"}, 118),
    ({"Nonce": "1.0"}, 118),
    ({"Nonce": "٣"}, 118),
    ({"Signature": "xy"}, 118),
    ({"Blockchain": "testnet"}, 118),
    ({"Blockchain": None}, 118),
    ({"Blockchain": "ab" * 32}, 114),
    ({"Type": "C_TYPE_COIN"}, 117),
    ({"Payload": b"no json".hex()}, 117),
    ({"Payload": b"[]".hex()}, 117),
    ({"ID": "ab" * 32}, 119),
    ({"Timestamp": "2026:01:02-03:04:06"}, 119),
]
"""Another value of a field, and the result."""


async def test_a_field_of_another_form_is_refused(lab, devnet, alice):
    await add(lab, devnet, registration(alice))
    for change, result in FIELDS:
        body = certificate(alice, 1).body() | change
        assert (await add(lab, devnet, body))["Result"] == result, change


ACTIONS = [
    ({"Action": "CP_SEND", "Data": "ab"}, 117),
    ({"Action": "CP_CERTIFICATE"}, 117),
    ({"Action": "CP_CERTIFICATE", "Data": "abc"}, 117),
    ({"Action": "CP_CERTIFICATE", "Data": 1}, 117),
    ({"Action": "CP_CERTIFICATE", "Data": "0xab"}, 200),
    ({"Action": "CP_CERTIFICATE", "Data": ""}, 200),
]
"""What a payload says, and the result."""


async def test_a_payload_must_be_a_certificate(lab, devnet, alice):
    await add(lab, devnet, registration(alice))
    nonce = 1
    for action, result in ACTIONS:
        body = certificate(alice, nonce).body() | {"Payload": hex_json(action)}
        answer = await add(lab, devnet, signed_anew(body, alice))
        assert answer["Result"] == result, action
        nonce += result == 200


async def test_who_signs_what_nonce_and_what_it_costs_is_checked_in_order(
    lab, alice, key_of
):
    bob = key_of("bob")
    async with lab.devnet(block_seconds=None, grant=8) as devnet:
        first = certificate(alice, 1)
        assert (await add(lab, devnet, first))["Result"] == 108
        assert (await add(lab, devnet, registration(alice)))["Result"] == 200
        foreign = certificate(bob, 1, sender=alice.public.addresses[0])
        assert (await add(lab, devnet, foreign))["Result"] == 119
        for nonce in (0, 2):
            gap = certificate(alice, nonce)
            assert (await add(lab, devnet, gap))["Result"] == 121
        assert (await add(lab, devnet, first))["Result"] == 200
        assert (await add(lab, devnet, first))["Result"] == 122
        # Pending ones count: nothing was mined yet.
        nonce = await lab.call(
            devnet, "GetWalletNonce", Address=alice.public.addresses[0], **CHAIN
        )
        assert nonce["Response"] == {"Nonce": 1}
        assert (await add(lab, devnet, certificate(alice, 1, "x")))["Result"] == 121
        assert (await add(lab, devnet, certificate(alice, 2)))["Result"] == 200
        assert (await add(lab, devnet, certificate(alice, 3)))["Result"] == 115


async def test_a_registration_must_fit_its_key_and_comes_once(
    lab, devnet, alice, key_of
):
    good = registration(alice)
    stranger = key_of("bob").public.addresses[0]
    forged = good.body() | {"From": stranger, "To": stranger}
    assert (await add(lab, devnet, signed_anew(forged, alice)))["Result"] == 119
    late = good.body() | {"Nonce": "1"}
    assert (await add(lab, devnet, signed_anew(late, alice)))["Result"] == 121
    no_key = good.body() | {"Payload": hex_json({"Action": "CP_REGISTERWALLET"})}
    assert (await add(lab, devnet, signed_anew(no_key, alice)))["Result"] == 117
    assert (await add(lab, devnet, good))["Result"] == 200
    again = dataclasses.replace(good, timestamp="2026:01:02-03:04:06").body()
    assert (await add(lab, devnet, signed_anew(again, alice)))["Result"] == 109


# -------------------------------------------------------------------------- calls


async def test_both_envelopes_and_both_suffixes_are_understood(lab, devnet):
    for body in (CHAIN, {"NAGKEY": "", "TBody": CHAIN}):
        for suffix in ("", "testnet", "devnet"):
            answer = await lab.call(devnet, "GetBlockHeight", suffix, **body)
            assert answer["Result"] == 200
    answer = await lab.call(devnet, "GetBlockHeight", "mainnet", **CHAIN)
    assert answer["Result"] == 404
    answer = await lab.call(devnet, "DropDatabase", **CHAIN)
    assert answer["Result"] == 404


async def test_a_body_that_is_no_object_is_of_wrong_format(devnet, client):
    url = f"{devnet.url}/NAG.php?cep=Circular_GetBlockHeight_"
    for content in (b"", b"no json", b"[]", b'{"TBody": 1}'):
        answer = await client.post(url, content=content)
        assert answer.json()["Result"] == 118, content


async def test_a_look_up_sees_its_window_and_what_is_pending(lab, alice):
    async with lab.devnet(block_seconds=None) as devnet:
        await add(lab, devnet, registration(alice))
        sent = certificate(alice, 1)
        await add(lab, devnet, sent)

        async def seen(start, end):
            answer = await lab.call(
                devnet, "GetTransactionbyID", ID=sent.id, Start=start, End=end, **CHAIN
            )
            assert answer["Result"] == 200
            return answer["Response"] != "Transaction Not Found"

        assert await seen("7", "7")  # Pending: whatever the window.
        await lab.order(devnet, "mine", blocks=10)
        assert await seen("0", "10")
        assert await seen(10, 0)
        assert not await seen(9, 0)
        assert await seen(1, 1)
        assert not await seen(2, 10)
        await lab.order(devnet, "mine")
        assert not await seen("0", "10")
        assert await seen("1", "11")
        bad = await lab.call(
            devnet, "GetTransactionbyID", ID=sent.id, Start="x", End=0, **CHAIN
        )
        assert bad["Result"] == 118


async def test_pending_transactions_are_shown_until_they_are_mined(lab, alice):
    async with lab.devnet(block_seconds=None) as devnet:
        await add(lab, devnet, registration(alice))
        sent = certificate(alice, 1)
        await add(lab, devnet, sent)
        asked = {"ID": f"0x{sent.id.upper()}", **CHAIN}
        answer = await lab.call(devnet, "GetPendingTransaction", **asked)
        assert answer["Response"]["Status"] == "Pending"
        assert answer["Response"]["BlockID"] == ""
        devnet.chain.mine()
        answer = await lab.call(devnet, "GetPendingTransaction", **asked)
        assert answer["Response"] == "Transaction Not Found"


async def test_blocks_are_linked_by_hashes_over_all_that_is_in_them(lab, alice):
    async with lab.devnet(block_seconds=None) as devnet:
        await add(lab, devnet, registration(alice))
        for nonce in (1, 2, 3):
            await add(lab, devnet, certificate(alice, nonce))
            devnet.chain.mine()
        blocks = devnet.chain.store.blocks(0, 9)
        block = await lab.call(devnet, "GetBlock", BlockNumber="2", **CHAIN)
        missing = await lab.call(devnet, "GetBlock", BlockNumber=4, **CHAIN)
    assert [len(each.transactions) for each in blocks] == [0, 2, 1, 1]
    assert all(each.hash == block_hash(each) for each in blocks)
    links = [each.previous for each in blocks]
    assert links == ["0" * 64, *(each.hash for each in blocks[:-1])]
    assert block["Response"]["Hash"] == blocks[2].hash
    assert missing["Result"] == 111
    changed = dataclasses.replace(blocks[1], transactions=blocks[2].transactions)
    assert block_hash(changed) != blocks[1].hash


# ------------------------------------------------------------------------- orders


ORDERS = [
    ("faucet", {}, "Send address"),
    ("faucet", {"address": "ab" * 32, "amount": 1}, "not registered"),
    ("faucet", {"address": "ab" * 32, "amount": -1}, "amount"),
    ("faucet", {"address": "ab" * 32, "amount": "NaN"}, "amount"),
    ("mine", {"blocks": 0}, "blocks must be"),
    ("mine", {"blocks": True}, "blocks must be"),
    ("mine", {"block": 1}, "is not known here"),
    ("outage", {"calls": 1, "method": 1}, "method must be"),
    ("outage", {"processed": 1}, "processed must be"),
    ("slow", {"seconds": -1}, "seconds must be"),
    ("slow", {"seconds": "1"}, "seconds must be"),
    ("reject", {"transactions": 1.5}, "transactions must be"),
    ("ratelimit", [], "JSON object"),
]
"""An order that makes no sense, and a part of the answer."""


async def test_an_order_that_makes_no_sense_is_refused_in_a_sentence(devnet, client):
    for name, order, message in ORDERS:
        answer = await client.post(f"{devnet.url}/devnet/{name}", json=order)
        assert answer.status_code == 400, order
        assert message in answer.json()["error"]


async def test_an_order_that_is_no_json_is_refused(devnet, client):
    answer = await client.post(f"{devnet.url}/devnet/mine", content=b"{")
    assert answer.status_code == 400
    assert (await client.post(f"{devnet.url}/devnet/nothing")).status_code == 404
    assert (await client.get(f"{devnet.url}/devnet/mine")).status_code == 405


# --------------------------------------------------------------------- explorer


async def test_the_explorer_shows_digest_and_block_but_no_data(
    lab, devnet, client, alice
):
    await add(lab, devnet, registration(alice))
    data = "<script>alert(1)</script>"
    sent = certificate(alice, 1, data)
    await add(lab, devnet, sent)
    devnet.chain.mine()
    asked = {"network": "testnet", "tx": sent.id}
    page = await client.get(f"{devnet.url}/Explorer", params=asked)
    none = await client.get(f"{devnet.url}/Explorer", params={"tx": "<b>"})
    main = await client.get(
        f"{devnet.url}/Explorer", params=asked | {"network": "mainnet"}
    )
    assert page.status_code == 200
    assert Document(data).sha256 in page.text
    assert sent.id in page.text
    assert "Hash of the block" in page.text
    assert "script" not in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert (none.status_code, main.status_code) == (404, 404)
    assert "<b>" not in none.text


# ------------------------------------------------------------------------ serving


async def test_it_serves_this_machine_only(tmp_path):
    with pytest.raises(UsageError, match="this machine only"):
        async with serving(tmp_path, host="0.0.0.0"):
            pass


async def test_pages_of_others_can_not_use_it(devnet, client):
    for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}):
        answer = await client.post(f"{devnet.url}/devnet/mine", headers=headers)
        assert answer.status_code in {403, 421}


async def test_discovery_names_no_gateway_of_mainnet(devnet, client):
    answers = [
        (await client.get(devnet.discovery, params={"network": name})).json()
        for name in ("testnet", "devnet", "mainnet", "")
    ]
    assert [each["status"] for each in answers] == ["success"] * 2 + ["error"] * 2
    assert answers[0]["url"] == f"{devnet.url}/NAG.php?cep="
    assert answers[0]["backend"] == "local-devnet"


async def test_it_goes_on_where_it_was(lab, alice):
    sent = certificate(alice, 1)
    async with lab.devnet(block_seconds=None) as devnet:
        await add(lab, devnet, registration(alice))
        await add(lab, devnet, sent)
        await lab.order(devnet, "mine", blocks=2)
        pending = certificate(alice, 2)
        await add(lab, devnet, pending)
        before = devnet.chain.store.blocks(0, 9)
    async with lab.devnet(block_seconds=None) as devnet:
        devnet.chain.mine()
        after = devnet.chain.store.blocks(0, 9)
        nonce = await lab.call(devnet, "GetWalletNonce", Address=sent.sender, **CHAIN)
    assert after[:3] == before
    assert after[3].transactions == (pending.id,)
    assert after[3].previous == before[-1].hash
    assert nonce["Response"] == {"Nonce": 2}


async def test_two_devnets_never_share_a_directory(lab, devnet):
    with pytest.raises(CircularError, match="Another process uses"):
        async with lab.devnet():
            pass


async def test_a_file_that_is_no_chain_is_refused(tmp_path):
    (tmp_path / "chain.db").write_bytes(b"something else" * 100)
    with pytest.raises(CircularError, match="can't be used"):
        async with serving(tmp_path):
            pass


async def test_a_file_of_a_newer_version_is_refused(tmp_path):
    with sqlite3.connect(tmp_path / "chain.db") as database:
        database.execute("PRAGMA user_version = 2")
    database.close()
    with pytest.raises(CircularError, match="newer version"):
        async with serving(tmp_path):
            pass


async def test_blocks_come_by_themselves(lab, devnet):
    store = devnet.chain.store
    await lab.until(lambda: store.block_count() > 3, "three blocks")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_as_a_program_it_runs_until_it_is_told_to_end(
    tmp_path, start_program, client, number
):
    process = await start_program("run_devnet.py", tmp_path, 0, environment={})
    url = (await process.stdout.readline()).decode().strip()
    answer = await client.get(f"{url}/network/getNAG", params={"network": "devnet"})
    assert answer.json()["status"] == "success"
    process.send_signal(number)
    _, errors = await process.communicate()
    assert (process.returncode, errors) == (0, b"")
