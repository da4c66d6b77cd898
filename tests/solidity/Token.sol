// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice An ERC-20 whose property adds up the balances of everybody who may own some.
contract Token {
    string public constant name = "Token";
    string public constant symbol = "TKN";
    uint8 public constant decimals = 18;

    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    address[4] private holders =
        [address(0x10000), address(0x20000), address(0x30000), address(0x40000)];

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    error InsufficientBalance(address owner, uint256 balance, uint256 needed);
    error InsufficientAllowance(address spender, uint256 allowed, uint256 needed);

    constructor() {
        for (uint256 i = 0; i < 3; i++) mint(holders[i], 1_000_000);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, holder(to), value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][holder(spender)] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value)
        external
        returns (bool)
    {
        address owner = holder(from);
        uint256 allowed = allowance[owner][msg.sender];
        if (allowed < value) {
            revert InsufficientAllowance(msg.sender, allowed, value);
        }
        if (allowed != type(uint256).max) {
            allowance[owner][msg.sender] = allowed - value;
        }
        move(owner, holder(to), value);
        return true;
    }

    function burn(uint256 value) external {
        uint256 balance = balanceOf[msg.sender];
        if (balance < value) revert InsufficientBalance(msg.sender, balance, value);
        balanceOf[msg.sender] = balance - value;
        totalSupply -= value;
        emit Transfer(msg.sender, address(0), value);
    }

    function echidna_balances_add_up() external view returns (bool) {
        uint256 sum;
        for (uint256 i = 0; i < holders.length; i++) sum += balanceOf[holders[i]];
        return sum == totalSupply;
    }

    /// @dev Any address stands for one of four, so that the sum can be known.
    function holder(address given) private view returns (address) {
        return holders[uint160(given) % holders.length];
    }

    function mint(address to, uint256 value) private {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function move(address from, address to, uint256 value) private {
        uint256 balance = balanceOf[from];
        if (balance < value) revert InsufficientBalance(from, balance, value);
        balanceOf[from] = balance - value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
