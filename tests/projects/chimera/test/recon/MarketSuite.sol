// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {CryticAsserts} from "@chimera/CryticAsserts.sol";
import {FoundryAsserts} from "@chimera/FoundryAsserts.sol";
import {vm} from "@chimera/Hevm.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {IERC721Receiver} from
    "@openzeppelin/contracts/token/ERC721/IERC721Receiver.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {Suite} from "@recon/Suite.sol";

contract Tickets is ERC721("Tickets", "T") {
    mapping(address => uint256) public bought;
    uint256 public sold;

    function buy() external {
        require(bought[msg.sender] < 2, "two each");
        _safeMint(msg.sender, ++sold);
        // The bug: counted after the receiver was called.
        ++bought[msg.sender];
    }
}

/// @notice Buys more when it is told of a ticket.
contract Greedy is IERC721Receiver {
    uint256 public more;

    function setMore(uint256 to) external {
        more = to;
    }

    function onERC721Received(address, address, uint256, bytes calldata)
        external
        returns (bytes4)
    {
        if (more > 0) {
            --more;
            Tickets(msg.sender).buy();
        }
        return this.onERC721Received.selector;
    }
}

/// @notice Tickets of OpenZeppelin's ERC721, two for each buyer.
abstract contract MarketSuite is Suite {
    using EnumerableSet for EnumerableSet.UintSet;

    Tickets internal tickets;
    EnumerableSet.UintSet private seen;

    function setup() internal override {
        tickets = new Tickets();
        _addActor(address(0xA11CE));
        _addActor(address(new Greedy()));
    }

    function onERC721Received(address, address, uint256, bytes calldata)
        external
        pure
        returns (bytes4)
    {
        return IERC721Receiver.onERC721Received.selector;
    }

    function market_buy() public asActor {
        tickets.buy();
        t(seen.add(tickets.sold()), "sold twice");
        eq(tickets.ownerOf(tickets.sold()) == _getActor() ? 1 : 0, 1, "not the buyer's");
    }

    function market_move(uint256 number, uint256 to) public asActor {
        address[] memory actors = _getActors();
        tickets.transferFrom(
            _getActor(), actors[to % actors.length], between(number, 1, 10)
        );
    }

    function greedy_wants(uint256 more) public {
        Greedy(_getActors()[2]).setMore(between(more, 0, 3));
    }

    function property_two_each() public {
        address[] memory actors = _getActors();
        for (uint256 i; i < actors.length; ++i) {
            lte(tickets.bought(actors[i]), 2, "more than two tickets");
        }
    }

    function canary_three_were_sold() public {
        t(tickets.sold() < 3, "canary: three were sold");
    }
}

contract MarketTester is MarketSuite, CryticAsserts {
    constructor() payable {
        setup();
    }
}

contract MarketToFoundry is MarketSuite, FoundryAsserts {
    function setUp() public {
        setup();
        targetContract(address(this));
    }

    function invariant_nothing_falls() public {}

    function test_two_each() public {
        switchActor(1);
        market_buy();
        market_buy();
        property_two_each();
    }

    function test_greed() public {
        switchActor(2);
        greedy_wants(3);
        market_buy();
        property_two_each();
    }
}
