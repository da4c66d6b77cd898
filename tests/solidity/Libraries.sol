// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

library Sorted {
    function insert(uint256[] storage list, uint256 value) internal {
        list.push(value);
        for (uint256 i = list.length - 1; i > 0 && list[i - 1] > list[i]; i--) {
            (list[i - 1], list[i]) = (list[i], list[i - 1]);
        }
    }

    function find(uint256[] storage list, uint256 value) internal view returns (bool) {
        uint256 low;
        uint256 high = list.length;
        while (low < high) {
            uint256 middle = (low + high) / 2;
            if (list[middle] == value) return true;
            if (list[middle] < value) low = middle + 1;
            else high = middle;
        }
        return false;
    }
}

/// @notice Code for others: writes to the storage of whoever calls it by DELEGATECALL.
contract Shared {
    uint256 public sum;
    address public last;

    function add(uint256 value) external payable returns (uint256, address, uint256) {
        require(value != 13, "thirteen");
        sum += value;
        last = msg.sender;
        return (sum, address(this), msg.value);
    }

    function addThrough(address other, uint256 value) external returns (bool done) {
        (done,) = other.delegatecall(abi.encodeCall(this.add, (value)));
    }
}

/// @notice Internal libraries, and a library at an address, reached by DELEGATECALL,
/// CALL and STATICCALL.
contract Libraries {
    using Sorted for uint256[];

    uint256 public sum;
    address public last;
    uint256[] private list;
    Shared private immutable shared = new Shared();

    function insert(uint256 value) external {
        require(list.length < 40, "full");
        list.insert(value);
        assert(list.find(value));
    }

    function delegate(uint256 value) external payable {
        (bool done, bytes memory answer) =
            address(shared).delegatecall(abi.encodeCall(Shared.add, (value)));
        require(done, "refused");
        (uint256 total, address self, uint256 sent) =
            abi.decode(answer, (uint256, address, uint256));
        assert(total == sum && self == address(this) && sent == msg.value);
        assert(last == msg.sender);
    }

    function delegateTwice(uint256 value) external {
        bytes memory data =
            abi.encodeCall(Shared.addThrough, (address(shared), value % 20));
        (bool done, bytes memory answer) = address(shared).delegatecall(data);
        require(done && abi.decode(answer, (bool)), "refused");
    }

    function callShared(uint256 value) external {
        try shared.add(value) returns (uint256, address self, uint256) {
            assert(self == address(shared) && shared.last() == address(this));
        } catch Error(string memory reason) {
            assert(keccak256(bytes(reason)) == keccak256("thirteen") && value == 13);
        } catch Panic(uint256 code) {
            assert(code == 0x11);
        }
    }

    function look(uint256 value) external view returns (bool done) {
        (done,) = address(shared).staticcall(abi.encodeCall(Shared.add, (value)));
        assert(!done);
    }

    function echidna_list_is_sorted() external view returns (bool) {
        for (uint256 i = 1; i < list.length; i++) {
            if (list[i - 1] > list[i]) return false;
        }
        return true;
    }

    function echidna_list_is_short() external view returns (bool) {
        return list.length < 6;
    }
}
