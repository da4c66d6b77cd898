// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

// What the worlds of tests/support/many_targets.py are made of.

library Sums { function add(uint a, uint b) external pure returns (uint) { unchecked { return a + b; } } }
contract Grandchild {
    uint public fed; address immutable parent;
    constructor() { parent = msg.sender; }
    function feed(uint amount) external payable { fed += amount % 1000; }
}
contract Child {
    uint public immutable born; address public parent; uint public fed; Grandchild public kid;
    constructor(uint n) payable { born = n; parent = msg.sender; }
    function feed(uint amount) external payable { fed += amount % 1000 + born % 7; }
    function split() external returns (Grandchild) { kid = new Grandchild(); return kid; }
    function boom(uint16 code) external view { assert(code != 4242 || fed < 50); }
    function quit(address payable to) external { if (fed > 900) selfdestruct(to); }
}
contract Salted {
    Child[] public kids; mapping(bytes32 => bool) used;
    function make(uint8 salt) external {
        bytes32 s = keccak256(abi.encode(salt));
        if (used[s]) revert("used");
        used[s] = true; kids.push(new Child{salt: s}(salt));
    }
    function tryAndFail(uint8 salt) external {
        try this.makeAndRevert(salt) {} catch {} kids.push(new Child(salt));
    }
    function makeAndRevert(uint8 salt) external { new Child(salt); revert("no"); }
}
contract Ledger {
    mapping(address => uint) public held; uint public total; address public last;
    function put(uint128 amount) external payable {
        held[msg.sender] = Sums.add(held[msg.sender], amount); total += amount; last = msg.sender;
    }
    function take(uint128 amount) external { held[msg.sender] -= amount; total -= amount; }
    receive() external payable { total += msg.value; }
}
contract Clones {
    address[] public made; Ledger immutable logic;
    constructor(Ledger l) { logic = l; }
    function clone() external returns (address at) {
        bytes memory code = abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", address(logic),
            hex"5af43d82803e903d91602b57fd5bf3");
        assembly { at := create(0, add(code, 32), mload(code)) }
        made.push(at);
    }
}
contract Proxy {
    constructor(address to) {
        assembly { sstore(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc, to) }
    }
    fallback() external payable {
        assembly {
            let to := sload(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc)
            calldatacopy(0, 0, calldatasize())
            let good := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch good case 0 { revert(0, returndatasize()) } default { return(0, returndatasize()) }
        }
    }
    receive() external payable {}
}
