"""Plays the official state tests on a backend.

Messages mint their value and pay no fee, and the seam knows no transactions. So this
module is the transaction layer: it refuses invalid transactions, takes the sender's
fee, value and nonce, sends the message and pays what is due to sender and coinbase. Of
the backend it uses nothing but the seam.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from eth._utils.address import generate_contract_address
from merkle import logs_hash, state_root
from transactions import (
    BLOB_RULES,
    NO_ACCOUNT,
    BlobRules,
    data,
    number,
    read_transaction,
    refusals,
)

from echidna_mcp.evm.backend import (
    BackendConfig,
    BlockContext,
    CallResult,
    EvmBackend,
    Log,
    Message,
)
from echidna_mcp.evm.fork import ForkName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from transactions import Transaction

FORKS: dict[str, ForkName] = {"Cancun": "cancun", "Prague": "prague"}
"""Posts that are played; files hold others, for rules that we do not have."""

_CODE_SIZE = 24576
_PREFIX = "TransactionException."


@dataclass(slots=True)
class Tally:
    """What became of some files.

    Attributes:
        files: files with at least one post of a fork that is played.
        posts: transactions played, the refused ones included.
        refused: transactions that were invalid, as expected.
        wrong: what differs, a line each.
    """

    files: int = 0
    posts: int = 0
    refused: int = 0
    wrong: list[str] = field(default_factory=list)


def play_file(
    path: Path, create: Callable[[BackendConfig], EvmBackend], tally: Tally
) -> None:
    """Play every case of a file and add to the tally."""
    before = tally.posts
    for name, case in json.loads(path.read_text()).items():
        for fork in FORKS:
            if fork in case["post"]:
                play_case(name, case, fork, create, tally)
    tally.files += tally.posts > before


def play_case(
    name: str,
    case: dict[str, Any],
    fork: str,
    create: Callable[[BackendConfig], EvmBackend],
    tally: Tally,
) -> None:
    """Play all transactions of one case, each from the same state before."""
    blobs = blob_rules(case, fork)
    block = block_of(case, blobs)
    config = BackendConfig(block=block, max_code_size=_CODE_SIZE, fork=FORKS[fork])
    backend = create(config)
    for text, account in case["pre"].items():
        backend.set_account(
            number(text),
            balance=number(account["balance"]),
            nonce=number(account["nonce"]),
            code=data(account["code"]),
            storage={number(k): number(v) for k, v in account["storage"].items()},
        )
    start, root = backend.snapshot(), state_root(backend.accounts())
    for position, post in enumerate(case["post"][fork]):
        tally.posts += 1
        label = f"{name}[{fork}, {position}]"
        tx = read_transaction(case["transaction"], post["indexes"])
        accounts = dict(backend.accounts())
        sender = accounts.get(tx.sender, NO_ACCOUNT)
        reasons = list(
            refusals(tx, sender, block, blobs, prague=FORKS[fork] != "cancun")
        )
        tally.refused += bool(reasons)
        try:
            logs = () if reasons else play(backend, block, tx)
        except Exception as error:  # noqa: BLE001 - the other cases go on
            tally.wrong.append(f"{label}: {error!r}")
            backend.restore(start)
            continue
        tally.wrong += [
            f"{label}: {line}" for line in differences(backend, post, reasons, logs)
        ]
        backend.restore(start)
    if state_root(backend.accounts()) != root:
        tally.wrong.append(f"{name}[{fork}]: restored to another state")


def differences(
    backend: EvmBackend,
    post: dict[str, Any],
    reasons: list[str],
    logs: tuple[Log, ...],
) -> Iterator[str]:
    """Name what is not as the file says."""
    expected = post.get("expectException", "")
    names = [name.removeprefix(_PREFIX) for name in expected.split("|") if name]
    if bool(names) != bool(reasons) or (names and not set(names) & set(reasons)):
        yield f"expected {names}, refused for {reasons}"
    if logs_hash(logs) != data(post["logs"]):
        yield "logs"
    if state_root(backend.accounts()) != data(post["hash"]):
        yield "state"


def blob_rules(case: dict[str, Any], fork: str) -> BlobRules:
    """Return the blob rules that the file gives, or else the fork's own."""
    given = case.get("config", {}).get("blobSchedule", {}).get(fork)
    if given is None:
        return BLOB_RULES[FORKS[fork]]
    return BlobRules(
        limit=number(given["max"]), fee_fraction=number(given["baseFeeUpdateFraction"])
    )


def block_of(case: dict[str, Any], blobs: BlobRules) -> BlockContext:
    """Return the block of a case."""
    env = case["env"]
    return BlockContext(
        timestamp=number(env["currentTimestamp"]),
        number=number(env["currentNumber"]),
        gas_limit=number(env["currentGasLimit"]),
        coinbase=number(env["currentCoinbase"]),
        base_fee=number(env["currentBaseFee"]),
        prev_randao=number(env["currentRandom"]),
        chain_id=number(case.get("config", {}).get("chainid", "0x01")),
        blob_base_fee=blobs.base_fee(number(env.get("currentExcessBlobGas", "0x"))),
    )


def play(backend: EvmBackend, block: BlockContext, tx: Transaction) -> tuple[Log, ...]:
    """Play a valid transaction and return its logs."""
    price = tx.price(block.base_fee)
    fee = tx.gas * price + tx.blob_gas * block.blob_base_fee
    balance = backend.balance(tx.sender) - fee - tx.value
    backend.set_account(tx.sender, balance=balance, nonce=tx.nonce + 1)
    result = send(backend, tx, price)
    back = (tx.gas - result.gas_used) * price
    if not result.status.succeeded:
        back += tx.value
    backend.set_balance(tx.sender, backend.balance(tx.sender) + back)
    tip = result.gas_used * (price - block.base_fee)
    backend.set_balance(block.coinbase, backend.balance(block.coinbase) + tip)
    return result.logs if result.status.succeeded else ()


def send(backend: EvmBackend, tx: Transaction, price: int) -> CallResult:
    """Send the message of a transaction."""
    message = Message(
        sender=tx.sender,
        to=tx.to,
        data=tx.data,
        value=tx.value,
        gas=tx.gas,
        gas_price=price,
        access_list=tx.access_list,
        blob_hashes=tx.blob_hashes,
        authorizations=tx.authorizations,
    )
    if tx.to is not None:
        return backend.call(message)
    # The nonce that makes the address is the one before the transaction.
    address = generate_contract_address(tx.sender.to_bytes(20, "big"), tx.nonce)
    return backend.deploy(message, address=int.from_bytes(address, "big"))
