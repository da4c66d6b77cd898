"""Tracefiles that are too long for one answer."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.reports.lcov import abridged

ROOM = 2_000


def record(name: str, lines: int) -> str:
    body = "".join(f"DA:{line},{line % 2}\n" for line in range(1, lines + 1))
    return (
        f"TN:\nSF:{name}\nFN:1,f\nFNDA:1,f\nFNF:1\nFNH:1\n"
        f"BRDA:1,0,0,1\nBRF:1\nBRH:1\n{body}"
        f"LF:{lines}\nLH:{lines // 2}\nend_of_record\n"
    )


def files(text: str) -> list[str]:
    return re.findall(r"^SF:(.*)$", text, re.MULTILINE)


def test_a_tracefile_that_fits_is_left_as_it_is():
    text = record("A.sol", 10) + record("B.sol", 10)
    assert abridged(text, len(text)) == text


def test_one_huge_file_is_told_in_totals():
    text = abridged(record("Huge.sol", 5_000), ROOM)
    assert text.startswith(
        "TN:\nSF:Huge.sol\nFNF:1\nFNH:1\nBRF:1\nBRH:1\nLF:5000\nLH:2500\nend_of_record\n#"
    )
    assert "of 1 files 1 are told only in totals and 0 not at all" in text


def test_small_files_are_whole_beside_a_huge_one():
    small, huge = record("A.sol", 3), record("Huge.sol", 5_000)
    for text in (small + huge, huge + small):
        short = abridged(text, ROOM)
        assert small in short
        assert files(short) == files(text)


def test_files_that_have_no_room_at_all_are_counted():
    text = "".join(record(f"{'x' * 100}{n}.sol", 1) for n in range(100))
    short = abridged(text, ROOM)
    left = 100 - len(files(short))
    assert left > 0
    assert f"and {left} not at all" in short


@given(st.lists(st.tuples(st.text("aü", max_size=60), st.integers(0, 300))))
def test_no_answer_is_longer_than_there_is_room(made):
    text = "".join(record(name, lines) for name, lines in made)
    assert len(abridged(text, ROOM).encode()) <= ROOM
