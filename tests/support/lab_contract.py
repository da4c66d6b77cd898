"""The contract that the acceptance tests fuzz: small, with something for each of them.

Its `unlock` opens for one argument only, which no fuzzer finds: only its hash is known.
"""

from __future__ import annotations

from pathlib import Path

from eth_abi import encode
from eth_hash.auto import keccak

KEY = 4815162342
UNLOCK = "unlock(uint256)"
FUNCTIONS = ("deposit()", "withdraw(uint256)", "add(uint256,uint256)", "note(string)")
"""What can be called beside `unlock`; getters come on top."""

_HASH = "0x" + keccak(encode(["uint256"], [KEY])).hex()

SOURCE = f"""\
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

contract Lab {{
    mapping(address => uint256) public balances;
    uint256 public total;
    uint256 public sum;
    uint256 public unlocked;
    bool noted;
    address owner = msg.sender;

    modifier onlyOwner() {{
        require(msg.sender == owner, "not the owner");
        _;
    }}

    function deposit() external payable {{
        balances[msg.sender] += msg.value;
        total += msg.value;
    }}

    function withdraw(uint256 amount) external {{
        require(amount <= balances[msg.sender], "too much");
        balances[msg.sender] -= amount;
        total -= amount;
        payable(msg.sender).transfer(amount);
    }}

    function add(uint256 a, uint256 b) external {{
        unchecked {{
            sum = a + b;
        }}
    }}

    function note(string calldata text) external {{
        noted = bytes(text).length > 3;
    }}

    function retire(address heir) external onlyOwner {{
        owner = heir;
    }}

    function unlock(uint256 key) external {{
        if (keccak256(abi.encode(key)) == {_HASH}) {{
            unlocked += 1;
            if (total > 1000) {{
                unlocked += 1000;
            }}
        }}
    }}

    /// True.
    function echidna_pays_everyone() external view returns (bool) {{
        return address(this).balance >= total;
    }}

    /// False: two calls show it.
    function echidna_says_nothing() external view returns (bool) {{
        return !(noted && sum > 1000);
    }}
}}
"""


def write_lab(directory: Path) -> Path:
    """Write the source and return its path."""
    path = directory / "Lab.sol"
    path.write_text(SOURCE, "utf-8")
    return path
