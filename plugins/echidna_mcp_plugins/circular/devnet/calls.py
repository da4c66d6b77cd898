"""The methods of a gateway that a devnet answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from echidna_mcp_plugins.circular.devnet.admission import (
    add_transaction,
    check_blockchain,
)
from echidna_mcp_plugins.circular.devnet.amounts import FEES, cirx
from echidna_mcp_plugins.circular.devnet.answers import (
    NODE,
    NOT_FOUND,
    Answer,
    Refusal,
    granted,
)
from echidna_mcp_plugins.circular.devnet.chain import Chain
from echidna_mcp_plugins.circular.devnet.store import (
    Block,
    TransactionRow,
    WalletRow,
)
from echidna_mcp_plugins.circular.identifiers import digest_of
from echidna_mcp_plugins.circular.results import Result
from echidna_mcp_plugins.circular.settings import SANDBOX

Body: TypeAlias = dict[str, Any]
_Method: TypeAlias = Callable[[Chain, Body], Answer]


def call(chain: Chain, method: str, body: Body) -> Answer:
    """Answer a call of a method, such as `GetWalletNonce`."""
    if method not in _METHODS:
        return Refusal(Result.UNKNOWN_CALL).answer()
    try:
        if method != "GetBlockchains":
            check_blockchain(body)
        return _METHODS[method](chain, body)
    except Refusal as refusal:
        return refusal.answer()


# ------------------------------------------------------------------------- fields


def _digest(body: Body, name: str) -> str:
    value = body.get(name)
    found = digest_of(value) if isinstance(value, str) else None
    if found is None:
        raise Refusal(Result.WRONG_FORMAT)
    return found


def _number(body: Body, name: str) -> int:
    """Return a number, which some SDKs send as a text."""
    value = body.get(name)
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        value = int(value[:15])
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise Refusal(Result.WRONG_FORMAT)
    return value


def _range(chain: Chain, body: Body) -> tuple[int, int]:
    """Return the first and the last block that `Start` and `End` mean.

    If one of them is 0, the other is how many of the newest blocks are meant: the
    documentation says so of End 0, and the SDKs wait with Start 0 and End 10.
    """
    start, end = _number(body, "Start"), _number(body, "End")
    newest = chain.store.block_count() - 1
    if start == 0 or end == 0:
        return max(0, newest + 1 - max(start, end)), newest
    return start, end


def _wallet(chain: Chain, body: Body) -> WalletRow:
    found = chain.store.wallet(_digest(body, "Address"))
    if found is None:
        raise Refusal(Result.WALLET_NOT_FOUND)
    return found


# ------------------------------------------------------------------------ answers


def block_json(block: Block) -> dict[str, Any]:
    """Return a block as the gateway tells it."""
    return {
        "BlockID": str(block.number),
        "Timestamp": block.timestamp,
        "PreviousHash": block.previous,
        "Hash": block.hash,
        "Transactions": list(block.transactions),
    }


def transaction_json(row: TransactionRow) -> dict[str, Any]:
    """Return a transaction as the gateway tells it."""
    fees = {name: cirx(amount) if row.fee else 0.0 for name, amount in FEES.items()}
    return {
        "ID": row.id,
        "From": row.sender,
        "To": row.recipient,
        "Timestamp": row.timestamp,
        "Type": row.kind,
        "Payload": row.payload,
        "Nonce": str(row.nonce),
        "OSignature": row.signature,
        "BlockID": "" if row.block is None else str(row.block),
        "NodeID": "" if row.block is None else NODE,
        "Status": row.status,
        "Response": "",
        "GasLimit": 0,
        "Instructions": 0,
        **fees,
    }


# ------------------------------------------------------------------------ methods


def _check_wallet(chain: Chain, body: Body) -> Answer:
    _wallet(chain, body)
    return granted({"exists": 1})


def _get_wallet(chain: Chain, body: Body) -> Answer:
    wallet = _wallet(chain, body)
    asset = {"Name": "CIRX", "Amount": cirx(wallet.balance), "Type": "C_TYPE_COIN"}
    return granted(
        {
            "Address": wallet.address,
            "PublicKey": wallet.public_key,
            "Nonce": wallet.nonce,
            "Assets": [asset],
        }
    )


def _get_wallet_balance(chain: Chain, body: Body) -> Answer:
    return granted({"Balance": cirx(_wallet(chain, body).balance)})


def _get_wallet_nonce(chain: Chain, body: Body) -> Answer:
    return granted({"Nonce": _wallet(chain, body).nonce})


def _get_block_height(chain: Chain, _body: Body) -> Answer:
    return granted({"BlockCount": chain.store.block_count()})


def _get_block(chain: Chain, body: Body) -> Answer:
    number = _number(body, "BlockNumber")
    found = chain.store.blocks(number, number)
    if not found:
        raise Refusal(Result.BLOCK_NOT_FOUND)
    return granted(block_json(found[0]))


def _get_block_range(chain: Chain, body: Body) -> Answer:
    return granted(
        [block_json(each) for each in chain.store.blocks(*_range(chain, body))]
    )


def _get_blockchains(_chain: Chain, _body: Body) -> Answer:
    one = {"Name": "Circular SandBox (local devnet)", "Address": SANDBOX}
    return granted({"Blockchains": [one]})


def _get_transaction_by_id(chain: Chain, body: Body) -> Answer:
    first, last = _range(chain, body)
    row = chain.store.transaction(_digest(body, "ID"))
    if row is None or not (row.block is None or first <= row.block <= last):
        return granted(NOT_FOUND)
    return granted(transaction_json(row))


def _get_pending_transaction(chain: Chain, body: Body) -> Answer:
    row = chain.store.transaction(_digest(body, "ID"))
    if row is None or row.block is not None:
        return granted(NOT_FOUND)
    return granted(transaction_json(row))


def _get_transaction_by_address(chain: Chain, body: Body) -> Answer:
    first, last = _range(chain, body)
    rows = chain.store.transactions_of(_digest(body, "Address"), first, last)
    return granted([transaction_json(row) for row in rows])


_METHODS: Final[Mapping[str, _Method]] = MappingProxyType(
    {
        "AddTransaction": add_transaction,
        "CheckWallet": _check_wallet,
        "GetWallet": _get_wallet,
        "GetWalletBalance": _get_wallet_balance,
        "GetWalletNonce": _get_wallet_nonce,
        "GetBlock": _get_block,
        "GetBlockHeight": _get_block_height,
        "GetBlockRange": _get_block_range,
        "GetBlockchains": _get_blockchains,
        "GetTransactionbyID": _get_transaction_by_id,
        "GetPendingTransaction": _get_pending_transaction,
        "GetTransactionbyAddress": _get_transaction_by_address,
    }
)
