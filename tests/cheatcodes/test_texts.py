"""`toString`, `parse…`, RLP and the like against second implementations."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
import rlp
from cheat_answers import ask, new_cheats, refusal
from eth_utils import to_checksum_address
from hypothesis import given
from hypothesis import strategies as st

WORDS = st.integers(0, 2**256 - 1)
SIGNED = st.integers(-(2**255), 2**255 - 1)
VALUES = {
    "Uint": ("uint256", WORDS),
    "Int": ("int256", SIGNED),
    "Bool": ("bool", st.booleans()),
    "Address": ("address", st.integers(0, 2**160 - 1)),
    "Bytes": ("bytes", st.binary().map(lambda data: f"0x{data.hex()}")),
}
CHEATS = new_cheats()


def one(signature, *arguments):
    (found,) = ask(CHEATS, signature, *arguments)
    return found


@pytest.mark.parametrize("name", VALUES)
def test_what_is_written_is_read_again(name):
    kind, values = VALUES[name]

    @given(values)
    def check(value):
        assert one(f"parse{name}(string)", one(f"toString({kind})", value)) == value

    check()


@given(st.binary(min_size=32, max_size=32))
def test_words_are_written_and_read_again(data):
    text = one("toString(bytes32)", f"0x{data.hex()}")
    assert text == f"0x{data.hex()}"
    assert one("parseBytes32(string)", text) == text


@given(st.integers(0, 2**160 - 1))
def test_addresses_have_their_checksum(address):
    expected = to_checksum_address(address.to_bytes(20, "big"))
    assert one("toString(address)", address) == expected


@given(SIGNED)
def test_numbers_are_decimal(number):
    assert one("toString(int256)", number) == str(number)


@given(st.binary())
def test_base64_is_that_of_python(data):
    text = f"0x{data.hex()}"
    assert one("toBase64(bytes)", text) == base64.b64encode(data).decode()
    assert one("toBase64URL(bytes)", text) == base64.urlsafe_b64encode(data).decode()


@given(st.lists(st.binary(max_size=80), max_size=8))
def test_rlp_is_that_of_the_library(items):
    texts = [f"0x{item.hex()}" for item in items]
    encoded = one("toRlp(bytes[])", texts)
    assert encoded == f"0x{rlp.encode(items).hex()}"
    assert one("fromRlp(bytes)", encoded) == texts


@given(st.binary(max_size=40))
def test_rlp_is_refused_where_the_library_refuses_it(data):
    try:
        found = rlp.decode(
            data, rlp.sedes.CountableList(rlp.sedes.binary), strict=False
        )
        expected = [[f"0x{item.hex()}" for item in found]]
    except rlp.exceptions.RLPException:
        expected = None
    assert ask(CHEATS, "fromRlp(bytes)", f"0x{data.hex()}") == expected


@given(st.text(), st.text(max_size=3))
def test_a_text_that_is_split_can_be_put_together(text, delimiter):
    parts = one("split(string,string)", text, delimiter)
    assert delimiter.join(parts if delimiter else parts[1:-1]) == text


@given(st.text(), st.text(max_size=3))
def test_a_part_is_found_at_its_byte(text, part):
    at = one("indexOf(string,string)", text, part)
    assert one("contains(string,string)", text, part) == (at != 2**256 - 1)
    if at != 2**256 - 1:
        assert text.encode()[at:].startswith(part.encode())


def test_a_text_that_would_fill_the_memory_is_refused():
    long = "a" * 5000
    text = refusal(CHEATS, "replace(string,string,string)", long, "a", long)
    assert (
        text == "vm.replace: the result would have 25005000 bytes, more than 16777216"
    )


def test_a_reason_names_the_cheatcode_the_text_and_the_type():
    assert refusal(CHEATS, "parseUint(string)", "abc") == (
        'vm.parseUint: failed parsing "abc" as type `uint256`: missing hex prefix '
        '("0x") for hex string'
    )


@pytest.mark.parametrize("text", ["1" * 5000, "1e" + "9" * 5000, "0x" + "f" * 5000])
def test_numbers_of_any_length_are_refused(text):
    assert "vm.parseUint: failed parsing" in refusal(CHEATS, "parseUint(string)", text)


def test_what_does_not_parse_is_told_as_by_forge():
    """What forge 1.7.1 says of each text is in the file beside this one."""
    lines = Path(__file__).with_name("parse_errors.jsonl").read_text("ascii")
    for line in lines.splitlines():
        signature, text, error = json.loads(line)
        assert refusal(CHEATS, signature, text) == error
