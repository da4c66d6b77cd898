"""Byte strings as Haskell's `show` writes and `read` reads them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.corpora.haskell_text import read_bytes, show_bytes
from echidna_mcp.corpora.model import EntryError

NAMES = [
    "NUL",
    "SOH",
    "STX",
    "ETX",
    "EOT",
    "ENQ",
    "ACK",
    "a",
    "b",
    "t",
    "n",
    "v",
    "f",
    "r",
    "SO",
    "SI",
    "DLE",
    "DC1",
    "DC2",
    "DC3",
    "DC4",
    "NAK",
    "SYN",
    "ETB",
    "CAN",
    "EM",
    "SUB",
    "ESC",
    "FS",
    "GS",
    "RS",
    "US",
]


@given(st.binary())
def test_what_is_shown_is_read_as_it_was(data):
    text = show_bytes(data)
    assert text.isascii()
    assert text.isprintable()
    assert read_bytes(text) == data


@given(st.lists(st.sampled_from([14, 72, 49, 127, 128, 200, 92, 34]), max_size=12))
def test_escapes_that_could_be_read_otherwise_are_kept_apart(codes):
    assert read_bytes(show_bytes(bytes(codes))) == bytes(codes)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x00D\x1d", r'"\NULD\GS"'),
        (b"", '""'),
        (b"\x0eH", r'"\SO\&H"'),
        (b"\x0e1", r'"\SO1"'),
        (b"\xc81", r'"\200\&1"'),
        (b"\xc8a", r'"\200a"'),
        (b'\x7f"\\~', r'"\DEL\"\\~"'),
    ],
)
def test_it_is_written_as_ghc_does(data, text):
    assert show_bytes(data) == text


def test_characters_below_the_blank_have_their_names():
    assert [show_bytes(bytes([code])) for code in range(32)] == [
        f'"\\{name}"' for name in NAMES
    ]


@pytest.mark.parametrize(
    ("text", "data"),
    [
        (r'"\xc8\o310\200\^A\&b"', b"\xc8\xc8\xc8\x01b"),
        (r'"\SOH\SO\&H"', b"\x01\x0eH"),
        ('"a\\   \t\n \\b"', b"ab"),
        (r'"\BEL\BS\HT\LF\VT\FF\CR\SP"', b"\x07\x08\x09\x0a\x0b\x0c\x0d "),
        (r'"\127\DEL\0065"', b"\x7f\x7fA"),
    ],
)
def test_every_escape_of_the_report_is_read(text, data):
    assert read_bytes(text) == data


@pytest.mark.parametrize(
    "text",
    ["", '"', "abc", r'"\q"', r'"\256"', '"é"', '"a"b"', '"\\"', f'"\\{"9" * 9999}"'],
)
def test_what_is_no_text_of_bytes_is_refused(text):
    with pytest.raises(EntryError, match="a text of bytes"):
        read_bytes(text)


def test_the_example_of_a_stored_file_is_read():
    assert read_bytes(json.loads(r'"\"\\NULD\\GS\""')) == b"\x00D\x1d"
