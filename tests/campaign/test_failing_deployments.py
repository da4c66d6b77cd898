"""What is told of a deployment that fails: the frames down to where it began."""

from __future__ import annotations

import pytest
from campaigns import small_config
from native_backends import named
from solc import compile_solidity

from echidna_mcp.errors import DeploymentError
from echidna_mcp.evm.outside import Outside
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.deployment import deployed_world

pytestmark = pytest.mark.solc

SOURCE = """
contract Inner {
    error Never(uint a);
    constructor(uint y) { require(y != 5, "five"); }
    function go(uint x) external pure { if (x > 3) revert Never(x); }
    fallback() external { assert(msg.data.length == 0); }
}
contract Middle {
    Inner inner = new Inner(1);
    function caught() external {
        try new Inner(5) {} catch {}
        inner.go(7);
    }
    function own() external {
        try inner.go(7) {} catch {}
        revert("mine");
    }
    function raw() external {
        (bool good, ) = address(inner).call(hex"12");
        if (!good) assembly { returndatacopy(0, 0, returndatasize())
            revert(0, returndatasize()) }
    }
    function made() external { new Inner(5); }
    function nowhere(address to) external { Middle(to).own(); }
}
contract Top {
    bool public IS_TEST = true;
    Middle middle = new Middle();
    constructor() { if (!TESTED) { CALL } }
    function setUp() external { CALL }
    bool constant TESTED = IN_SET_UP;
    function echidna_true() external pure returns (bool) { return true; }
    function f() external {}
}
"""
PATHS = {
    "middle.caught();": "Middle.caught() > Inner.go(uint256): it reverted (Never(7))",
    "middle.own();": 'Middle.own(): it reverted (Error("mine"))',
    "middle.raw();": "Middle.raw() > Inner.fallback(): it reverted (Panic(0x01)",
    "middle.made();": "Middle.made() > Inner.constructor(): it reverted (Error(",
}


@pytest.mark.parametrize("backend", ["compiled", "py-evm"])
@pytest.mark.parametrize("call", PATHS)
@pytest.mark.parametrize("place", ["constructor()", "setUp()"])
def test_the_path_of_frames_is_told(place, call, backend):
    in_set_up = "true" if place == "setUp()" else "false"
    source = SOURCE.replace("CALL", call).replace("IN_SET_UP", in_set_up)
    target = build_target(compile_solidity(source, "Top"), small_config())
    with pytest.raises(DeploymentError) as caught:
        deployed_world(named(backend), target, Outside())
    assert f"failed: Top.{place} > {PATHS[call]}" in caught.value.message


def test_a_failure_of_its_own_needs_no_path():
    source = SOURCE.replace("CALL", 'revert("top");').replace("IN_SET_UP", "false")
    target = build_target(compile_solidity(source, "Top"), small_config())
    with pytest.raises(DeploymentError, match=r"Top failed: it reverted \(Error"):
        deployed_world(named("compiled"), target, Outside())


def test_a_constructor_that_takes_no_wei_says_so():
    source = SOURCE.replace("CALL", "").replace("IN_SET_UP", "false")
    program = compile_solidity(source, "Top")
    target = build_target(program, small_config(balance_contract=5))
    with pytest.raises(DeploymentError, match="Top takes no wei, but balanceContract"):
        deployed_world(named("compiled"), target, Outside())
