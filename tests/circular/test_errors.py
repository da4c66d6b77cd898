"""Each of the ten errors, provoked by what causes it."""

from __future__ import annotations

import pickle

import pytest

from echidna_mcp_plugins.circular.errors import RULES, CircularError, ErrorType
from echidna_mcp_plugins.circular.results import refusal
from echidna_mcp_plugins.circular.tools.certify_data import certify_data
from echidna_mcp_plugins.circular.tools.get_certification_proof import (
    get_certification_proof,
)
from echidna_mcp_plugins.circular.tools.get_transaction_status import (
    get_transaction_status,
)
from echidna_mcp_plugins.circular.tools.get_wallet_nonce import get_wallet_nonce

TESTNET = {"network": "testnet"}
NOBODY = "ab" * 32


async def failure(call):
    """Return the error with which a call ends, after its body was looked at."""
    with pytest.raises(CircularError) as caught:
        await call
    body = caught.value.body()
    rule = RULES[ErrorType(body["type"])]
    assert body["status_code"] == rule.status_code
    assert set(body) <= {"type", "status_code", "message", "retry_suggestion"}
    assert body["message"].endswith(".")
    assert ("retry_suggestion" in body) == caught.value.retry
    if rule.retry_suggestion:
        assert "retry_suggestion" in body
    return caught.value


def nonce(session, address=NOBODY):
    return get_wallet_nonce(session, wallet_address=address, **TESTNET)


def certify(session, data="data"):
    return certify_data(session, data=data, **TESTNET)


async def sent(session, data="data"):
    return (await certify(session, data)).result["transaction_id"]


async def test_an_outage_is_api_unavailable_after_three_repetitions(lab, devnet):
    async with lab.client(devnet) as session:
        await lab.order(devnet, "outage", calls=4)
        error = await failure(nonce(session))
        assert error.type is ErrorType.API_UNAVAILABLE
        assert lab.pauses == [1.0, 2.0, 4.0]
        # Three failures in a row are not told.
        await lab.order(devnet, "outage", calls=3)
        assert (await failure(nonce(session))).type is ErrorType.INVALID_ADDRESS


async def test_a_service_that_is_none_is_api_unavailable(lab, devnet):
    more = {"NAG_DISCOVERY_URL": f"{devnet.url}/Explorer"}
    async with lab.client(devnet, **more) as session:
        error = await failure(nonce(session))
    assert error.type is ErrorType.API_UNAVAILABLE
    assert lab.pauses == []  # Nothing is gained by asking for the same page again.


async def test_a_stopped_server_is_a_network_error(lab):
    async with lab.devnet() as devnet:
        pass
    async with lab.client(devnet) as session:
        error = await failure(nonce(session))
    assert error.type is ErrorType.NETWORK_ERROR


async def test_a_server_that_stops_between_two_calls_is_a_network_error(lab):
    async with lab.devnet() as devnet:
        session_ = lab.client(devnet)
        session = await session_.__aenter__()
        address = (await certify(session)).result["sender"]
    try:
        assert (await failure(nonce(session, address))).type is ErrorType.NETWORK_ERROR
        assert (await failure(certify(session))).type is ErrorType.NETWORK_ERROR
    finally:
        await session_.__aexit__(None, None, None)


async def test_a_server_that_takes_too_long_is_a_network_error(lab, devnet):
    timing = lab.timing(time_limit=0.05)
    async with lab.client(devnet, timing=timing) as session:
        await lab.order(devnet, "slow", calls=4, seconds=0.5)
        error = await failure(nonce(session))
    assert error.type is ErrorType.NETWORK_ERROR
    assert lab.pauses == [1.0, 2.0, 4.0]


async def test_a_rate_limit_that_stays_is_told(lab, devnet):
    async with lab.client(devnet) as session:
        await lab.order(devnet, "ratelimit", calls=4)
        error = await failure(certify(session))
        assert error.type is ErrorType.RATE_LIMIT
        assert "60 seconds" in error.body()["retry_suggestion"]
        assert lab.pauses == [1.0, 2.0, 4.0]
        await certify(session)


async def test_a_wallet_that_nobody_registered_has_an_invalid_address(lab, devnet):
    async with lab.client(devnet) as session:
        error = await failure(nonce(session))
        assert error.type is ErrorType.INVALID_ADDRESS
        assert error.meta() == {"nag_result": 108}
        for wrong in ("", "0x", "ab" * 31, "tx_abc123def456", "zz" * 32):
            assert (await failure(nonce(session, wrong))).meta() == {}


async def test_another_chain_than_that_of_the_network_is_invalid_input(lab, devnet):
    more = {"TESTNET_BLOCKCHAIN_ID": NOBODY}
    async with lab.client(devnet, **more) as session:
        error = await failure(nonce(session))
        assert error.type is ErrorType.INVALID_INPUT
        assert error.meta() == {"nag_result": 114}


async def test_to_certify_for_a_wallet_that_nobody_registered_is_invalid_input(
    lab, devnet
):
    async with lab.client(devnet, TESTNET_ADDRESS=NOBODY) as session:
        error = await failure(certify(session))
    assert error.type is ErrorType.INVALID_INPUT
    assert error.meta() == {"nag_result": 108}


async def test_the_wallet_of_another_key_is_an_invalid_signature(lab, devnet):
    async with lab.client(devnet, "bob", place="bob") as session:
        address = (await certify(session)).result["sender"]
    async with lab.client(devnet, "alice", TESTNET_ADDRESS=address) as session:
        error = await failure(certify(session))
    assert error.type is ErrorType.INVALID_SIGNATURE
    assert error.meta() == {"nag_result": 119}


async def test_a_wallet_without_funds_has_an_insufficient_balance(lab):
    async with lab.devnet(grant=7) as devnet, lab.client(devnet) as session:
        address = (await certify(session)).result["sender"]
        error = await failure(certify(session))
        assert error.type is ErrorType.INSUFFICIENT_BALANCE
        await lab.order(devnet, "faucet", address=address, amount=1)
        assert (await certify(session)).meta["nonce"] == 2


async def test_a_nonce_that_another_program_took_is_a_nonce_mismatch(lab, devnet):
    async with lab.client(devnet, place="two") as two:

        async def meanwhile(_seconds):
            await certify(two)

        timing = lab.timing(sleep=meanwhile)
        async with lab.client(devnet, place="one", timing=timing) as one:
            await certify(one)
            # It has its nonce and pauses before it is sent again.
            await lab.order(devnet, "ratelimit", method="AddTransaction")
            error = await failure(certify(one, "late"))
            assert error.type is ErrorType.NONCE_MISMATCH
            assert "Fetch fresh nonce" in error.body()["retry_suggestion"]
            assert (await certify(one, "late")).meta["nonce"] == 3


async def test_what_is_not_executed_in_time_is_a_transaction_timeout(lab):
    timing = lab.timing(poll_seconds=0.02, polls=3)
    async with (
        lab.devnet(block_seconds=None) as devnet,
        lab.client(devnet, timing=timing) as session,
    ):
        identity = await sent(session)
        error = await failure(
            get_transaction_status(session, transaction_id=identity, **TESTNET)
        )
    assert error.type is ErrorType.TRANSACTION_TIMEOUT


async def test_what_the_chain_rejects_is_a_failed_transaction(lab, devnet):
    async with lab.client(devnet) as session:
        await lab.order(devnet, "reject")
        identity = await sent(session)
        asked = {"transaction_id": identity, **TESTNET}
        error = await failure(get_transaction_status(session, **asked))
        assert error.type is ErrorType.TRANSACTION_FAILED
        error = await failure(get_certification_proof(session, **asked))
        assert error.type is ErrorType.TRANSACTION_FAILED
        known = await get_transaction_status(session, wait_for_execution=False, **asked)
        assert known.result["status"] == "Failed"


async def test_a_key_whose_transaction_was_rejected_may_certify_again(lab, devnet):
    async with lab.client(devnet) as session:
        await lab.order(devnet, "reject")
        wish = {"data": "data", "idempotency_key": "one", **TESTNET}
        first = (await certify_data(session, **wish)).result["transaction_id"]
        await failure(get_transaction_status(session, transaction_id=first, **TESTNET))
        again = await certify_data(session, **wish)
        second = again.result["transaction_id"]
        assert second != first
        assert (await certify_data(session, **wish)).result == again.result
        status = await get_transaction_status(session, transaction_id=second, **TESTNET)
        assert status.result["status"] == "Executed"


async def test_an_id_of_another_form_is_invalid_input(lab, devnet):
    async with lab.client(devnet) as session:
        for wrong in ("", "0x", "tx_abc123def456", "ab" * 33):
            for call in (get_transaction_status, get_certification_proof):
                error = await failure(call(session, transaction_id=wrong, **TESTNET))
                assert error.type is ErrorType.INVALID_INPUT


async def test_a_transaction_that_does_not_exist_is_invalid_input(lab, devnet):
    timing = lab.timing(poll_seconds=0.01, polls=3)
    async with lab.client(devnet, timing=timing) as session:
        asked = {"transaction_id": NOBODY, **TESTNET}
        for call in (
            get_transaction_status(session, **asked),
            get_transaction_status(session, wait_for_execution=False, **asked),
            get_certification_proof(session, **asked),
        ):
            error = await failure(call)
            assert error.type is ErrorType.INVALID_INPUT
            assert not error.retry


async def test_a_proof_of_what_is_not_executed_says_to_wait(lab):
    async with lab.devnet(block_seconds=None) as devnet, lab.client(devnet) as session:
        identity = await sent(session)
        error = await failure(
            get_certification_proof(session, transaction_id=identity, **TESTNET)
        )
    assert error.type is ErrorType.INVALID_INPUT
    assert "get_transaction_status" in error.body()["retry_suggestion"]


async def test_a_registration_is_no_certification(lab, devnet):
    async with lab.client(devnet) as session:
        await certify(session)
        rows = devnet.chain.store.transactions_of(
            session.wallet("testnet", None).address, 0, 10**9
        )
        rows += devnet.chain.store.open_transactions()
        (registration,) = [r for r in rows if r.kind == "C_TYPE_REGISTERWALLET"]
        error = await failure(
            get_certification_proof(session, transaction_id=registration.id, **TESTNET)
        )
    assert error.type is ErrorType.INVALID_INPUT
    assert "certifies no data" in error.message


async def test_a_network_that_does_not_exist_is_invalid_input(lab, devnet):
    async with lab.client(devnet) as session:
        error = await failure(
            get_wallet_nonce(session, wallet_address=NOBODY, network="devnet")
        )
    assert error.type is ErrorType.INVALID_INPUT


# ------------------------------------------------------------------------ results


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        (108, "Wallet Not found", ErrorType.INVALID_INPUT),
        (114, "Rejected", ErrorType.INVALID_INPUT),
        (115, "Rejected", ErrorType.INSUFFICIENT_BALANCE),
        (117, "Invalid Payload", ErrorType.INVALID_INPUT),
        (118, "Wrong Format", ErrorType.INVALID_INPUT),
        (119, "Invalid Signature", ErrorType.INVALID_SIGNATURE),
        (121, "Invalid Nonce", ErrorType.NONCE_MISMATCH),
        (150, "Something new", ErrorType.INVALID_INPUT),
        (150, "", ErrorType.API_UNAVAILABLE),
        (150, None, ErrorType.API_UNAVAILABLE),
        (500, "Something new", ErrorType.API_UNAVAILABLE),
    ],
)
def test_a_result_code_is_an_error_type_and_goes_beside_the_body(code, text, expected):
    error = refusal(code, text)
    assert error.type is expected
    assert error.meta() == {"nag_result": code}
    assert not text or text not in error.message


def test_there_are_ten_types_and_each_has_a_rule():
    assert len(ErrorType) == 10
    assert set(RULES) == set(ErrorType)


def test_an_error_survives_a_pickle_as_it_is():
    error = refusal(121, "Invalid Nonce")
    again = pickle.loads(pickle.dumps(error))
    assert again.body() == error.body()
    assert again.meta() == error.meta()
