"""Unit tests of the project on our EVMs: both do the same, and what forge says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest
from foundry_suite import GAPS, Suite, World, verdict
from twins import same_everything

from echidna_mcp.evm.backend import CallResult
from echidna_mcp_plugins.native.backend import NativeBackend
from echidna_mcp_plugins.py_evm.backend import PyEvmBackend

Pair = tuple[World, World]


@pytest.fixture(scope="session")
def worlds(project: Path, verdicts: Mapping[str, str]) -> Callable[[str], Pair]:
    """Return what sets a contract up on both EVMs, once; forge has compiled it."""
    assert verdicts
    suite = Suite(project)

    @cache
    def ready(name: str) -> Pair:
        return suite.ready(name, NativeBackend), suite.ready(name, PyEvmBackend)

    return ready


def unit(test: str) -> str:
    """Return the name of a unit test; skip if it is none."""
    contract, _, name = test.partition(".")
    if not name.startswith("test_"):
        pytest.skip("takes arguments, or is about sequences")
    return contract


def both(worlds: Callable[[str], Pair], test: str) -> tuple[Pair, list[CallResult]]:
    pair = worlds(unit(test))
    return pair, [world.run(test.partition(".")[2]) for world in pair]


def test_both_evms_do_the_same(
    solidity_test: str, worlds: Callable[[str], Pair]
) -> None:
    (first, second), (one, other) = both(worlds, solidity_test)
    same_everything(first.evm, second.evm, one, other)


def test_they_say_what_forge_says(
    solidity_test: str, worlds: Callable[[str], Pair], verdicts: Mapping[str, str]
) -> None:
    _, (result, _) = both(worlds, solidity_test)
    same = verdict(result) == verdicts[solidity_test]
    known = any(solidity_test in tests for tests in GAPS.values())
    assert same != known, result
