// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// Structs in structs and arrays: in arguments, results, errors, logs and storage.
contract Orders {
    struct Item {
        bytes32 kind;
        uint128 price;
        int8[2] sizes;
    }

    struct Order {
        address buyer;
        Item[] items;
        string note;
        bool[][] flags;
    }

    enum State {
        None,
        Open,
        Closed
    }

    error Refused(Order order, State state, Item[2] first);
    event Placed(address indexed buyer, Order order, string indexed note, State state);

    mapping(address => mapping(uint256 => Order)) internal orders;
    mapping(bytes => State) public states;
    State internal last;

    function place(uint256 id, Order calldata order)
        external
        payable
        returns (Order memory stored, State state)
    {
        Order storage kept = orders[msg.sender][id];
        kept.buyer = order.buyer;
        kept.note = order.note;
        for (uint256 i; i < order.items.length; i++) kept.items.push(order.items[i]);
        for (uint256 i; i < order.flags.length; i++) kept.flags.push(order.flags[i]);
        states[bytes(order.note)] = last = State.Open;
        emit Placed(order.buyer, order, order.note, last);
        return (kept, last);
    }

    function refuse(Order calldata order) external view {
        revert Refused(order, last, [order.items[0], order.items[1]]);
    }
}

contract Structs {
    Orders internal orders = new Orders();
    bool internal placed;

    function place(uint256 id, uint128 price) external {
        Orders.Order memory order;
        order.buyer = msg.sender;
        order.items = new Orders.Item[](2);
        order.items[0] = Orders.Item("apples", price, [int8(1), -1]);
        order.items[1] = Orders.Item("a \xff", 7, [int8(-128), 127]);
        order.note = unicode"„two“ kinds\n";
        order.flags = new bool[][](2);
        order.flags[1] = new bool[](1);
        order.flags[1][0] = true;
        orders.place(id, order);
        try orders.refuse(order) {} catch {}
        placed = true;
    }

    function check() external view {
        assert(!placed);
    }
}
