// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

contract Wallet {
    uint256 public received;
    bytes public lastData;
    address private immutable owner = msg.sender;

    receive() external payable {
        received += msg.value;
    }

    fallback(bytes calldata data) external payable returns (bytes memory) {
        lastData = data;
        received += msg.value;
        return abi.encode(data.length, msg.value);
    }

    function refund(uint256 amount) external {
        payable(owner).transfer(amount);
    }
}

/// @notice Ether through every door: receive, fallback, transfer, send, call.
contract Payments {
    Wallet private immutable wallet = new Wallet();
    uint256 private received;
    uint256 private sent;
    bytes4 private lastSelector;
    mapping(address => uint256) private credit;

    receive() external payable {
        received += msg.value;
    }

    fallback() external payable {
        lastSelector = msg.sig;
        received += msg.value;
    }

    function pay() external payable {
        require(msg.value != 1, "one wei is a joke");
        received += msg.value;
        credit[msg.sender] += msg.value;
    }

    function free() external {
        received += 0;
    }

    function toWallet(uint256 amount, bytes calldata data) external {
        uint256 value = amount % (address(this).balance + 1);
        (bool done, bytes memory answer) = address(wallet).call{value: value}(data);
        require(done, "refused");
        if (answer.length == 64) {
            (uint256 length, uint256 value_) = abi.decode(answer, (uint256, uint256));
            assert(length == data.length && value_ == value);
        }
        sent += value;
    }

    function bySend(uint256 amount) external returns (bool done) {
        // 2300 gas are not enough to store what was received.
        done = payable(address(wallet)).send(amount);
        assert(!done);
    }

    function byTransfer(address payable to, uint256 amount) external {
        credit[msg.sender] -= amount;
        sent += amount;
        to.transfer(amount);
    }

    function refund(uint256 amount) external {
        wallet.refund(amount % 1e18);
    }

    function withdraw() external {
        uint256 amount = credit[msg.sender];
        credit[msg.sender] = 0;
        sent += amount;
        (bool done,) = msg.sender.call{value: amount}("");
        require(done, "not taken");
    }

    function echidna_books_balance() external view returns (bool) {
        return address(this).balance + sent >= received;
    }

    function echidna_wallet_is_poor() external view returns (bool) {
        return address(wallet).balance < 1 ether;
    }
}
