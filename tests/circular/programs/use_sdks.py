"""Both official SDKs as clients of a devnet: prints what they got.

They print to standard output; it is kept for the answer.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time

import requests
from circular_enterprise_apis import CEP_Account
from circular_protocol_api import helper
from circular_protocol_api.circular_protocol_api import CircularProtocolAPI

SANDBOX = "8a20baa40c45dc5055aeb26197c203e576ef389d9acb171bd62da11dc5ad72b2"


def main(url: str, key: str, other_key: str) -> dict[str, object]:
    got: dict[str, object] = {}
    sys.modules[
        "circular_enterprise_apis.CEP_Account"
    ].NETWORK_URL = f"{url}/network/getNAG?network="
    api = CircularProtocolAPI()
    api.setNAGURL(f"{url}/NAG.php?cep=")
    public = helper.getPublicKey(key)
    address = helper.sha256(public)
    got["address"] = address

    got["unknown"] = api.getWalletNonce(SANDBOX, address)
    got["register"] = api.registerWallet(SANDBOX, public)
    got["registered again"] = api.registerWallet(SANDBOX, public)
    got["check"] = api.checkWallet(SANDBOX, address)
    got["wallet"] = api.getWallet(SANDBOX, address)
    got["balance"] = api.getWalletBalance(SANDBOX, address, "CIRX")
    got["nonce"] = api.getWalletNonce(SANDBOX, address)

    account = CEP_Account()
    got["nag"] = account.set_network("testnet")
    account.set_blockchain(f"0x{SANDBOX}")
    account.open(f"0x{address}")
    got["updated"] = account.update_account()
    sent = got["certify"] = account.submit_certificate("évidence", key)
    identity = sent["Response"]["TxID"]
    got["pending"] = api.getPendingTransaction(SANDBOX, identity)
    outcome = account.get_transaction_outcome(identity, 30, 0.05)["Response"]
    got["outcome"] = outcome
    got["outcome of the other"] = api.getTransactionOutcome(
        SANDBOX, identity, 30, 0.05
    )["Response"]
    got["stale nonce"] = account.submit_certificate("again", key)
    account.update_account()
    got["wrong key"] = account.submit_certificate("again", other_key)
    got["second"] = account.submit_certificate("second", key)
    account.update_account()
    got["empty wallet"] = account.submit_certificate("third", key)
    refused = account.get_transaction_by_id("00" * 32, 0, 10)
    got["no transaction"] = refused

    block = outcome["BlockID"]
    while api.getBlockCount(SANDBOX)["Response"]["BlockCount"] < int(block) + 12:
        time.sleep(0.05)
    got["old, among the newest"] = account.get_transaction_by_id(identity, 0, 10)
    got["old, by block"] = account.get_transaction(block, identity)
    got["old, in many"] = api.getTransactionByID(SANDBOX, identity, 5000, 0)
    got["block"] = api.getBlock(SANDBOX, int(block))
    got["blocks"] = api.getBlockRange(SANDBOX, 3, 0)
    got["chains"] = api.getBlockchains()
    got["of address"] = api.getTransactionsByAddress(SANDBOX, address, 5000, 0)
    try:
        account.set_network("mainnet")
    except requests.RequestException:
        raise
    except Exception as error:  # noqa: BLE001 (it is what the SDK raises)
        got["mainnet"] = str(error)
    return got


if __name__ == "__main__":
    with contextlib.redirect_stdout(sys.stderr):
        found = main(*sys.argv[1:])
    print(json.dumps(found))  # noqa: T201 (the answer)
