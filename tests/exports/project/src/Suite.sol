// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

interface Cheats7 {
    function prank(address) external;
    function startPrank(address) external;
    function stopPrank() external;
    function warp(uint256) external;
    function assume(bool) external pure;
    function assertTrue(bool) external pure;
    function store(address, bytes32, bytes32) external;
    function skip(bool) external;
}

Cheats7 constant vm = Cheats7(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
bool constant BUGGY = true;

contract Vault {
    mapping(address => uint256) public shares;
    uint256 public total;
    address public owner = msg.sender;
    address public origin = tx.origin;

    function put() external payable {
        shares[msg.sender] += msg.value;
        total += msg.value;
    }

    function take(uint256 amount) external {
        require(shares[msg.sender] >= amount, "too much");
        shares[msg.sender] -= amount;
        if (!BUGGY) total -= amount;
        payable(msg.sender).transfer(amount);
    }

    function seize() external {
        require(BUGGY || msg.sender == owner);
        owner = msg.sender;
    }
}

contract Handler {
    Vault internal immutable vault;
    uint256 public puts;
    uint256 public warps;
    address[3] internal actors = [address(0xa1), address(0xa2), address(0xa3)];

    constructor(Vault vault_) payable {
        vault = vault_;
    }

    modifier acts(uint256 seed) {
        vm.startPrank(actors[seed % 3]);
        _;
        vm.stopPrank();
    }

    function put(uint256 seed, uint96 amount) external {
        uint256 had = address(this).balance;
        amount = uint96(amount % 1 ether);
        vm.prank(actors[seed % 3]);
        vault.put{value: 0}();
        require(had >= amount);
        vault.put{value: amount}();
        puts++;
    }

    function take(uint256 amount) external {
        vault.take(amount % (vault.shares(address(this)) + 1));
    }

    function seize(uint256 seed) external acts(seed) {
        vm.assume(seed % 2 == 1);
        vault.seize();
    }

    function both(uint256 seed) external acts(seed) {
        vault.put();
        vm.stopPrank();
        vm.prank(actors[1]);
        vault.put();
        vm.startPrank(actors[2]);
        warps++;
    }

    function later(uint32 by) external {
        vm.warp(block.timestamp + by);
        if (BUGGY) vm.assertTrue(by < 1000000);
    }

    receive() external payable {}
}

contract VaultInvariants {
    Vault internal vault;
    Handler internal handler;

    function setUp() external {
        vm.prank(address(0xb0));
        vault = new Vault();
        vm.startPrank(address(0xb1));
        vault.put();
        vm.stopPrank();
        handler = new Handler{value: 10 ether}(vault);
    }

    function targetContracts() external view returns (address[] memory found) {
        found = new address[](1);
        found[0] = address(handler);
    }

    function invariant_Solvent() external view {
        require(address(vault).balance >= vault.total(), "insolvent");
    }

    function invariant_Owner() external view {
        require(vault.owner() == address(0xb0), "seized");
    }

    function invariant_Both() external {
        vm.assertTrue(!BUGGY || handler.warps() < 2);
    }

    function invariant_Flag() external {
        if (BUGGY && handler.puts() > 1) vm.store(address(vm), "failed", bytes32(uint256(1)));
    }

    function invariant_Origin() external view {
        require(!BUGGY || vault.origin() != tx.origin, "same");
    }
}

contract EndInvariants {
    uint256 public number;

    function add(uint8 x) external {
        number += x;
    }

    function afterInvariant() external view {
        require(!BUGGY || number < 100, "large");
    }

    function invariant_True() external pure {}
}

contract FuzzTests {
    uint256 internal start;
    Vault internal vault;

    function setUp() external {
        start = 5;
        vault = new Vault();
    }

    function testFuzz_Panics(uint256 x) external {
        if (BUGGY) assert(x < 1000);
    }

    function testFuzz_Reverts(int32 x, string calldata) external {
        require(!BUGGY || x > -100, "low");
    }

    function testFuzz_Assumes(uint256 x) external {
        vm.assume(x % 4 == 1);
        vm.assertTrue(!BUGGY || x < 50);
    }

    function testFuzz_Pranks(address who) external {
        vm.assume(who != address(0));
        vm.prank(who);
        if (BUGGY) vault.seize();
        require(vault.owner() != who);
    }

    function testFuzz_BothPranks(address who) external {
        vm.assume(who != address(0));
        vm.startPrank(who);
        vault.put();
        vm.stopPrank();
        vm.prank(address(0x4444));
        if (BUGGY) vault.seize();
        require(vault.owner() != address(0x4444));
    }

    function testFuzz_Bytes(bytes calldata data, uint64[] calldata numbers) external {
        require(!BUGGY || data.length < 4 || numbers.length < 2);
    }

    function test_Unit() external {
        require(!BUGGY || start != 5, "unit");
    }

    function test_Created() external {
        Vault made = new Vault();
        require(!BUGGY || address(made) == address(0), "made");
        require(msg.sender == 0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38 && tx.origin == msg.sender, "sender");
    }

    function test_Balance() external {
        require(!BUGGY || address(this).balance != 2 ** 96 - 1, "rich");
    }

    function test_Time() external {
        require(!BUGGY || block.timestamp != 1 || block.number != 1 || block.chainid != 31337);
    }
}
