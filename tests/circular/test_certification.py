"""Certifying: nonces, idempotency, what is refused before the network is asked."""

from __future__ import annotations

import asyncio
import hashlib
import stat

import pytest

from echidna_mcp_plugins.circular.devnet.options import DevnetOptions
from echidna_mcp_plugins.circular.errors import CircularError, ErrorType
from echidna_mcp_plugins.circular.settings import Settings
from echidna_mcp_plugins.circular.tools.certify_data import certify_data
from echidna_mcp_plugins.circular.tools.get_certification_proof import (
    get_certification_proof,
)
from echidna_mcp_plugins.circular.tools.get_transaction_status import (
    get_transaction_status,
)
from echidna_mcp_plugins.circular.tools.get_wallet_nonce import get_wallet_nonce
from echidna_mcp_plugins.circular.tools.session import open_session
from echidna_mcp_plugins.circular.turns import Turns

FAST = DevnetOptions(block_seconds=0.05)
TESTNET = {"network": "testnet"}


async def certify(session, data, **more):
    return await certify_data(session, data=data, **TESTNET, **more)


def certificates(devnet):
    """Return the data of every certificate of the chain, in order of nonces."""
    store = devnet.chain.store
    rows = [
        row for row in store.open_transactions() if row.kind == "C_TYPE_CERTIFICATE"
    ]
    for block in store.blocks(0, store.block_count()):
        found = map(store.transaction, block.transactions)
        rows += [row for row in found if row.kind == "C_TYPE_CERTIFICATE"]
    return [row.id for row in sorted(rows, key=lambda row: row.nonce)]


# --------------------------------------------------------------- without settings


async def test_without_settings_a_devnet_of_our_own_certifies_from_data_to_proof(lab):
    nothing = Settings.from_environment({"PATH": "/bin"})
    data = "évidence"
    async with open_session(
        nothing, lab.directory, devnet=FAST, timing=lab.timing()
    ) as session:
        sent, about = await certify(session, data)
        identity = sent["transaction_id"]
        assert sent["status"] == "Pending"
        assert about["backend"] == "local-devnet"
        assert about["data_sha256"] == hashlib.sha256(data.encode()).hexdigest()
        assert about["data_size"] == 9
        nonce, _ = await get_wallet_nonce(
            session, wallet_address=sent["sender"], **TESTNET
        )
        assert nonce["current_nonce"] == 2
        status, about = await get_transaction_status(
            session, transaction_id=identity, **TESTNET
        )
        assert status["status"] == "Executed"
        assert about == {"backend": "local-devnet"}
        proof, about = await get_certification_proof(
            session, transaction_id=f"0x{identity}", include_data=True, **TESTNET
        )
        assert about == {"backend": "local-devnet"}
    assert bytes.fromhex(proof["certified_data"]).decode() == data
    assert proof["block_id"] == str(proof["block_height"]) == status["block_id"]
    assert proof["sender"] == sent["sender"]
    assert proof["timestamp"] == status["timestamp"]
    assert proof["explorer_url"].startswith("http://127.0.0.1:")
    assert proof["explorer_url"].endswith(f"/Explorer?network=testnet&tx={identity}")
    key = lab.directory / "devnet" / "wallet.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


async def test_wallet_and_chain_of_our_own_devnet_outlive_the_program(lab):
    nothing = Settings.from_environment({})
    found = []
    for turn in range(2):
        async with open_session(
            nothing, lab.directory, devnet=FAST, timing=lab.timing()
        ) as session:
            sent, about = await certify(session, f"turn {turn}")
            found.append((sent["sender"], about["nonce"]))
            await get_transaction_status(
                session, transaction_id=sent["transaction_id"], **TESTNET
            )
    assert found == [(found[0][0], 1), (found[0][0], 2)]


async def test_a_key_file_that_others_can_read_is_refused(lab):
    nothing = Settings.from_environment({})
    async with open_session(nothing, lab.directory, devnet=FAST):
        pass
    (lab.directory / "devnet" / "wallet.key").chmod(0o644)
    with pytest.raises(CircularError, match="chmod 600"):
        async with open_session(nothing, lab.directory, devnet=FAST):
            pass


async def test_nothing_is_sent_that_can_not_be_written_down(lab, devnet):
    async with lab.client(devnet) as session:
        connection = session.journal._file.connection
        connection.execute("PRAGMA query_only = ON")
        with pytest.raises(CircularError, match="can't be used") as caught:
            await certify(session, "data")
        assert caught.value.type is ErrorType.API_UNAVAILABLE
        assert certificates(devnet) == []
        connection.execute("PRAGMA query_only = OFF")
        await certify(session, "data")
    assert len(certificates(devnet)) == 1


# ------------------------------------------------------- several on one directory


async def test_sessions_that_share_a_directory_number_one_after_the_other(lab, devnet):
    async with lab.client(devnet) as one, lab.client(devnet) as two:
        found = await asyncio.gather(
            *(certify(one, f"one {number}") for number in range(20)),
            *(certify(two, f"two {number}") for number in range(20)),
        )
    assert sorted(meta["nonce"] for _, meta in found) == list(range(1, 41))
    assert len(set(certificates(devnet))) == 40


async def test_equal_certifications_of_two_that_live_are_two_wishes(lab, devnet):
    async with lab.client(devnet) as one, lab.client(devnet) as two:
        await certify(one, "data")
        _, about = await certify(two, "data")
        assert not about["resumed"]
    assert len(certificates(devnet)) == 2


async def test_equal_keys_of_two_that_live_are_one_certification(lab, devnet):
    async with lab.client(devnet) as one, lab.client(devnet) as two:
        found = await asyncio.gather(
            *(certify(each, "data", idempotency_key="k") for each in (one, two) * 3)
        )
    assert len({result["transaction_id"] for result, _ in found}) == 1
    assert len(certificates(devnet)) == 1


async def test_what_one_that_lives_has_begun_is_left_to_it(lab, devnet):
    address = await registered(lab, devnet)
    variables = {"TESTNET_ADDRESS": address}
    async with lab.client(devnet, **variables) as two:
        async with lab.client(devnet, **variables) as one:
            await lab.order(devnet, "outage", calls=4, method="AddTransaction")
            with pytest.raises(CircularError):
                await certify(one, "data")
            assert lab.begun(one, "data") is not None
            assert lab.begun(two, "data") is None
        # It has ended, so that nobody but those after it can finish that.
        _, about = await certify(two, "data")
        assert about["resumed"]
    assert len(certificates(devnet)) == 1


async def test_a_turn_that_another_has_for_too_long_is_told_to_be_tried_again(
    lab, devnet
):
    address = await registered(lab, devnet)
    await lab.order(devnet, "slow", seconds=600, method="AddTransaction")
    variables = {"TESTNET_ADDRESS": address}
    async with lab.client(devnet, **variables) as one:
        hanging = asyncio.create_task(certify(one, "data"))
        await lab.until(lambda: devnet.faults.planned == 0, "the transaction")
        async with lab.client(devnet, **variables) as two:
            two.turns = Turns(lab.directory / "client", seconds=0.05)
            with pytest.raises(CircularError, match="make the same call again") as told:
                await certify(two, "other")
            assert told.value.retry
            hanging.cancel()
            await asyncio.gather(hanging, return_exceptions=True)
            _, about = await certify(two, "other")
    assert about["nonce"] == 1
    assert len(certificates(devnet)) == 1


async def test_numbers_go_on_from_what_the_chain_or_any_that_lives_knows(lab, devnet):
    async with lab.client(devnet) as one:
        wallet = one.wallet("testnet", None)
        assert one.journal.next_number(wallet, 3) == 4
        async with lab.client(devnet) as two:
            await certify(two, "first")
            await certify(two, "second")
            # The node may not tell them yet.
            assert one.journal.next_number(wallet, 0) == 3
            assert one.journal.next_number(wallet, 7) == 8
            two.journal.forget_numbers(wallet)
            assert one.journal.next_number(wallet, 0) == 1
            await certify(two, "third")
            assert one.journal.next_number(wallet, 0) == 4
        await certify(one, "fourth", idempotency_key="it looks after the others")
        other = one.wallet("testnet", wallet.key.public.addresses[1])
        assert one.journal.next_number(other, 0) == 1


# ------------------------------------------------------------------------- nonces


async def test_a_hundred_concurrent_certifications_get_a_hundred_nonces(lab, devnet):
    async with lab.client(devnet) as session:
        found = await asyncio.gather(
            *(certify(session, f"document {number}") for number in range(100))
        )
    assert sorted(meta["nonce"] for _, meta in found) == list(range(1, 101))
    assert len(set(certificates(devnet))) == 100
    assert {result["transaction_id"] for result, _ in found} == set(
        certificates(devnet)
    )


async def test_equal_certifications_in_one_life_are_two_wishes(lab, devnet):
    async with lab.client(devnet) as session:
        first, _ = await certify(session, "the same")
        second, _ = await certify(session, "the same")
    assert first["transaction_id"] != second["transaction_id"]
    assert len(certificates(devnet)) == 2


async def test_equal_keys_are_one_certification_in_every_life(lab, devnet):
    found = []
    for _ in range(3):
        async with lab.client(devnet) as session:
            for _ in range(2):
                sent, meta = await certify(session, "data", idempotency_key="one")
                await get_transaction_status(
                    session, transaction_id=sent["transaction_id"], **TESTNET
                )
                found.append((sent, meta["resumed"]))
    assert [resumed for _, resumed in found] == [False, *[True] * 5]
    assert all(sent == found[0][0] for sent, _ in found)
    assert len(certificates(devnet)) == 1


async def test_concurrent_calls_with_one_key_are_one_certification(lab, devnet):
    async with lab.client(devnet) as session:
        found = await asyncio.gather(
            *(certify(session, "data", idempotency_key="one") for _ in range(10))
        )
    assert len({result["transaction_id"] for result, _ in found}) == 1
    assert len(certificates(devnet)) == 1


async def test_a_key_belongs_to_its_data(lab, devnet):
    async with lab.client(devnet) as session:
        await certify(session, "data", idempotency_key="one")
        with pytest.raises(CircularError, match="used for other data"):
            await certify(session, "other data", idempotency_key="one")
        for wrong in ("", "k" * 201, "two\nlines", "half \ud83d"):
            with pytest.raises(CircularError, match="1 to 200 printable characters"):
                await certify(session, "data", idempotency_key=wrong)


async def test_what_was_never_seen_executed_is_not_certified_again_in_the_next_life(
    lab, devnet
):
    async with lab.client(devnet) as session:
        first, _ = await certify(session, "data")
    async with lab.client(devnet) as session:
        second, about = await certify(session, "data")
        assert about["resumed"]
        third, about = await certify(session, "data")
        assert not about["resumed"]
    assert first == second
    assert third["transaction_id"] != second["transaction_id"]


async def test_what_was_seen_executed_is_certified_again_in_the_next_life(lab, devnet):
    async with lab.client(devnet) as session:
        first, _ = await certify(session, "data")
        await get_transaction_status(
            session, transaction_id=first["transaction_id"], **TESTNET
        )
    async with lab.client(devnet) as session:
        _, about = await certify(session, "data")
    assert not about["resumed"]
    assert len(certificates(devnet)) == 2


async def test_an_old_transaction_is_found_by_its_key_behind_many_blocks(lab):
    async with lab.devnet(block_seconds=None) as devnet:
        async with lab.client(devnet) as session:
            first, _ = await certify(session, "data", idempotency_key="one")
        await lab.order(devnet, "mine", blocks=1500)
        async with lab.client(devnet) as session:
            second, _ = await certify(session, "data", idempotency_key="one")
    assert first == second


# ---------------------------------------------------------------------- ambiguity


async def test_what_arrived_although_the_answer_was_lost_is_certified_once(lab, devnet):
    address = await registered(lab, devnet)
    await lab.order(devnet, "outage", calls=4, method="AddTransaction", processed=True)
    async with lab.client(devnet, TESTNET_ADDRESS=address) as session:
        # Also the repetitions fail; the look-up tells that it is there.
        result, _ = await certify(session, "data")
    assert certificates(devnet) == [result["transaction_id"]]
    assert lab.pauses == [1.0, 2.0, 4.0]


async def test_a_repetition_that_is_refused_as_a_duplicate_is_a_success(lab, devnet):
    address = await registered(lab, devnet)
    await lab.order(devnet, "outage", calls=1, method="AddTransaction", processed=True)
    async with lab.client(devnet, TESTNET_ADDRESS=address) as session:
        result, _ = await certify(session, "data")
    assert certificates(devnet) == [result["transaction_id"]]
    assert lab.pauses == [1.0]


async def test_a_call_that_failed_is_finished_when_it_is_repeated(lab, devnet):
    address = await registered(lab, devnet)
    async with lab.client(devnet, TESTNET_ADDRESS=address) as session:
        await lab.order(devnet, "outage", calls=4, method="AddTransaction")
        with pytest.raises(CircularError) as caught:
            await certify(session, "data")
        assert "Repeat the same call" in caught.value.body()["retry_suggestion"]
        assert certificates(devnet) == []
        result, about = await certify(session, "data")
        assert about["resumed"]
        assert result["transaction_id"] in caught.value.message
    assert certificates(devnet) == [result["transaction_id"]]


async def test_what_lost_its_nonce_to_another_one_is_made_anew(lab, devnet):
    address = await registered(lab, devnet)
    async with lab.client(devnet, TESTNET_ADDRESS=address) as session:
        await lab.order(devnet, "outage", calls=4, method="AddTransaction")
        with pytest.raises(CircularError):
            await certify(session, "first")
        other, _ = await certify(session, "second")
        result, about = await certify(session, "first")
        assert not about["resumed"]
        assert about["nonce"] == 2
    assert certificates(devnet) == [other["transaction_id"], result["transaction_id"]]


async def test_what_a_late_attempt_brings_is_not_certified_again(lab, devnet):
    address = await registered(lab, devnet)
    async with lab.client(devnet, TESTNET_ADDRESS=address) as session:
        await lab.order(devnet, "outage", calls=4, method="AddTransaction")
        with pytest.raises(CircularError):
            await certify(session, "data")
        late = lab.begun(session, "data")
        await lab.call(devnet, "AddTransaction", **late.body())
        result, about = await certify(session, "data")
        assert about["resumed"]
    assert certificates(devnet) == [late.id] == [result["transaction_id"]]


async def test_what_comes_late_although_it_was_refused_is_not_certified_again(lab):
    """The first attempt is on its way when the second is refused for lack of funds."""
    async with lab.devnet(grant=3) as devnet:
        address = await registered(lab, devnet)
        async with lab.client(devnet, TESTNET_ADDRESS=address) as session:
            await lab.order(devnet, "outage", method="AddTransaction")
            with pytest.raises(CircularError) as caught:
                await certify(session, "data")
            assert caught.value.type is ErrorType.INSUFFICIENT_BALANCE
            await lab.order(devnet, "faucet", address=address, amount=100)
            late = lab.begun(session, "data")
            await lab.call(devnet, "AddTransaction", **late.body())
            result, about = await certify(session, "data")
            assert about["resumed"]
        assert certificates(devnet) == [late.id] == [result["transaction_id"]]


async def test_a_refusal_that_can_not_be_looked_up_is_not_believed(lab, devnet):
    """The first attempt arrived; the second is a duplicate, and nobody can tell."""
    address = await registered(lab, devnet)

    async def pause(seconds):
        lab.pauses.append(seconds)
        if len(lab.pauses) == 1:
            # Four attempts of each of two look-ups.
            await lab.order(devnet, "outage", calls=8, method="GetTransactionbyID")

    timing = lab.timing(sleep=pause)
    async with lab.client(devnet, TESTNET_ADDRESS=address, timing=timing) as session:
        await lab.order(devnet, "outage", method="AddTransaction", processed=True)
        with pytest.raises(CircularError, match="is not known") as caught:
            await certify(session, "data")
        assert caught.value.type is ErrorType.API_UNAVAILABLE
    async with lab.client(devnet, TESTNET_ADDRESS=address) as session:
        assert devnet.faults.planned == 0
        result, about = await certify(session, "data")
        assert about["resumed"]
    assert certificates(devnet) == [result["transaction_id"]]


async def test_what_was_refused_once_is_made_anew(lab):
    async with lab.devnet(grant=3) as devnet, lab.client(devnet) as session:
        with pytest.raises(CircularError):
            await certify(session, "data")
        assert lab.begun(session, "data") is None


async def test_a_key_of_what_never_came_to_be_is_free_again(lab):
    async with lab.devnet(grant=3) as devnet, lab.client(devnet) as session:
        with pytest.raises(CircularError):
            await certify(session, "data", idempotency_key="one")
        address = session.wallet("testnet", None).address
        await lab.order(devnet, "faucet", address=address, amount=100)
        first, about = await certify(session, "other data", idempotency_key="one")
        assert not about["resumed"]
        again, about = await certify(session, "other data", idempotency_key="one")
        assert about["resumed"]
    assert first == again


async def test_a_cancelled_call_lets_others_go_on_and_is_finished_later(lab, devnet):
    address = await registered(lab, devnet)
    await lab.order(devnet, "slow", calls=1, seconds=600, method="AddTransaction")
    async with lab.client(devnet, TESTNET_ADDRESS=address) as session:
        hanging = asyncio.create_task(certify(session, "data"))
        await lab.until(lambda: devnet.faults.planned == 0, "the transaction")
        hanging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hanging
        result, about = await certify(session, "data")
        assert about["resumed"]
    assert certificates(devnet) == [result["transaction_id"]]


async def test_a_chain_that_was_begun_anew_takes_certifications_again(lab):
    async with lab.devnet() as devnet, lab.client(devnet) as session:
        await certify(session, "old", idempotency_key="old")
        await certify(session, "older", idempotency_key="older")
    begin_anew(lab)
    async with lab.devnet() as devnet, lab.client(devnet) as session:
        await certify(session, "old", idempotency_key="old")
        await certify(session, "new")
        assert len(certificates(devnet)) == 2


async def test_a_chain_that_was_begun_anew_meanwhile_is_believed_after_one_refusal(lab):
    async with lab.devnet() as devnet:
        port = int(devnet.url.rpartition(":")[2])
        client = lab.client(devnet)
        session = await client.__aenter__()
        for number in range(3):
            await certify(session, f"document {number}")
    try:
        begin_anew(lab)
        async with lab.devnet(port=port) as devnet:
            await registered(lab, devnet)
            with pytest.raises(CircularError) as caught:
                await certify(session, "data")
            assert caught.value.type is ErrorType.NONCE_MISMATCH
            _, about = await certify(session, "data")
            assert about["nonce"] == 1
            assert len(certificates(devnet)) == 1
    finally:
        await client.__aexit__(None, None, None)


def begin_anew(lab):
    for file in (lab.directory / "chain").iterdir():
        file.unlink()


async def registered(lab, devnet):
    """Register the wallet of the test, so that no fault meets its registration."""
    async with lab.client(devnet, place="registrar") as session:
        wallet = session.wallet("testnet", None)
        await session.register_on_devnet(session.nag("testnet"), wallet)
    return wallet.address


# ------------------------------------------------------- refused before it is sent


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("", "is empty"),
        ("é" * (1 << 19) + "x", "Payload exceeds 1 MB size limit"),
        ("half \ud83d", "half a surrogate pair"),
    ],
)
async def test_data_that_can_not_be_certified_asks_no_network(lab, data, message):
    settings = Settings.from_environment(
        lab.environment("http://127.0.0.1:9/nobody-listens")
    )
    async with open_session(settings, lab.directory) as session:
        with pytest.raises(CircularError, match=message) as caught:
            await certify(session, data)
    assert caught.value.type is ErrorType.INVALID_INPUT
    assert caught.value.__context__ is None


async def test_data_of_just_the_limit_is_certified(lab, devnet):
    data = "é" * (1 << 19)
    async with lab.client(devnet) as session:
        sent, about = await certify(session, data)
        assert about["data_size"] == 1 << 20
        await get_transaction_status(
            session, transaction_id=sent["transaction_id"], **TESTNET
        )
        proof, _ = await get_certification_proof(
            session,
            transaction_id=sent["transaction_id"],
            include_data=True,
            **TESTNET,
        )
    assert bytes.fromhex(proof["certified_data"]).decode() == data


@pytest.mark.parametrize("variable", ["MAINNET_ADDRESS", "TESTNET_ADDRESS"])
async def test_without_a_key_the_message_names_the_variable(lab, devnet, variable):
    environment = lab.environment(devnet.discovery, **{variable: "ab" * 32})
    del environment["CIRCULAR_CEP_TESTNET_PRIVATE_KEY"]
    settings = Settings.from_environment(environment)
    name = variable.partition("_")[0]
    async with open_session(settings, lab.directory / "client") as session:
        with pytest.raises(CircularError, match=f"CIRCULAR_CEP_{name}_PRIVATE_KEY"):
            await certify_data(session, data="data", network=name.lower())
    there = (lab.directory / "client" / "devnet" / "wallet.key").exists()
    assert there is (name == "MAINNET")


async def test_a_gateway_of_this_machine_is_all_that_must_be_configured(lab, devnet):
    environment = lab.environment(devnet.discovery)
    del environment["CIRCULAR_CEP_TESTNET_PRIVATE_KEY"]
    settings = Settings.from_environment(environment)
    found = []
    for place in ("one", "one", "two"):
        async with open_session(settings, lab.directory / place) as session:
            sent, about = await certify(session, "data", idempotency_key=str(found))
            found.append((sent["sender"], about["nonce"]))
    one, two = found[0][0], found[2][0]
    assert found == [(one, 1), (one, 2), (two, 1)]
    assert one != two
    assert len(certificates(devnet)) == 3


async def test_a_wallet_may_be_named_by_each_of_its_addresses(lab, devnet, key_of):
    async with lab.client(devnet) as session:
        for address in key_of("alice").public.addresses:
            result, _ = await certify(session, "data", wallet_address=f"0x{address}")
            assert result["sender"] == address
        for wrong in ("12", key_of("bob").public.addresses[0]):
            with pytest.raises(CircularError) as caught:
                await certify(session, "data", wallet_address=wrong)
            assert caught.value.type is ErrorType.INVALID_INPUT


async def test_a_devnet_is_no_mainnet(lab):
    nothing = Settings.from_environment({})
    async with open_session(nothing, lab.directory, devnet=FAST) as session:
        with pytest.raises(CircularError, match="no mainnet"):
            await certify_data(session, data="data", network="mainnet")


async def test_mainnet_at_a_devnet_has_no_gateway(lab, devnet):
    async with lab.client(devnet, MAINNET_PRIVATE_KEY="1".zfill(64)) as session:
        with pytest.raises(CircularError, match="no gateway of mainnet") as caught:
            await certify_data(session, data="data", network="mainnet")
    assert caught.value.type is ErrorType.API_UNAVAILABLE


async def test_who_has_a_network_imports_no_server(lab, devnet):
    environment = lab.environment(devnet.discovery)
    place = lab.directory / "client"
    assert await lab.run("open_session.py", place, environment=environment) == []
