// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// A handler that steers the EVM with cheatcodes of every kind, in whatever order.

interface Vm {
    struct Log { bytes32[] topics; bytes data; address emitter; }

    function accesses(address) external returns (bytes32[] memory, bytes32[] memory);
    function assertEq(uint256, uint256) external pure;
    function assertLe(uint256, uint256, string calldata) external pure;
    function assume(bool) external pure;
    function assumeNoRevert() external pure;
    function blobBaseFee(uint256) external;
    function blobhashes(bytes32[] calldata) external;
    function chainId(uint256) external;
    function clearMockedCalls() external;
    function coinbase(address) external;
    function deal(address, uint256) external;
    function etch(address, bytes calldata) external;
    function expectCall(address, bytes calldata) external;
    function expectCall(address, uint256, uint64, bytes calldata) external;
    function expectCreate(bytes calldata, address) external;
    function expectCreate2(bytes calldata, address) external;
    function expectEmit() external;
    function expectRevert() external;
    function expectRevert(bytes4) external;
    function fee(uint256) external;
    function getBlockTimestamp() external view returns (uint256);
    function getMappingLength(address, bytes32) external view returns (uint256);
    function getMappingSlotAt(address, bytes32, uint256) external view returns (bytes32);
    function getNonce(address) external view returns (uint64);
    function getRecordedLogs() external returns (Log[] memory);
    function load(address, bytes32) external view returns (bytes32);
    function mockCall(address, bytes calldata, bytes calldata) external;
    function prank(address) external;
    function prank(address, address) external;
    function prevrandao(uint256) external;
    function randomUint() external returns (uint256);
    function record() external;
    function recordLogs() external;
    function revertToState(uint256) external returns (bool);
    function roll(uint256) external;
    function setBlockhash(uint256, bytes32) external;
    function setNonce(address, uint64) external;
    function setNonceUnsafe(address, uint64) external;
    function sign(uint256, bytes32) external pure returns (uint8, bytes32, bytes32);
    function snapshotState() external returns (uint256);
    function startMappingRecording() external;
    function startPrank(address) external;
    function stopMappingRecording() external;
    function stopPrank() external;
    function store(address, bytes32, bytes32) external;
    function toString(uint256) external pure returns (string memory);
    function txGasPrice(uint256) external;
    function warp(uint256) external;
}

contract Ledger {
    mapping(address => uint256) public balanceOf;
    uint256 public total;
    address public last;
    address public origin;

    event Paid(address indexed by, uint256 amount);
    error TooMuch(uint256 amount);

    function pay() external payable {
        last = msg.sender;
        origin = tx.origin;
        balanceOf[msg.sender] += msg.value;
        total += msg.value;
        emit Paid(msg.sender, msg.value);
    }

    function take(uint256 amount) external {
        if (amount > balanceOf[msg.sender]) revert TooMuch(amount);
        balanceOf[msg.sender] -= amount;
        total -= amount;
        (bool paid,) = msg.sender.call{value: amount}("");
        require(paid);
    }

    function price() external view returns (uint256) {
        return block.timestamp + block.basefee + total;
    }
}

contract Made {
    uint256 public value = 1;
}

contract Cheats {
    Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    Ledger ledger = new Ledger();
    uint256 public seen;
    uint256 public snapshot;
    bool public odd;

    function actor(uint8 which) internal pure returns (address) {
        return address(uint160(0xac7000 + (which & 3)));
    }

    function pay(uint8 which, uint64 amount) external {
        address who = actor(which);
        vm.deal(who, uint256(amount) + 1);
        vm.prank(who);
        ledger.pay{value: amount}();
        if (ledger.last() != who) odd = true;
    }

    function payAs(uint8 which, uint8 origin) external {
        vm.prank(actor(which), actor(origin));
        ledger.pay();
        if (ledger.origin() != actor(origin)) odd = true;
    }

    function begin(uint8 which) external {
        vm.startPrank(actor(which));
    }

    function end() external {
        vm.stopPrank();
    }

    function take(uint8 which, uint64 amount) external {
        vm.assume(amount % 3 != 0);
        vm.startPrank(actor(which));
        try ledger.take(amount) { seen += amount; } catch { seen ^= 1; }
        vm.stopPrank();
    }

    function takeTooMuch(uint8 which) external {
        uint256 more = ledger.balanceOf(actor(which)) + 1;
        vm.prank(actor(which));
        vm.expectRevert();
        ledger.take(more);
    }

    function expectWrongly(uint8 which) external {
        vm.expectRevert(Ledger.TooMuch.selector);
        ledger.take(which);
    }

    function time(uint32 delta, uint32 blocks) external {
        vm.warp(block.timestamp + delta);
        vm.roll(block.number + blocks);
        vm.assertEq(vm.getBlockTimestamp(), block.timestamp);
    }

    function chain(uint32 fee, uint32 id, uint64 random, uint64 price) external {
        vm.fee(fee);
        vm.chainId(uint256(id) + 1);
        vm.coinbase(address(uint160(random)));
        vm.prevrandao(random);
        vm.txGasPrice(price);
        seen = uint256(keccak256(abi.encode(block.basefee, block.chainid, block.prevrandao, block.coinbase, tx.gasprice)));
    }

    function mock(uint64 answer) external {
        vm.mockCall(address(ledger), abi.encodeCall(Ledger.price, ()), abi.encode(answer));
    }

    function unmock() external {
        vm.clearMockedCalls();
    }

    function emitted(uint64 amount, bool right) external {
        vm.deal(address(this), amount);
        vm.expectEmit();
        emit Ledger.Paid(address(this), right ? amount : amount / 2);
        ledger.pay{value: amount}();
    }

    function called(bool really) external {
        vm.expectCall(address(ledger), abi.encodeCall(Ledger.pay, ()));
        if (really) ledger.pay();
    }

    function logs() external {
        vm.recordLogs();
        ledger.pay();
        Vm.Log[] memory found = vm.getRecordedLogs();
        vm.assertEq(found.length, 1);
        seen = uint256(found[0].topics[1]);
    }

    function touched() external {
        vm.record();
        ledger.price();
        (bytes32[] memory reads, bytes32[] memory writes) = vm.accesses(address(ledger));
        seen = reads.length << 8 | writes.length;
    }

    function raw(uint64 value, uint64 nonce) external {
        vm.store(address(ledger), bytes32(uint256(7)), bytes32(uint256(value)));
        vm.setNonce(address(0xbeef), vm.getNonce(address(0xbeef)) + nonce % 4);
        seen = uint256(vm.load(address(ledger), bytes32(uint256(7))));
        vm.etch(address(0xbeef), abi.encodePacked(value));
    }

    function inner(uint64 value) external {
        vm.warp(value);
        vm.store(address(ledger), bytes32(uint256(8)), bytes32(uint256(value)));
        vm.prank(actor(1));
        revert();
    }

    function undone(uint64 value) external {
        try this.inner(value) {} catch { seen = block.timestamp; }
    }

    function frames(uint8 which, uint64 value, uint64 nonce) external {
        vm.deal(address(this), 100);
        payable(actor(which)).transfer(3);
        vm.deal(actor(which), value);
        new Made();
        vm.setNonceUnsafe(address(this), nonce);
        Made made = new Made();
        vm.setNonceUnsafe(address(made), nonce);
        if (value % 2 == 0) try this.frames(which + 1, value / 2, nonce) {} catch {}
        revert();
    }

    function lasting(uint8 which, uint32 value, uint64 nonce) external {
        try this.frames(which, value, nonce % 7) {} catch {}
        seen = uint256(keccak256(abi.encode(actor(which).balance, actor(which + 1).balance)));
        seen ^= address(this).balance ^ vm.getNonce(address(this));
    }

    function assumed(uint8 which, uint64 amount, bool caught) external {
        vm.assumeNoRevert();
        vm.prank(actor(which));
        if (!caught) ledger.take(amount);
        else try ledger.take(amount) {} catch { seen++; }
    }

    function assumedOfOther(uint8 which) external {
        vm.assumeNoRevert();
        (bool done,) = address(uint160(which & 15)).call{gas: 3000, value: which & 16}(hex"01");
        if (!done) seen ^= 2;
        ledger.take(which & 32);
    }

    function created(bool salted, bool really) external {
        bytes memory code = type(Made).runtimeCode;
        if (salted) vm.expectCreate2(code, address(this));
        else vm.expectCreate(code, address(this));
        if (really != salted) new Made();
        else new Made{salt: bytes32(seen++)}();
    }

    function calledWithGas(uint64 amount, uint32 gas) external {
        vm.deal(address(this), amount);
        vm.expectCall(address(ledger), amount, gas, abi.encodeCall(Ledger.pay, ()));
        ledger.pay{value: amount, gas: gas & ~uint32(1)}();
    }

    function mapped(uint8 which) external {
        vm.startMappingRecording();
        vm.prank(actor(which));
        ledger.pay();
        if (which & 128 != 0) vm.stopMappingRecording();
    }

    function mappings() external {
        uint256 count = vm.getMappingLength(address(ledger), 0);
        seen = uint256(vm.getMappingSlotAt(address(ledger), 0, count / 2)) ^ count;
    }

    function hashes(uint64 back, uint32 excess, bytes32[] calldata blobs) external {
        vm.setBlockhash(block.number - back % 300, blobs.length == 0 ? bytes32(uint256(1)) : blobs[0]);
        vm.blobBaseFee(excess);
        vm.blobhashes(blobs);
    }

    function hash(uint8 back, uint8 index) external {
        seen = uint256(blockhash(block.number - back)) ^ uint256(blobhash(index)) ^ block.blobbasefee;
    }

    function keep() external {
        snapshot = vm.snapshotState();
    }

    function back() external {
        uint256 number = snapshot;
        if (vm.revertToState(number)) seen = number;
    }

    function draw(uint256 key) external {
        seen = vm.randomUint();
        (, bytes32 r,) = vm.sign(key % 1000 + 1, bytes32(seen));
        seen = uint256(r) ^ bytes(vm.toString(key)).length;
    }

    function prices() external {
        seen = ledger.price();
        vm.assertLe(seen, type(uint128).max, "the price is absurd");
    }

    receive() external payable {}

    function echidna_names_are_right() external view returns (bool) {
        return !odd;
    }

    function echidna_property_that_cheats() external returns (bool) {
        vm.warp(block.timestamp + 1);
        vm.prank(actor(2));
        ledger.pay();
        return ledger.last() != address(0);
    }

    function echidna_price_is_low() external view returns (bool) {
        return ledger.price() != 77;
    }
}
