"""All precompiles against those of EthereumJS, which stand on noble-curves.

POINT_EVALUATION is not among them: it needs a library that EthereumJS does not bring.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from node_packages import require_node, require_package
from precompile_calls import (
    BLS_PAIRING,
    G1_MSM,
    G2_ADD,
    G2_MSM,
    KZG,
    MAP_G1,
    MAP_G2,
    MODEXP,
    PAIRING,
    PLENTY,
    native,
)
from precompile_cases import MAKERS, cases

from echidna_mcp.evm.fork import ForkName
from echidna_mcp_plugins.native.state.machine import FAULT_NONE

HERE = Path(__file__).parent
SCALE = int(os.environ.get("ECHIDNA_MCP_PRECOMPILE_CASES", "1"))
"""How many times as many cases."""
SLOW = {
    **dict.fromkeys((PAIRING, BLS_PAIRING, G2_ADD, G2_MSM, MAP_G2), 60),
    **dict.fromkeys((G1_MSM, MAP_G1), 150),
}
MANY = 400
EACH = [("osaka", number) for number in MAKERS if number != KZG]


@pytest.fixture(scope="module")
def node() -> Path:
    require_package(HERE, "@ethereumjs/evm", "precompiles")
    return require_node("precompiles")


@pytest.mark.parametrize(
    ("fork", "number"), [*EACH, ("cancun", MODEXP), ("prague", MODEXP)]
)
def test_equal_ethereumjs(node: Path, fork: ForkName, number: int) -> None:
    inputs = list(cases(number, SCALE * SLOW.get(number, MANY), seed=3))
    questions = [
        {
            "fork": fork.capitalize(),
            "address": f"{number:040x}",
            "gas": PLENTY,
            "data": f"0x{data.hex()}",
        }
        for data in inputs
    ]
    done = subprocess.run(
        [str(node), str(HERE / "ethereumjs.mjs")],
        input="".join(f"{json.dumps(each)}\n" for each in questions),
        capture_output=True,
        text=True,
        timeout=1_000,
        check=False,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(inputs), done.stderr
    for data, answer in zip(inputs, answers, strict=True):
        fault, left, output = native(number, data, PLENTY, fork)
        assert (fault != FAULT_NONE) == answer["failed"], data.hex()
        assert f"0x{output.hex()}" == answer["output"], data.hex()
        if fault == FAULT_NONE:
            assert PLENTY - left == answer["gas"], data.hex()
