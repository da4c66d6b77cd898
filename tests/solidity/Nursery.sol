// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

contract Child {
    uint256 public age;
    Nursery private immutable parent = Nursery(msg.sender);

    function grow() external {
        age++;
        parent.report(age);
    }
}

/// @notice Makes contracts by the hundred, some of which have children themselves.
contract Nursery {
    Child[] private children;
    Nursery[] private branches;
    uint256 private reports;
    uint256 private made;

    function bear(uint8 count) external {
        for (uint256 i = 0; i < count % 40; i++) children.push(new Child());
        made += count % 40;
    }

    function bearEmpty(uint16 count) external {
        for (uint256 i = 0; i < count % 120; i++) {
            assembly {
                // Init code of no bytes: an account without code.
                if iszero(create(0, 0, 0)) { invalid() }
            }
        }
        made += count % 120;
    }

    function branch(uint8 depth) external {
        if (depth % 5 == 0) return;
        Nursery sub = copy();
        branches.push(sub);
        sub.branch(depth % 5 - 1);
        sub.bear(depth % 3);
        made++;
    }

    function raise(uint8 from, uint8 count) external {
        for (uint256 i = from; i < children.length && i < from + count % 20; i++) {
            children[i].grow();
        }
    }

    function report(uint256 age) external {
        reports += age > 2 ? 1 : 0;
    }

    function echidna_few_are_made() external view returns (bool) {
        return made < 400;
    }

    function echidna_no_child_is_three() external view returns (bool) {
        return reports == 0;
    }

    /// @dev A copy of this contract: init code that returns what follows it.
    function copy() private returns (Nursery made_) {
        bytes memory code = address(this).code;
        bytes memory init =
            abi.encodePacked(hex"61", uint16(code.length), hex"80600a3d393df3", code);
        assembly {
            made_ := create(0, add(init, 32), mload(init))
        }
        require(address(made_) != address(0), "stillborn");
    }
}
