"""All precompiles on random and odd input: the native EVM against the reference.

`nox -s precompiles` holds them against those of EthereumJS, too.
"""

from __future__ import annotations

import os

import pytest
from precompile_calls import (
    BLS_PAIRING,
    ECADD,
    ECMUL,
    ECRECOVER,
    G1_ADD,
    G1_MSM,
    G2_ADD,
    G2_MSM,
    KZG,
    MAP_G1,
    MAP_G2,
    MODEXP,
    P256VERIFY,
    PAIRING,
    assert_equal,
    native,
)
from precompile_cases import MAKERS, cases

from echidna_mcp.evm.backend import BackendConfig, Message
from echidna_mcp.kernel.library.mode import Mode
from echidna_mcp_plugins.native.backend import NativeBackend
from echidna_mcp_plugins.native.state.machine import FAULT_HALT, FAULT_NONE

pytestmark = pytest.mark.digests

SCALE = int(os.environ.get("ECHIDNA_MCP_PRECOMPILE_CASES", "1"))
"""How many times as many cases."""
SLOW = {
    **dict.fromkeys((PAIRING, BLS_PAIRING), 6),
    **dict.fromkeys((G2_ADD, G2_MSM, KZG, MAP_G2), 12),
    **dict.fromkeys((ECADD, ECMUL, G1_ADD, G1_MSM, MAP_G1, P256VERIFY), 40),
}
"""How many cases of those that take the reference long."""
NEVER_REFUSED = {ECRECOVER, 0x2, 0x3, 0x4, MODEXP, P256VERIFY}


@pytest.mark.parametrize("number", MAKERS)
def test_equal_the_reference(number: int) -> None:
    faults, outputs = set(), set()
    for data in cases(number, SCALE * SLOW.get(number, 150)):
        fault, _, output = assert_equal(number, data, "osaka")
        faults.add(fault)
        outputs.add(output)
    # The cases are such that there is something to compare.
    assert len(outputs) > 1
    assert FAULT_NONE in faults
    assert number in NEVER_REFUSED or FAULT_HALT in faults


@pytest.mark.parametrize("fork", ["cancun", "prague"])
def test_modexp_before_osaka_equals_the_reference(fork: str) -> None:
    for data in cases(MODEXP, SCALE * 150, seed=2):
        assert_equal(MODEXP, data, fork)


@pytest.mark.parametrize("mode", ["compiled", "checked"])
@pytest.mark.parametrize("number", [ECADD, ECMUL, PAIRING])
def test_compiled_curves_equal_plain_ones(number: int, mode: Mode) -> None:
    backend = NativeBackend(BackendConfig(), mode=mode)
    for data in cases(number, 20 if number == PAIRING else 60, seed=4):
        fault, _, output = native(number, data, 10**7)
        message = Message(sender=1, to=number, data=data, gas=2 * 10**7)
        result = backend.call(message)
        assert result.status.succeeded == (fault == FAULT_NONE)
        assert result.output == output
