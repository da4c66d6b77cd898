"""Forge says of each test what its name says: it passes, `Fails_` or `Skips_`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping


def test_forge_agrees_with_the_name(
    solidity_test: str, verdicts: Mapping[str, str], reasons: Mapping[str, str]
):
    name = solidity_test.split(".")[1]
    said = "fail" if "Fails_" in name else "skip" if "Skips_" in name else "pass"
    assert verdicts[solidity_test] == said, reasons[solidity_test]


def test_there_are_enough(verdicts: Mapping[str, str]):
    counts = Counter(verdicts.values())
    assert counts.total() >= 220
    assert counts["fail"] >= 60
    assert counts["skip"] > 0
