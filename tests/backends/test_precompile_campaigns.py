"""Campaigns on each precompile give the same digests on both EVMs, however they run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from campaigns import small_config, started
from native_backends import REFERENCE, named
from precompile_inputs import GOOD
from solc import compile_solidity

from echidna_mcp.evm.backend import BackendConfig, EvmBackend
from echidna_mcp.program.model import Program
from echidna_mcp.rounds.backend import BackendPlugin

pytestmark = [pytest.mark.solc, pytest.mark.digests]

CALLS = 200
SLOW = {0x1: 2, 0x8: 8, 0xA: 4, 0xC: 3, 0xE: 4, 0xF: 5, 0x11: 3}
"""One of how many good calls reaches the precompile: it takes the reference long."""

CONTRACT = """
contract Calls%(name)s {
    address private constant TARGET = address(%(number)d);
    bytes private constant GOOD = hex"%(good)s";
    bytes32 public digest;
    uint256 public failures;
    bool private good = true;

    function _call(bytes memory data, uint256 gas_) private returns (bool done) {
        bytes memory output;
        (done, output) = TARGET.call{gas: gas_}(data);
        if (!done) failures++;
        digest = keccak256(abi.encode(digest, done, output));
    }

    modifier seldom(uint256 luck) {
        if (uint256(keccak256(abi.encode(luck, digest))) %% %(seldom)d == 0) _;
    }

    function valid(uint256 at, uint8 other, uint256 size) external seldom(at) {
        bytes memory data = GOOD;
        if (other %% 3 != 0) data[at %% data.length] = bytes1(other);
        if (size %% 4 == 0) assembly { mstore(data, mod(size, add(mload(data), 1))) }
        _call(data, gasleft());
    }

    function any(bytes calldata data) external {
        _call(data, gasleft());
    }

    function withGas(uint32 limit) external seldom(limit) {
        _call(GOOD, limit %% 200_000);
    }

    function words(uint256[6] calldata numbers) external {
        _call(abi.encode(numbers), gasleft());
    }

    function repeated(uint8 times) external seldom(times) {
        bytes memory data = GOOD;
        for (uint256 i = 0; i < times %% 8; i++) {
            data[data.length - 1] = bytes1(uint8(i));
            _call(data, gasleft());
        }
    }

    function echidna_digest_is_even() external view returns (bool) {
        return uint256(digest) %% 16 != 1;
    }

    function echidna_few_failures() external view returns (bool) {
        return failures < 5;
    }
}
"""


def source() -> str:
    contracts = (
        CONTRACT
        % {
            "name": f"{number:x}",
            "number": number,
            "good": data.hex(),
            "seldom": SLOW.get(number, 1),
        }
        for number, data in GOOD.items()
    )
    return "pragma solidity ^0.8.28;\n" + "".join(contracts)


@cache
def program(number: int) -> Program:
    compiled = compile_solidity(source(), "Calls1")
    prefix, _, _ = compiled.main.partition(":")
    return replace(compiled, main=f"{prefix}:Calls{number:x}")


def osaka(plugin: BackendPlugin) -> BackendPlugin:
    """Return a backend with Osaka's rules, and with a reference that has them."""
    create: Callable[[BackendConfig], EvmBackend] = plugin.create
    return replace(
        plugin,
        create=lambda config: create(replace(config, fork="osaka")),
        reference=plugin.reference and osaka(plugin.reference),
    )


def run(number: int, backend: str) -> list[dict[str, Any]]:
    """Return what each round committed: calls, gas, steps, the state digest, ..."""
    config = small_config(workers=2, round_budget=8_000, seq_len=20)
    with (
        TemporaryDirectory() as directory,
        started(
            Path(directory), program(number), config, backend=osaka(named(backend))
        ) as running,
    ):
        while running.views.progress.calls < CALLS:
            running.rounds(1)
        committed = [e for e in running.events if e.type == "RoundCommitted"]
        found = {e.type for e in running.events}
    assert found.isdisjoint({"TaskAbandoned", "FalsificationDisputed"})
    return [each.payload for each in committed]


expected = cache(run)


@pytest.mark.parametrize("number", GOOD)
def test_a_campaign_is_the_same_on_the_native_evm(number: int) -> None:
    assert run(number, "compiled") == expected(number, REFERENCE)


@pytest.mark.parametrize(
    "mode", ["checked", "plain", pytest.param("hot", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("number", [0x1, 0x6, 0x100])
def test_a_campaign_is_the_same_however_the_native_evm_runs(
    number: int, mode: str
) -> None:
    assert run(number, mode) == expected(number, REFERENCE)
