// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice What was queued is executed a day later, with the same four arguments. They
/// meet in a hash alone, which no comparison gives away.
contract Timelock {
    mapping(bytes32 id => uint256 due) private queue_;
    uint256 private executed;

    function queue(address to, uint256 amount, bytes calldata data, bytes32 salt) external {
        queue_[keccak256(abi.encode(to, amount, data, salt))] = block.timestamp + 1 days;
    }

    function cancel(address to, uint256 amount, bytes calldata data, bytes32 salt) external {
        delete queue_[keccak256(abi.encode(to, amount, data, salt))];
    }

    function execute(address to, uint256 amount, bytes calldata data, bytes32 salt) external {
        uint256 due = queue_[keccak256(abi.encode(to, amount, data, salt))];
        require(due != 0 && block.timestamp >= due);
        executed += 1;
    }

    function echidna_nothing_is_executed() external view returns (bool) {
        return executed == 0;
    }
}
