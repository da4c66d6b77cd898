// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice Much storage of every shape: packed, mapped, nested, arrays that shrink.
contract StorageHeavy {
    struct Order {
        address owner;
        uint64 price;
        uint32 amount;
        bool open;
        bytes32 note;
    }

    Order[] private orders;
    mapping(address => uint256[]) private ofOwner;
    mapping(uint64 => mapping(address => uint256)) private book;
    mapping(bytes32 => uint256) private notes;
    uint256 private open;
    uint256 private volume;
    uint8[70] private packed;

    function place(uint64 price, uint32 amount, bytes32 note) external {
        if (orders.length >= 64) return;
        price %= 16;
        ofOwner[msg.sender].push(orders.length);
        orders.push(Order(msg.sender, price, amount, true, note));
        book[price][msg.sender] += amount;
        notes[note]++;
        volume += amount;
        open++;
    }

    function cancel(uint256 id) external {
        Order storage order = orders[id % 64];
        require(order.open && order.owner == msg.sender, "not yours");
        book[order.price][msg.sender] -= order.amount;
        notes[order.note]--;
        volume -= order.amount;
        open--;
        delete orders[id % 64];
    }

    function amend(uint256 id, uint32 amount) external {
        Order storage order = orders[id % 64];
        if (!order.open) return;
        book[order.price][order.owner] =
            book[order.price][order.owner] - order.amount + amount;
        volume = volume - order.amount + amount;
        order.amount = amount;
    }

    function pack(uint8 from, uint8 count, uint8 value) external {
        for (uint256 i = 0; i < count % 24; i++) {
            packed[(from + i * 3) % 70] = uint8((value + i) % 256);
        }
    }

    function forget() external {
        delete ofOwner[msg.sender];
        if (open == 0) delete orders;
    }

    function rewrite(uint256 value) external {
        // Every path of the gas rules (EIP-2200): dirty, reset, cleared, set again.
        uint256 before = notes[0];
        notes[0] = value;
        notes[0] = before;
        notes[bytes32(value % 4)] = 0;
        notes[bytes32(value % 4)] = value;
        notes[bytes32(value % 4)] = 0;
        notes[0] = before;
    }

    function echidna_volume_adds_up() external view returns (bool) {
        uint256 sum;
        for (uint64 price = 0; price < 16; price++) {
            sum += book[price][address(0x10000)] + book[price][address(0x20000)]
                + book[price][address(0x30000)];
        }
        return sum == volume;
    }
}
