"""What calls return and log becomes a candidate for arguments."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from campaigns import small_config, started
from native_backends import REFERENCE, named
from solc import compile_solidity

from echidna_mcp.program.model import Program

SOURCE = """
contract Tickets {
    event Issued(bytes32 indexed receipt, string kind, uint256 number);
    bool private returned;
    bool private logged;
    bool private indexed_;

    // No constant of the code: only a call can tell.
    function ticket(uint256 salt) private view returns (uint256) {
        return uint256(keccak256(abi.encode(address(this), block.chainid, salt)));
    }

    function ask() external view returns (uint256, uint256) { return (1, ticket(1)); }
    function issue() external {
        emit Issued(bytes32(ticket(2)), "a ticket", ticket(3));
    }
    function fail() external view { require(ticket(4) == 0, "no"); }

    function redeem(uint256 number) external {
        if (number == ticket(1)) returned = true;
        if (number == ticket(2)) indexed_ = true;
        if (number == ticket(3)) logged = true;
    }

    function echidna_returned() external view returns (bool) { return !returned; }
    function echidna_logged() external view returns (bool) { return !logged; }
    function echidna_indexed() external view returns (bool) { return !indexed_; }
}
"""


@cache
def program() -> Program:
    return compile_solidity(SOURCE, "Tickets")


def words_of(events: list[Any]) -> set[str]:
    extended = [e.payload for e in events if e.type == "DictionaryExtended"]
    return {word for payload in extended for word in payload["words"]}


@pytest.mark.parametrize("backend", [REFERENCE, "compiled"])
def test_returned_and_logged_words_are_used_as_arguments(tmp_path, backend) -> None:
    # Answers to comparisons would find them as well.
    config = small_config(climbing=False, round_budget=60_000)
    with started(tmp_path, program(), config, backend=named(backend)) as running:
        for _ in range(60):
            running.rounds(1)
            falsified = {record.name for record in running.views.properties.falsified}
            if len(falsified) == 3:
                break
        learned = words_of(running.events)
    assert falsified == {"echidna_returned", "echidna_logged", "echidna_indexed"}
    # Three tickets; neither code that was deployed nor the reason of a failure.
    assert len([word for word in learned if len(word) > 60]) == 3
