"""Transactions of the official state tests, and when they are valid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eth_hash.auto import keccak
from eth_keys import keys
from eth_keys.exceptions import BadSignature, ValidationError
from merkle import encode_bytes, encode_list, encode_number

from echidna_mcp.evm.backend import AccountState, Authorization

if TYPE_CHECKING:
    from collections.abc import Iterator

    from echidna_mcp.evm.backend import BlockContext

LEGACY, ACCESS_LIST, DYNAMIC_FEE, BLOB, SET_CODE = range(5)
BLOB_GAS = 1 << 17
NO_ACCOUNT = AccountState(balance=0, nonce=0, code=b"", storage={})

_INITCODE_LIMIT = 49152
_NONCE_LIMIT = (1 << 64) - 1
_WORD_LIMIT = 1 << 256
_HALF_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141 // 2
_DELEGATION = bytes.fromhex("ef0100")
_DELEGATION_SIZE = 23


def number(text: str) -> int:
    """Return a number as the files write it; some are wider than any field."""
    digits = text.removeprefix("0x:bigint ")
    return int(digits, 16) if digits not in {"", "0x"} else 0


def data(text: str) -> bytes:
    """Return bytes as the files write them."""
    return bytes.fromhex(text.removeprefix("0x"))


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobRules:
    """What a fork says of blobs: how many in a block, how fast the fee moves."""

    limit: int
    fee_fraction: int

    def base_fee(self, excess: int) -> int:
        """Return the blob base fee, the `fake_exponential` of EIP-4844."""
        total, term, step = 0, self.fee_fraction, 1
        while term > 0:
            total += term
            term = term * excess // (self.fee_fraction * step)
            step += 1
        return total // self.fee_fraction


BLOB_RULES = {
    "cancun": BlobRules(limit=6, fee_fraction=3_338_477),
    "prague": BlobRules(limit=9, fee_fraction=5_007_716),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Transaction:
    """A signed transaction; fields that its type does not have are empty or 0."""

    kind: int
    sender: int
    nonce: int
    to: int | None
    data: bytes
    value: int
    gas: int
    max_fee: int
    max_tip: int
    access_list: tuple[tuple[int, tuple[int, ...]], ...]
    blob_hashes: tuple[int, ...]
    max_blob_fee: int
    authorizations: tuple[Authorization, ...]

    @property
    def blob_gas(self) -> int:
        """Gas that its blobs cost."""
        return BLOB_GAS * len(self.blob_hashes)

    def price(self, base_fee: int) -> int:
        """Return wei for each gas."""
        return min(self.max_fee, base_fee + self.max_tip)


def _kind(tx: dict[str, Any], lists: Any) -> int:
    if "authorizationList" in tx:
        return SET_CODE
    if "maxFeePerBlobGas" in tx:
        return BLOB
    if "maxFeePerGas" in tx:
        return DYNAMIC_FEE
    return LEGACY if lists is None else ACCESS_LIST


def read_transaction(tx: dict[str, Any], indexes: dict[str, int]) -> Transaction:
    """Return one of the transactions that a state test stands for."""
    lists = tx["accessLists"][indexes["data"]] if "accessLists" in tx else None
    max_fee = number(tx["maxFeePerGas" if "maxFeePerGas" in tx else "gasPrice"])
    if "sender" in tx:
        sender = number(tx["sender"])
    else:
        key = keys.PrivateKey(data(tx["secretKey"]))
        sender = int.from_bytes(key.public_key.to_canonical_address(), "big")
    return Transaction(
        kind=_kind(tx, lists),
        sender=sender,
        nonce=number(tx["nonce"]),
        to=number(tx["to"]) if tx["to"] else None,
        data=data(tx["data"][indexes["data"]]),
        value=number(tx["value"][indexes["value"]]),
        gas=number(tx["gasLimit"][indexes["gas"]]),
        max_fee=max_fee,
        max_tip=number(tx["maxPriorityFeePerGas"]) if "maxFeePerGas" in tx else max_fee,
        access_list=tuple(
            (number(entry["address"]), tuple(map(number, entry["storageKeys"])))
            for entry in lists or ()
        ),
        blob_hashes=tuple(map(number, tx.get("blobVersionedHashes", ()))),
        max_blob_fee=number(tx.get("maxFeePerBlobGas", "")),
        authorizations=tuple(map(_authorization, tx.get("authorizationList", ()))),
    )


def _authorization(entry: dict[str, str]) -> Authorization:
    chain_id, nonce = number(entry["chainId"]), number(entry["nonce"])
    signed = encode_list(
        [
            encode_number(chain_id),
            encode_bytes(number(entry["address"]).to_bytes(20, "big")),
            encode_number(nonce),
        ]
    )
    parity = number(entry.get("yParity", entry.get("v", "")))
    return Authorization(
        authority=_signer(
            keccak(b"\x05" + signed), parity, number(entry["r"]), number(entry["s"])
        ),
        address=number(entry["address"]),
        nonce=nonce,
        chain_id=chain_id,
    )


def _signer(digest: bytes, parity: int, r: int, s: int) -> int | None:
    if s > _HALF_ORDER:
        return None
    try:
        signature = keys.Signature(vrs=(parity, r, s))
        key = signature.recover_public_key_from_msg_hash(digest)
    except (BadSignature, ValidationError):
        return None
    return int.from_bytes(key.to_canonical_address(), "big")


def is_delegation(code: bytes) -> bool:
    """Whether code is a delegation designator (EIP-7702)."""
    return len(code) == _DELEGATION_SIZE and code.startswith(_DELEGATION)


def least_gas(tx: Transaction) -> int:
    """Return the gas that the transaction costs before it runs."""
    zeros = tx.data.count(0)
    gas = 21_000 + 4 * zeros + 16 * (len(tx.data) - zeros)
    if tx.to is None:
        gas += 32_000 + 2 * ((len(tx.data) + 31) // 32)
    gas += sum(2_400 + 1_900 * len(slots) for _, slots in tx.access_list)
    return gas + 25_000 * len(tx.authorizations)


def floor_gas(tx: Transaction) -> int:
    """Return the least gas limit of EIP-7623."""
    zeros = tx.data.count(0)
    return 21_000 + 10 * zeros + 40 * (len(tx.data) - zeros)


def refusals(
    tx: Transaction,
    sender: AccountState,
    block: BlockContext,
    blobs: BlobRules,
    *,
    prague: bool,
) -> Iterator[str]:
    """Name every reason for which a block must not hold the transaction.

    The names are those that the state tests give.
    """
    yield from _refusals_of_fees(tx, block)
    yield from _refusals_of_gas(tx, block, prague=prague)
    yield from _refusals_of_sender(tx, sender, prague=prague)
    if tx.kind == BLOB:
        yield from _refusals_of_blobs(tx, block, blobs)
    if tx.kind == SET_CODE:
        yield from _refusals_of_authorizations(tx, prague=prague)


def _refusals_of_fees(tx: Transaction, block: BlockContext) -> Iterator[str]:
    if tx.value >= _WORD_LIMIT:
        yield "RLP_INVALID_VALUE"
    if tx.gas * tx.max_fee >= _WORD_LIMIT:
        yield "GASLIMIT_PRICE_PRODUCT_OVERFLOW"
    if tx.max_tip > tx.max_fee:
        yield "PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS"
    if tx.max_fee < block.base_fee:
        yield "INSUFFICIENT_MAX_FEE_PER_GAS"


def _refusals_of_gas(
    tx: Transaction, block: BlockContext, *, prague: bool
) -> Iterator[str]:
    if tx.gas > block.gas_limit:
        yield "GAS_ALLOWANCE_EXCEEDED"
    if tx.gas < least_gas(tx):
        yield "INTRINSIC_GAS_TOO_LOW"
    if prague and tx.gas < floor_gas(tx):
        yield "INTRINSIC_GAS_BELOW_FLOOR_GAS_COST"
    if tx.to is None and len(tx.data) > _INITCODE_LIMIT:
        yield "INITCODE_SIZE_EXCEEDED"


def _refusals_of_authorizations(tx: Transaction, *, prague: bool) -> Iterator[str]:
    if not prague:
        yield "TYPE_4_TX_PRE_FORK"
    if tx.to is None:
        yield "TYPE_4_TX_CONTRACT_CREATION"
    if not tx.authorizations:
        yield "TYPE_4_EMPTY_AUTHORIZATION_LIST"


def _refusals_of_sender(
    tx: Transaction, sender: AccountState, *, prague: bool
) -> Iterator[str]:
    if sender.code and not (prague and is_delegation(sender.code)):
        yield "SENDER_NOT_EOA"
    if tx.nonce >= _NONCE_LIMIT:
        yield "NONCE_IS_MAX"
    if tx.nonce < sender.nonce:
        yield "NONCE_MISMATCH_TOO_LOW"
    if tx.nonce > sender.nonce:
        yield "NONCE_MISMATCH_TOO_HIGH"
    cost = tx.gas * tx.max_fee + tx.value + tx.blob_gas * tx.max_blob_fee
    if sender.balance < cost:
        yield "INSUFFICIENT_ACCOUNT_FUNDS"


def _refusals_of_blobs(
    tx: Transaction, block: BlockContext, blobs: BlobRules
) -> Iterator[str]:
    if tx.to is None:
        yield "TYPE_3_TX_CONTRACT_CREATION"
    if not tx.blob_hashes:
        yield "TYPE_3_TX_ZERO_BLOBS"
    if len(tx.blob_hashes) > blobs.limit:
        yield "TYPE_3_TX_BLOB_COUNT_EXCEEDED"
    if any(blob >> 248 != 1 for blob in tx.blob_hashes):
        yield "TYPE_3_TX_INVALID_BLOB_VERSIONED_HASH"
    if tx.max_blob_fee < block.blob_base_fee:
        yield "INSUFFICIENT_MAX_FEE_PER_BLOB_GAS"
