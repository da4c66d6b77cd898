"""Where CREATE puts contracts, held against py-evm's own rule."""

from __future__ import annotations

import pytest
from eth._utils.address import generate_contract_address
from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.evm.created import created_address

EDGES = (0, 1, 0x7F, 0x80, 0xFF, 0x100, 0xFFFF, (1 << 64) - 1)


@given(
    st.integers(0, (1 << 160) - 1),
    st.one_of(st.sampled_from(EDGES), st.integers(0, (1 << 64) - 1)),
)
def test_addresses_are_those_of_the_chain(creator: int, nonce: int):
    expected = generate_contract_address(creator.to_bytes(20, "big"), nonce)
    assert created_address(creator, nonce).to_bytes(20, "big") == expected


@pytest.mark.parametrize("nonce", [-1, 1 << 64])
def test_nonces_that_no_account_can_have_are_refused(nonce: int):
    with pytest.raises(ValueError, match="nonce"):
        created_address(1, nonce)
