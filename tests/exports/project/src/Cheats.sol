// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

interface Hevm {
    function warp(uint256) external;
    function roll(uint256) external;
    function deal(address, uint256) external;
    function store(address, bytes32, bytes32) external;
    function load(address, bytes32) external view returns (bytes32);
    function prank(address) external;
    function startPrank(address) external;
    function stopPrank() external;
    function assume(bool) external pure;
    function etch(address, bytes calldata) external;
}

contract Guarded {
    address public by;
    address public origin;
    uint256 public calls;

    function touch() external payable {
        by = msg.sender;
        origin = tx.origin;
        calls++;
    }
}

/// Cheatcodes of the target itself.
contract Cheats {
    bool internal constant BUGGY = true;
    Hevm internal constant hevm = Hevm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    Guarded internal guarded = new Guarded();
    uint256 internal secret;
    uint256 internal warped;
    address internal child;

    constructor() {
        hevm.prank(address(0xfee));
        guarded.touch();
        hevm.startPrank(address(0xfef));
        guarded.touch();
        hevm.stopPrank();
        hevm.prank(address(0xfed));
    }

    function single(address who) external {
        hevm.prank(who);
        guarded.touch();
        if (BUGGY) assert(guarded.by() != address(0x20000));
    }

    function lasting(uint8 times) external {
        hevm.startPrank(address(0x77));
        for (uint256 i = 0; i < times % 5; i++) guarded.touch();
        hevm.stopPrank();
        if (BUGGY) assert(guarded.by() != address(0x77) || guarded.calls() < 5);
    }

    function both(uint8 x) external {
        hevm.startPrank(address(0x78));
        guarded.touch();
        hevm.stopPrank();
        hevm.prank(address(0x79));
        guarded.touch();
        if (BUGGY) assert(x < 5 || guarded.by() != address(0x79));
    }

    function leaves(uint8 x) external {
        hevm.prank(address(0x80));
        warped = x;
    }

    function after_leaving(uint8 x) external {
        require(warped == 3);
        hevm.prank(address(0x81));
        guarded.touch();
        if (BUGGY) assert(guarded.by() != address(0x81) || x < 4);
    }

    function asOther() external payable {
        hevm.deal(address(0x90), 5 ether);
        hevm.prank(address(0x90));
        guarded.touch{value: 1 ether}();
        if (BUGGY) assert(address(guarded).balance < 3 ether || address(0x90).balance != 4 ether);
    }

    function warpTo(uint32 time) external {
        hevm.warp(uint256(time) + 5);
        hevm.roll(uint256(time) + 7);
    }

    function time() external {
        if (BUGGY) assert(block.timestamp > 1000000000);
    }

    function warpAndRevert() external {
        hevm.warp(99);
        require(!BUGGY, "but the time stays");
        hevm.warp(1524785992);
    }

    function poison(bytes32 value) external {
        hevm.store(address(this), bytes32(uint256(1)), value);
        if (BUGGY) assert(secret < 100 || hevm.load(address(this), bytes32(uint256(1))) == 0);
    }

    function assumed(uint256 x) external {
        hevm.assume(x % 16 == 3);
        if (BUGGY) assert(x < 100);
    }
}

/// What tells transactions apart from calls of one transaction.
contract Transactions {
    bool internal constant BUGGY = true;

    uint256 transient internal counter;
    uint256 internal most;
    uint256 internal cold;
    uint256 internal word = 1;
    address internal made;
    uint256 internal steps;

    function count() external {
        counter++;
        if (counter > most) most = counter;
        steps++;
    }

    function measure() external {
        uint256 before = gasleft();
        uint256 value = word;
        cold = before - gasleft() + value - 1;
    }

    function create() external {
        Gone gone = new Gone();
        made = address(gone);
        gone.end();
    }

    function echidna_forgotten() external view returns (bool) {
        return !BUGGY || steps < 3 || most > 1;
    }

    function echidna_cold() external view returns (bool) {
        return !BUGGY || cold < 2000;
    }

    function echidna_gone() external view returns (bool) {
        return !BUGGY || made == address(0) || made.code.length != 0;
    }

    function echidna_chain() external view returns (bool) {
        return !BUGGY || block.chainid != 1 || block.prevrandao != 42069 || blockhash(block.number - 1) == 0;
    }

    function echidna_gas() external view returns (bool) {
        if (BUGGY && steps > 1) while (true) {}
        return true;
    }

    function echidna_gas_price() external view returns (bool) {
        return !BUGGY || tx.gasprice != 0 || block.basefee != 0;
    }
}

contract Gone {
    function end() external {
        selfdestruct(payable(msg.sender));
    }
}
