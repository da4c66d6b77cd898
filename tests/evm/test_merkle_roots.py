"""Our roots against the library `trie`, the logs hash against `rlp`."""

from __future__ import annotations

import rlp
from eth.constants import BLANK_ROOT_HASH
from eth_hash.auto import keccak
from hypothesis import given
from hypothesis import strategies as st
from merkle import encode_bytes, encode_list, encode_number, logs_hash, trie_root
from trie import HexaryTrie

from echidna_mcp.evm.backend import Log


@given(
    st.dictionaries(
        st.integers(0, 300).map(lambda number: number.to_bytes(32, "big"))
        | st.binary(min_size=20, max_size=20),
        st.binary(min_size=1, max_size=80),
        max_size=60,
    )
)
def test_roots_are_those_of_the_library(items: dict[bytes, bytes]) -> None:
    trie = HexaryTrie({})
    for key, value in items.items():
        trie[keccak(key)] = value
    assert trie_root(items) == trie.root_hash


def test_the_root_of_nothing_is_the_known_one() -> None:
    assert trie_root({}) == BLANK_ROOT_HASH


@given(st.binary(max_size=70), st.integers(0, 1 << 256))
def test_encoding_is_that_of_the_library(data: bytes, number: int) -> None:
    assert encode_bytes(data) == rlp.encode(data)
    assert encode_number(number) == rlp.encode(number)
    both = encode_list([encode_bytes(data), encode_number(number)])
    assert both == rlp.encode([data, number])


def test_the_logs_hash_is_that_of_the_encoded_logs() -> None:
    logs = [Log(5, (b"\1" * 32, b"\2" * 32), b"data"), Log(1 << 159, (), b"")]
    encoded = rlp.encode(
        [[log.address.to_bytes(20, "big"), log.topics, log.data] for log in logs]
    )
    assert logs_hash(logs) == keccak(encoded)
