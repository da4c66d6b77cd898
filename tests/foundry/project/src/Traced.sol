// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

/// What traces have to tell of: logs, errors, storage, creations, calls of every kind.
contract Ledger {
    struct Entry {
        uint128 amount;
        uint64 time;
        bool open;
    }

    error TooMuch(address who, uint256 wanted, uint256 had);
    event Moved(address indexed from, address indexed to, uint256 amount, string note);

    address public owner;
    uint96 public count;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(bytes4 => Entry)) internal entries;
    uint256[] internal amounts;
    string public name;
    int16[3] internal small;

    constructor(string memory named) payable {
        owner = msg.sender;
        name = named;
    }

    function deposit(Entry calldata entry) external payable returns (uint256 has, bool first) {
        first = balanceOf[msg.sender] == 0;
        has = balanceOf[msg.sender] += msg.value;
        entries[msg.sender][this.deposit.selector] = entry;
        amounts.push(msg.value);
        small[1] = -3;
        count++;
    }

    function withdraw(uint256 amount) external {
        uint256 had = balanceOf[msg.sender];
        if (amount > had) {
            revert TooMuch(msg.sender, amount, had);
        }
        balanceOf[msg.sender] = had - amount;
        emit Moved(address(this), msg.sender, amount, "withdrawn");
        (bool paid,) = msg.sender.call{value: amount}("");
        require(paid, "not paid");
    }

    function total() external view returns (uint256 sum) {
        for (uint256 i; i < amounts.length; i++) {
            sum += amounts[i];
        }
    }
}

contract Bank {
    Ledger public ledger;
    uint256 public opened;

    function open(string calldata name) external returns (Ledger) {
        ledger = new Ledger(name);
        opened += 1;
        return ledger;
    }

    function lend() external returns (uint256) {
        (bool done, bytes memory data) =
            address(this).delegatecall(abi.encodeCall(this.borrowed, (7)));
        require(done);
        return abi.decode(data, (uint256));
    }

    function borrowed(uint256 amount) external returns (uint256) {
        opened += amount;
        return opened;
    }
}
