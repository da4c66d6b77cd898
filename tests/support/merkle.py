"""Roots of Merkle Patricia tries, computed in one go from all their items."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from eth_hash.auto import keccak

from echidna_mcp.evm.backend import AccountState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from echidna_mcp.evm.backend import Log

_HASH = 32
_BRANCHES = 16
_SHORT = 55
_STRING = 0x80
_LIST = 0xC0
_LEAF = 2

hashed = lru_cache(maxsize=1 << 16)(keccak)


def encode_bytes(data: bytes) -> bytes:
    """Return the RLP of a string."""
    if len(data) == 1 and data[0] < _STRING:
        return data
    return _head(_STRING, len(data)) + data


def encode_number(number: int) -> bytes:
    """Return the RLP of a number."""
    return encode_bytes(number.to_bytes((number.bit_length() + 7) // 8, "big"))


def encode_list(items: Iterable[bytes]) -> bytes:
    """Return the RLP of a list of items that are encoded already."""
    body = b"".join(items)
    return _head(_LIST, len(body)) + body


def _head(kind: int, size: int) -> bytes:
    if size <= _SHORT:
        return bytes([kind + size])
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([kind + _SHORT + len(length)]) + length


def _path(nibbles: str, flag: int) -> bytes:
    """Return a compact path (Yellow Paper, appendix C)."""
    odd = len(nibbles) % 2
    head = f"{flag + odd}" + ("" if odd else "0")
    return encode_bytes(bytes.fromhex(head + nibbles))


def _node(items: list[tuple[str, bytes]], depth: int) -> bytes:
    """Return the RLP of the node for items that agree in `depth` nibbles."""
    first = items[0][0]
    if len(items) == 1:
        return encode_list([_path(first[depth:], _LEAF), encode_bytes(items[0][1])])
    last, common = items[-1][0], depth
    while first[common] == last[common]:
        common += 1
    if common > depth:
        branch = _node(items, common)
        return encode_list([_path(first[depth:common], 0), _reference(branch)])
    children: list[list[tuple[str, bytes]]] = [[] for _ in range(_BRANCHES)]
    for item in items:
        children[int(item[0][depth], 16)].append(item)
    nodes = [
        _reference(_node(child, depth + 1)) if child else encode_bytes(b"")
        for child in children
    ]
    return encode_list([*nodes, encode_bytes(b"")])


def _reference(node: bytes) -> bytes:
    return node if len(node) < _HASH else encode_bytes(keccak(node))


def trie_root(items: Mapping[bytes, bytes]) -> bytes:
    """Return the root of a trie whose keys are hashed first; values are not empty."""
    if not items:
        return keccak(encode_bytes(b""))
    hashed_items = [(hashed(key).hex(), value) for key, value in items.items()]
    return keccak(_node(sorted(hashed_items), 0))


def state_root(accounts: Iterable[tuple[int, AccountState]]) -> bytes:
    """Return the state root of accounts by address."""
    return trie_root(
        {
            address.to_bytes(20, "big"): encode_list(
                [
                    encode_number(account.nonce),
                    encode_number(account.balance),
                    encode_bytes(storage_root(account.storage)),
                    encode_bytes(hashed(account.code)),
                ]
            )
            for address, account in accounts
        }
    )


def storage_root(storage: Mapping[int, int]) -> bytes:
    """Return the storage root of words by slot."""
    return trie_root(
        {
            slot.to_bytes(32, "big"): encode_number(word)
            for slot, word in storage.items()
            if word
        }
    )


def logs_hash(logs: Iterable[Log]) -> bytes:
    """Return keccak of the RLP of logs, as the state tests give it."""
    return keccak(
        encode_list(
            encode_list(
                [
                    encode_bytes(log.address.to_bytes(20, "big")),
                    encode_list(encode_bytes(topic) for topic in log.topics),
                    encode_bytes(log.data),
                ]
            )
            for log in logs
        )
    )
