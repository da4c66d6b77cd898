// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

contract Target {
    event Anonymous(uint256 indexed a, bytes b) anonymous;
    event Named(bytes4 indexed selector, bytes3[] parts, function() external f);

    uint256 internal calls;

    function known(uint256) external payable returns (uint256) {
        calls++;
        emit Named(msg.sig, new bytes3[](2), this.nothing);
        return calls;
    }

    function nothing() external {
        emit Anonymous(calls, "\x01\x02");
    }

    fallback(bytes calldata data) external payable returns (bytes memory) {
        calls += data.length;
        assembly {
            log0(0, 4)
            log1(0, 0, 1)
            log2(0, 32, 1, caller())
            log4(31, 1, 1, 2, 3, 4)
        }
        return abi.encodePacked(data, data);
    }

    receive() external payable {
        calls++;
    }
}

/// Calls in assembly: every kind, too little and too much calldata, to nobody.
contract Raw {
    address internal target = address(new Target());
    uint256 internal calls;

    constructor() payable {}

    function raw(bytes calldata data) external payable {
        calls++;
        target.call("");
        target.call(data);
        target.call{value: msg.value}(hex"aabbcc");
        target.call(abi.encodePacked(Target.known.selector));
        target.call(abi.encodePacked(Target.known.selector, uint256(5), "and more"));
        target.call(abi.encodeCall(Target.nothing, ()));
        target.staticcall(abi.encodeCall(Target.known, (6)));
        target.delegatecall(abi.encodeCall(Target.known, (7)));
        target.delegatecall(hex"");
        address(0xdead).delegatecall("nobody");
        address(0xdead).staticcall(data);
        (bool paid,) = address(0xbeef).call{value: msg.value + 1e30}("too dear");
        require(!paid);
        address to = target;
        assembly {
            mstore(0, shl(224, 0x12345678))
            pop(call(gas(), to, 1, 0, 4, 0, 0))
        }
    }

    function check() external view {
        assert(calls < 2);
    }
}
