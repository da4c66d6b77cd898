// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {CryticAsserts} from "@chimera/CryticAsserts.sol";
import {FoundryAsserts} from "@chimera/FoundryAsserts.sol";
import {vm} from "@chimera/Hevm.sol";
import {MockERC20} from "@recon/MockERC20.sol";
import {UD60x18, ud} from "@prb/math/src/UD60x18.sol";
import {Suite} from "@recon/Suite.sol";

contract Stream {
    MockERC20 public immutable asset;
    address public immutable to;
    uint256 public rate;
    uint256 public updated = block.timestamp;
    uint256 public debt;

    constructor(MockERC20 asset_, address to_, uint256 rate_) {
        (asset, to, rate) = (asset_, to_, rate_);
    }

    function due() public view returns (uint256) {
        UD60x18 since = ud((block.timestamp - updated) * 1e18);
        return debt + ud(rate).mul(since).unwrap();
    }

    function adjust(uint256 rate_) external {
        // The bug: what was due until now is forgotten if the rate goes down.
        if (rate_ > rate) debt = due();
        (rate, updated) = (rate_, block.timestamp);
    }

    function withdraw() external {
        uint256 amount = due();
        uint256 has = asset.balanceOf(address(this));
        if (amount > has) amount = has;
        debt = due() - amount;
        updated = block.timestamp;
        asset.transfer(to, amount);
    }
}

/// @notice A stream of tokens with a rate that may change, in PRB's fixed point.
abstract contract StreamSuite is Suite {
    address private constant TO = address(0xA11CE);

    Stream internal stream;
    uint256 internal _before;
    uint256 internal paid;

    function setup() internal override {
        _addActor(TO);
        stream = new Stream(_newAsset(18), TO, 0.01e18);
    }

    function stream_fund(uint256 amount) public {
        _getAsset().mint(address(stream), between(amount, 1, 1e24));
    }

    function stream_adjust(uint256 rate) public asActor {
        _before = stream.due();
        stream.adjust(between(rate, 0, 1e18));
        gte(stream.due(), _before, "the receiver lost what was due");
    }

    function stream_withdraw() public {
        uint256 had = _getAsset().balanceOf(TO);
        stream.withdraw();
        uint256 got = _getAsset().balanceOf(TO) - had;
        paid += got;
        if (got > 0) gt(paid, 0, "paid");
    }

    function time_passes(uint256 by) public {
        vm.warp(block.timestamp + between(by, 1, 30 days));
    }

    function property_what_was_paid_has_arrived() public {
        eq(_getAsset().balanceOf(TO), paid, "paid, but not here");
    }

    function canary_paid() public {
        t(paid < 1 ether, "canary: paid");
    }
}

contract StreamTester is StreamSuite, CryticAsserts {
    constructor() payable {
        setup();
    }
}

contract StreamToFoundry is StreamSuite, FoundryAsserts {
    function setUp() public {
        setup();
        targetContract(address(this));
    }

    function invariant_nothing_falls() public {}

    function test_paid_by_the_second() public {
        stream_fund(1e24);
        vm.warp(block.timestamp + 100);
        stream_withdraw();
        eq(paid, 1 ether, "a hundredth each second");
        property_what_was_paid_has_arrived();
    }

    function test_a_lower_rate_forgets() public {
        vm.warp(block.timestamp + 100);
        stream_adjust(0);
    }
}
