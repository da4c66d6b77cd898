from __future__ import annotations

import json
import os
from importlib.resources import files
from itertools import permutations

import pytest
from eth_abi import encode
from py_evm_runner import Runner
from solc import compile_solidity

from echidna_mcp.abi.function import functions_of
from echidna_mcp.demo import load_demo
from echidna_mcp.program.model import Program

DEMO = files("echidna_mcp.demo")
STEPS = {
    "deposit": ("deposit()", [], 10**18),
    "request": ("requestWithdrawal(uint256)", [10**18], 0),
    "cancel": ("cancelWithdrawal(uint256)", [0], 0),
}


def holds_after(program: Program, steps: tuple[str, ...], prop: str) -> bool:
    runner = Runner(program)
    for step in steps:
        signature, values, value = STEPS[step]
        types = signature.partition("(")[2].removesuffix(")")
        runner.call(
            signature, encode([t for t in types.split(",") if t], values), value
        )
    return int.from_bytes(runner.call(prop).output, "big") == 1


@pytest.mark.solc
def test_artifact_is_what_solc_makes_of_the_source():
    source = DEMO.joinpath("Vault.sol").read_text("utf-8")
    fresh = compile_solidity(source, name="Vault.sol")
    if os.environ.get("UPDATE_DEMO") == "1":
        with DEMO.joinpath("program.json").open("w", encoding="utf-8") as file:
            json.dump(fresh.to_json(), file, indent=1, sort_keys=True)
            file.write("\n")
    assert load_demo() == fresh
    assert load_demo().digest == fresh.digest


def test_false_property_needs_exactly_its_three_steps():
    program = load_demo()
    assert not holds_after(
        program, ("deposit", "request", "cancel"), "echidna_solvent()"
    )
    for count in range(3):
        for steps in permutations(STEPS, count):
            assert holds_after(program, steps, "echidna_solvent()"), steps
    for steps in permutations(STEPS):
        if steps != ("deposit", "request", "cancel"):
            assert holds_after(program, steps, "echidna_solvent()"), steps


def test_true_property_holds_where_the_false_one_fails():
    program = load_demo()
    assert holds_after(
        program, ("deposit", "request", "cancel"), "echidna_fee_is_bounded()"
    )


def test_demo_shows_every_kind_of_function():
    main = load_demo().main_contract
    found = {f.signature: f for f in functions_of(main.abi)}
    assert found["deposit()"].payable
    assert found["deposit(address)"].payable
    assert "payMany((address,uint256)[])" in found
    guarded = {f.signature for f in main.functions if "onlyOwner" in f.modifiers}
    assert guarded == {"setFee(uint256)", "transferOwnership(address)"}
    assert {s for s in found if s.startswith("echidna_")} == {
        "echidna_solvent()",
        "echidna_fee_is_bounded()",
    }
