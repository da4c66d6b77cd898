"""The official state tests, where their files are at hand.

`ECHIDNA_MCP_VECTORS` names a folder with `GeneralStateTests` filled for Cancun, as
published in the repository ethereum/tests. Our messages mint their value and pay no
fee, so this file plays the part of the sender's purse. Transactions with access lists
or blobs, and invalid ones, can't be expressed and are left out.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import rlp
from eth._utils.address import generate_contract_address
from eth.constants import BLANK_ROOT_HASH
from eth_hash.auto import keccak
from eth_keys import keys
from trie import HexaryTrie

from echidna_mcp.evm.backend import BackendConfig, BlockContext, CallResult, Message
from echidna_mcp_plugins.evm.py_evm import PyEvmBackend

FOLDER = os.environ.get("ECHIDNA_MCP_VECTORS", "")
MAINNET_CODE_SIZE = 24576
LEFT_OUT = {
    "vmPerformance": "takes half a minute",
    "Blake2f": "py-evm's compression in Python takes minutes",
    "opc4ADiffPlaces": "the blob base fee is 0 here",
}


def number(text: str) -> int:
    return int(text, 16) if text not in {"", "0x"} else 0


def data(text: str) -> bytes:
    return bytes.fromhex(text.removeprefix("0x"))


def trie_root(items: dict[bytes, bytes]) -> bytes:
    trie = HexaryTrie({}, prune=True)
    for key, value in items.items():
        trie[keccak(key)] = value
    return bytes(trie.root_hash)


def state_root(backend: PyEvmBackend) -> bytes:
    world = backend._world
    accounts = {}
    for address in {*world.balances, *world.nonces, *world.codes}:
        if world.is_empty(address):
            continue
        words = world.storages.get(address, {})
        storage = {
            slot.to_bytes(32, "big"): rlp.encode(word) for slot, word in words.items()
        }
        accounts[address] = rlp.encode(
            [
                world.nonces.get(address, 0),
                world.balances.get(address, 0),
                trie_root(storage) if storage else BLANK_ROOT_HASH,
                keccak(world.codes.get(address, b"")),
            ]
        )
    return trie_root(accounts)


def prepare(case: dict[str, Any]) -> PyEvmBackend:
    env = case["env"]
    block = BlockContext(
        timestamp=number(env["currentTimestamp"]),
        number=number(env["currentNumber"]),
        gas_limit=number(env["currentGasLimit"]),
        coinbase=number(env["currentCoinbase"]),
        base_fee=number(env.get("currentBaseFee", "0x0a")),
        prev_randao=number(env["currentRandom"]),
    )
    backend = PyEvmBackend(BackendConfig(block=block, max_code_size=MAINNET_CODE_SIZE))
    world = backend._world
    for text, account in case["pre"].items():
        address = data(text)
        world.balances[address] = number(account["balance"])
        world.nonces[address] = number(account["nonce"])
        if data(account["code"]):
            world.codes[address] = data(account["code"])
        words = {number(k): number(v) for k, v in account["storage"].items()}
        world.storages[address] = {k: v for k, v in words.items() if v}
    return backend


def run(backend: PyEvmBackend, case: dict[str, Any], indexes: dict[str, int]) -> Any:
    world, tx = backend._world, case["transaction"]
    base_fee = backend._state.block.base_fee
    if "gasPrice" in tx:
        price = number(tx["gasPrice"])
    else:
        tip = number(tx["maxPriorityFeePerGas"])
        price = min(number(tx["maxFeePerGas"]), tip + base_fee)
    if "sender" in tx:
        sender = data(tx["sender"])
    else:
        key = keys.PrivateKey(data(tx["secretKey"]))
        sender = key.public_key.to_canonical_address()
    value = number(tx["value"][indexes["value"]])
    message = Message(
        sender=int.from_bytes(sender, "big"),
        to=number(tx["to"]) if tx["to"] else None,
        data=data(tx["data"][indexes["data"]]),
        value=value,
        gas=number(tx["gasLimit"][indexes["gas"]]),
        gas_price=price,
    )
    nonce = world.nonces.get(sender, 0)
    world.nonces[sender] = nonce + 1
    world.balances[sender] -= message.gas * price + value
    if message.to is None:
        address = generate_contract_address(sender, nonce)
        result = backend.deploy(message, address=int.from_bytes(address, "big"))
    else:
        result = backend.call(message)
    back = (message.gas - result.gas_used) * price
    if not result.status.succeeded:
        back += value
    world.balances[sender] = world.balances.get(sender, 0) + back
    coinbase = backend._coinbase
    fee = result.gas_used * (price - base_fee)
    world.balances[coinbase] = world.balances.get(coinbase, 0) + fee
    return result


def logs_hash(result: CallResult) -> bytes:
    logs = result.logs if result.status.succeeded else ()
    return keccak(
        rlp.encode(
            [[log.address.to_bytes(20, "big"), log.topics, log.data] for log in logs]
        )
    )


def failures(path: Path) -> list[str]:
    """Return what differs, one line a case."""
    wrong = []
    for name, case in json.loads(path.read_text()).items():
        tx = case["transaction"]
        if "maxFeePerBlobGas" in tx:
            continue
        for position, post in enumerate(case["post"].get("Cancun", ())):
            lists = tx.get("accessLists")
            if "expectException" in post or (lists and lists[post["indexes"]["data"]]):
                continue
            backend = prepare(case)
            result = run(backend, case, post["indexes"])
            if logs_hash(result) != data(post["logs"]):
                wrong.append(f"{name}[{position}]: logs")
            if state_root(backend) != data(post["hash"]):
                wrong.append(f"{name}[{position}]: state")
    return wrong


def files() -> list[Path]:
    if not FOLDER:
        return []
    paths = sorted(Path(FOLDER).rglob("*.json"))
    return [path for path in paths if not any(part in str(path) for part in LEFT_OUT)]


@pytest.mark.slow
@pytest.mark.skipif(
    not FOLDER, reason="ECHIDNA_MCP_VECTORS names no folder with state tests"
)
def test_official_state_tests_end_in_the_published_state() -> None:
    paths = files()
    assert paths, f"no state tests below {FOLDER}"
    wrong = [line for path in paths for line in failures(path)]
    assert wrong == []
