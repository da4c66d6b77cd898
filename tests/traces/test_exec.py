"""`exec`: what any calls do, from the start state of a campaign."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import invoke
from solc import require_solc

pytestmark = pytest.mark.solc

SOURCE = """\
pragma solidity ^0.8.20;
contract Box {
    event Put(string what, uint256 many);
    uint256 sum;
    function put(string calldata what, uint256 many) external payable {
        require(many < 1000, "too many");
        sum += many + msg.value;
        emit Put(what, many);
    }
    function late() external view { assert(block.timestamp < 1600000000); }
    function echidna_small() external view returns (bool) { return sum < 1e6; }
}
"""


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_solc()
    place = tmp_path_factory.mktemp("exec")
    (place / "Box.sol").write_text(SOURCE)
    done = invoke(
        *("run", place / "Box.sol", "--corpus-dir", place / "c", "--test-limit", "200"),
        *("--workers", "1", "--round-budget", "9000", "--executor", "inline"),
        *("--seed", "1", "--test-mode", "property,assertion", "--format", "none"),
    )
    assert done.code in (0, 1), done
    return place / "c"


def document(campaign: Path, *calls: str) -> dict[str, Any]:
    done = invoke("exec", campaign, *calls, "--json")
    assert (done.code, done.err) == (0, ""), done
    (trace,) = json.loads(done.out)["traces"]
    return trace


def test_calls_are_executed_in_order_with_what_stands_behind_them(campaign: Path):
    trace = document(
        campaign,
        'put("a;b", 5) Value: 7; put("c", 1000)',
        "Box.late() from: 0x000000000000000000000000000000000000beef "
        "Time delay: 200000000 seconds Block delay: 3",
    )
    first, second, third = trace["calls"]
    assert first["trace"]["arguments"][0]["value"] == '"a;b"'
    assert first["trace"]["value"] == "7"
    assert second["trace"]["reason"] == 'reverted: Error("too many")'
    assert third["sender"].endswith("beef")
    assert (third["timeDelay"], third["blockDelay"]) == (200000000, 3)
    assert "Panic(0x01)" in third["trace"]["reason"]


def test_holes_are_filled_the_same_way_each_time(campaign: Path):
    first, second = (document(campaign, "put(?, ?)") for _ in range(2))
    assert first == second
    assert first["calls"][0]["trace"]["arguments"][1]["value"].isdecimal()


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        (["put(1)"], "Call 1: "),
        (["late(); pt()"], "Call 2: There is no function `pt`"),
        (["late() Value: x"], "Call 1: `Value:` must be a whole number, not `x`."),
        ([" ; "], "There are 0 calls; give 1 to 100"),
    ],
)
def test_what_can_not_be_read_is_told(campaign: Path, calls: list[str], told: str):
    done = invoke("exec", campaign, *calls)
    assert done.code == 2
    assert told in done.err
    assert "Traceback" not in done.err
