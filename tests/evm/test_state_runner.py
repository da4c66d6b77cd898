"""The transaction layer under the official state tests, on cases done by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import rlp
from eth_hash.auto import keccak
from eth_keys import keys
from merkle import logs_hash, state_root
from state_tests import Tally, play_file
from transactions import BLOB_GAS, BLOB_RULES

from echidna_mcp.evm.backend import AccountState
from echidna_mcp_plugins.py_evm.backend import create

KEY = keys.PrivateKey(b"\1" * 32)
SENDER = int.from_bytes(KEY.public_key.to_canonical_address(), "big")
TARGET, COINBASE = 0xA1, 0xC0
BASE_FEE, FUNDS = 10, 10**9
ENV = {
    "currentCoinbase": f"{COINBASE:#042x}",
    "currentGasLimit": "0x7fffffff",
    "currentNumber": "0x01",
    "currentTimestamp": "0x03e8",
    "currentRandom": "0x00",
    "currentBaseFee": f"{BASE_FEE:#x}",
    "currentExcessBlobGas": "0x00",
}
LEGACY = {"gasPrice": "0x0c"}
BLOBS = {
    "maxFeePerGas": "0x0f",
    "maxPriorityFeePerGas": "0x02",
    "maxFeePerBlobGas": "0x05",
    "accessLists": [[]],
    "blobVersionedHashes": [f"0x01{7:062x}"],
}


def authorization() -> dict[str, Any]:
    signed = rlp.encode([0, TARGET.to_bytes(20, "big"), 1])
    signature = KEY.sign_msg_hash(keccak(b"\5" + signed))
    entry = {
        "chainId": "0x00",
        "address": f"{TARGET:#042x}",
        "nonce": "0x01",
        "yParity": hex(signature.v),
        "r": hex(signature.r),
        "s": hex(signature.s),
    }
    return {
        "maxFeePerGas": "0x0c",
        "maxPriorityFeePerGas": "0x02",
        "authorizationList": [entry],
    }


def account(balance: int, nonce: int = 0, code: bytes = b"") -> AccountState:
    return AccountState(balance=balance, nonce=nonce, code=code, storage={})


def play(
    tmp_path: Path,
    fork: str,
    fields: dict[str, Any],
    accounts: dict[int, AccountState],
    **expected: str,
) -> Tally:
    """Play a transaction of 5 wei to an account without code."""
    tx = {
        "data": ["0x"],
        "gasLimit": ["0x0186a0"],
        "value": ["0x05"],
        "nonce": "0x00",
        "secretKey": f"0x{KEY}",
        "sender": f"{SENDER:#042x}",
        "to": f"{TARGET:#042x}",
    }
    post = {
        "hash": f"0x{state_root(sorted(accounts.items())).hex()}",
        "logs": f"0x{logs_hash(()).hex()}",
        "indexes": {"data": 0, "gas": 0, "value": 0},
        **expected,
    }
    rich = {"balance": hex(FUNDS), "nonce": "0x00", "code": "0x", "storage": {}}
    case = {
        "env": ENV,
        "pre": {f"{SENDER:#042x}": rich},
        "transaction": {**tx, **fields},
        "post": {fork: [post]},
    }
    path = tmp_path / "case.json"
    path.write_text(json.dumps({"case": case}))
    tally = Tally()
    play_file(path, create, tally)
    assert (tally.files, tally.posts) == (1, 1)
    return tally


@pytest.mark.parametrize("fork", ["Cancun", "Prague"])
def test_fees_go_to_the_coinbase_but_for_the_base_fee(
    tmp_path: Path, fork: str
) -> None:
    after = {
        SENDER: account(FUNDS - 21_000 * 12 - 5, 1),
        TARGET: account(5),
        COINBASE: account(21_000 * 2),
    }
    assert play(tmp_path, fork, LEGACY, after).wrong == []


def test_blobs_are_paid_and_burnt(tmp_path: Path) -> None:
    after = {
        SENDER: account(FUNDS - 21_000 * 12 - BLOB_GAS - 5, 1),
        TARGET: account(5),
        COINBASE: account(21_000 * 2),
    }
    assert play(tmp_path, "Cancun", BLOBS, after).wrong == []


def test_authorizations_are_recovered_from_their_signature(tmp_path: Path) -> None:
    used = 46_000 - 46_000 // 5  # the account exists: 12,500 back, but a fifth at most
    designator = bytes.fromhex("ef0100") + TARGET.to_bytes(20, "big")
    after = {
        SENDER: account(FUNDS - used * 12 - 5, 2, designator),
        TARGET: account(5),
        COINBASE: account(used * 2),
    }
    assert play(tmp_path, "Prague", authorization(), after).wrong == []


@pytest.mark.parametrize(
    ("fork", "fields", "reason"),
    [
        ("Cancun", {**LEGACY, "nonce": "0x01"}, "NONCE_MISMATCH_TOO_HIGH"),
        ("Cancun", {**LEGACY, "gasLimit": ["0x5207"]}, "INTRINSIC_GAS_TOO_LOW"),
        ("Cancun", {**LEGACY, "value": [hex(FUNDS)]}, "INSUFFICIENT_ACCOUNT_FUNDS"),
        ("Cancun", {"gasPrice": "0x09"}, "INSUFFICIENT_MAX_FEE_PER_GAS"),
        ("Cancun", {**BLOBS, "to": ""}, "TYPE_3_TX_CONTRACT_CREATION"),
        ("Cancun", {**BLOBS, "blobVersionedHashes": []}, "TYPE_3_TX_ZERO_BLOBS"),
        (
            "Cancun",
            {**BLOBS, "maxFeePerBlobGas": "0x00"},
            "INSUFFICIENT_MAX_FEE_PER_BLOB_GAS",
        ),
        ("Cancun", authorization(), "TYPE_4_TX_PRE_FORK"),
        (
            "Prague",
            {**LEGACY, "data": ["0x" + "01" * 100], "gasLimit": ["0x61a7"]},
            "INTRINSIC_GAS_BELOW_FLOOR_GAS_COST",
        ),
    ],
)
def test_invalid_transactions_are_refused_and_change_nothing(
    tmp_path: Path, fork: str, fields: dict[str, Any], reason: str
) -> None:
    named = f"TransactionException.SOMETHING|TransactionException.{reason}"
    before = {SENDER: account(FUNDS)}
    tally = play(tmp_path, fork, fields, before, expectException=named)
    assert (tally.wrong, tally.refused) == ([], 1)


def test_differences_are_reported(tmp_path: Path) -> None:
    wrong = play(tmp_path, "Cancun", LEGACY, {SENDER: account(1)}).wrong
    assert wrong == ["case[Cancun, 0]: state"]
    unexpected = {"expectException": "TransactionException.NONCE_IS_MAX"}
    wrong = play(tmp_path, "Cancun", LEGACY, {}, **unexpected).wrong
    assert [line.split(": ")[1][:8] for line in wrong] == ["expected", "state"]
    assert "logs" in str(
        play(tmp_path, "Cancun", LEGACY, {}, logs="0x" + "00" * 32).wrong
    )


@pytest.mark.parametrize(
    ("fork", "excess", "fee"),
    [("cancun", 0, 1), ("cancun", 10 * 3_338_477, 22_026), ("prague", 5_007_716, 2)],
)
def test_the_blob_base_fee_grows_with_the_excess(
    fork: str, excess: int, fee: int
) -> None:
    assert BLOB_RULES[fork].base_fee(excess) == fee
