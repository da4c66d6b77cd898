// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

error Plain();
error Detailed(uint256 number, address account);

/// Reverts in each way there is.
contract Reverter {
    uint256 public count;

    constructor(bool fails) payable {
        require(!fails, "the constructor fails");
    }

    receive() external payable {}

    fallback() external payable {
        revert("the fallback fails");
    }

    function withReason(string calldata reason) external payable {
        revert(reason);
    }

    function withPlain() external pure {
        revert Plain();
    }

    function withDetails(uint256 number) external view {
        revert Detailed(number, msg.sender);
    }

    function withNothing() external pure {
        revert();
    }

    function withBytes(bytes calldata data) external pure {
        bytes memory copy = data;
        assembly {
            revert(add(copy, 32), mload(copy))
        }
    }

    function withPanic(uint256 divisor) external pure returns (uint256) {
        return 1 / divisor;
    }

    function withAssert() external pure {
        assert(false);
    }

    function withInvalid() external pure {
        assembly {
            invalid()
        }
    }

    function withoutGas() external pure {
        while (true) {}
    }

    function works() external returns (uint256) {
        return ++count;
    }

    function worksOrNot(bool fails) external returns (uint256, string memory) {
        require(!fails, "it fails");
        return (++count, "worked");
    }

    function writeAndFail() external {
        count = 1000;
        revert("after the write");
    }
}

/// Calls others.
contract Relay {
    uint256 public done;

    function forward(address to, bytes calldata data) external returns (bytes memory) {
        (bool ok, bytes memory answer) = to.call(data);
        if (!ok) {
            assembly {
                revert(add(answer, 32), mload(answer))
            }
        }
        done++;
        return answer;
    }

    function swallow(address to, bytes calldata data) external returns (bool ok) {
        (ok,) = to.call(data);
        done++;
    }

    function swallowAndFail(address to, bytes calldata data) external {
        (bool ok,) = to.call(data);
        require(ok, "the relay fails by itself");
    }

    function repeat(address to, bytes calldata data, uint256 times) external {
        for (uint256 i; i < times; i++) {
            (bool ok,) = to.call(data);
            ok;
        }
        done++;
    }

    function create(bool fails) external returns (Reverter) {
        return new Reverter(fails);
    }
}
