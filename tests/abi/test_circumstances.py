"""What stands behind a call in a reproducer is read as it is printed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.abi.circumstances import Circumstances, split_circumstances
from echidna_mcp.errors import CallSyntaxError

ADDRESS = "0x00000000000000000000000000000000DeaDBeef"


def behind(text: str) -> Circumstances:
    call, found = split_circumstances(text)
    assert call == "Vault.deposit(1)"
    return found


@given(
    sender=st.none() | st.integers(0, (1 << 160) - 1),
    value=st.none() | st.integers(0, (1 << 256) - 1),
    seconds=st.none() | st.integers(0, (1 << 48) - 1),
    blocks=st.none() | st.integers(0, (1 << 48) - 1),
)
def test_all_that_is_printed_is_read(sender, value, seconds, blocks):
    text = "Vault.deposit(1)"
    text += "" if sender is None else f" from: 0x{sender:040x}"
    text += "" if value is None else f" Value: {value}"
    text += "" if seconds is None else f" Time delay: {seconds} seconds"
    text += "" if blocks is None else f" Block delay: {blocks}"
    assert behind(text) == Circumstances(
        sender=sender, value=value, time_delay=seconds, block_delay=blocks
    )


def test_gas_as_echidna_prints_it_means_nothing():
    text = f"Vault.deposit(1) from: {ADDRESS} Gas: 12500000 Gas price: 0x1 Value: 0x5"
    assert behind(text) == Circumstances(sender=0xDEADBEEF, value=5)


@pytest.mark.parametrize(
    "call",
    ["f()", 'f(") from: 0x1")', "f((1, 2), [3])", "f( 1 )", "f", "f(1) (2)"],
)
def test_what_has_nothing_behind_it_stays_as_it_is(call: str):
    assert split_circumstances(call) == (call, Circumstances())


@pytest.mark.parametrize(
    ("rest", "told"),
    [
        ("foo", "`foo` cannot stand behind a call"),
        ("Value 5", "`Value 5` cannot stand behind a call"),
        ("Value: 5 Call override: f", "`Call override: f` cannot stand behind a call"),
        ("Value: five", "`Value:` must be a whole number, not `five`"),
        (f"Value: {1 << 256}", "`Value:` must be a whole number"),
        ("from: 0xg", "`from:` must be an address, 0x and up to 40 hex digits"),
        (f"Time delay: {1 << 48} seconds", "`Time delay:` must be a whole number up"),
    ],
)
def test_what_can_not_be_read_is_told(rest: str, told: str):
    with pytest.raises(CallSyntaxError) as error:
        split_circumstances(f"Vault.deposit(1) {rest}")
    assert told in error.value.message
