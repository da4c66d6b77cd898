// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice Opcodes that Solidity itself seldom uses, each with what it must satisfy.
contract Assembly {
    uint256 private digest;
    bool private wrong;

    event Copied(bytes data);

    function bits(uint256 x, uint256 y) external {
        uint256 result;
        assembly {
            let left := shl(and(y, 0x1ff), x)
            let right := shr(and(y, 0x1ff), x)
            let signed := sar(and(y, 0x1ff), x)
            result := xor(or(left, right), not(signed))
            result := add(result, byte(and(y, 63), x))
            result := xor(result, signextend(and(y, 63), x))
        }
        mix(result);
    }

    function arithmetic(uint256 x, uint256 y, uint256 z) external {
        uint256 result;
        uint256 check;
        assembly {
            let quotient := div(x, y)
            let rest := mod(x, y)
            check := or(iszero(y), eq(x, add(mul(quotient, y), rest)))
            result := xor(quotient, mul(rest, 3))
            result := xor(result, addmod(x, y, z))
            result := xor(result, mulmod(x, y, z))
            result := xor(result, sdiv(x, y))
            result := xor(result, smod(x, y))
            result := xor(result, exp(x, and(y, 0xffff)))
        }
        if (check == 0) wrong = true;
        mix(result);
    }

    function compare(int256 x, int256 y) external {
        uint256 result;
        assembly {
            result := or(slt(x, y), shl(1, sgt(x, y)))
            result := or(result, shl(2, or(lt(x, y), shl(1, gt(x, y)))))
            result := or(result, shl(4, eq(x, y)))
        }
        if ((result & 1 != 0) != (x < y)) wrong = true;
        mix(result);
    }

    function memoryCopies(bytes calldata data, uint16 from, uint16 to, uint16 size)
        external
    {
        bytes32 result;
        assembly {
            let free := mload(0x40)
            let length := and(size, 0x3ff)
            calldatacopy(add(free, and(to, 0xff)), and(from, 0x1ff), length)
            mcopy(add(free, 17), add(free, and(from, 63)), length)
            mcopy(free, add(free, 33), length)
            codecopy(add(free, length), from, and(to, 0xff))
            extcodecopy(address(), add(free, 7), to, and(from, 0xff))
            mstore8(add(free, and(to, 0x3ff)), size)
            result := keccak256(free, add(length, 64))
        }
        mix(uint256(result));
        emit Copied(data);
    }

    function returned(uint8 size, uint8 from) external returns (uint256 result) {
        assembly {
            mstore(0, 0x1234567890)
            pop(staticcall(gas(), 4, 0, size, 0, 0))
            if iszero(eq(returndatasize(), size)) { invalid() }
            // Out of bounds for some arguments: ends in an exceptional halt.
            returndatacopy(0, from, 8)
            result := mload(0)
        }
        mix(result);
    }

    function logs(uint256 x, uint8 size) external {
        assembly {
            mstore(0, x)
            log0(0, size)
            log1(size, 3, x)
            log2(0, 0, x, size)
            log3(1, 31, x, size, caller())
            log4(0, 64, x, size, caller(), timestamp())
        }
    }

    function environment(uint256 seed) external payable {
        uint256 result;
        assembly {
            result := xor(address(), add(origin(), mul(caller(), 3)))
            result := add(result, xor(callvalue(), selfbalance()))
            result := add(result, xor(gasprice(), calldatasize()))
            result := add(result, xor(coinbase(), seed))
            result := add(result, xor(timestamp(), prevrandao()))
            result := add(result, xor(gaslimit(), chainid()))
            result := add(result, xor(basefee(), codesize()))
            result := add(result, blockhash(sub(number(), and(seed, 0x1ff))))
            result := add(result, balance(seed))
            result := add(result, extcodesize(seed))
            result := add(result, extcodehash(and(seed, 15)))
            result := add(result, extcodehash(address()))
            result := xor(result, calldataload(seed))
        }
        mix(result);
    }

    function switched(uint256 x) external returns (uint256 result) {
        assembly {
            function spread(value) -> out {
                for { let i := 0 } lt(i, 6) { i := add(i, 1) } {
                    if eq(i, and(value, 7)) { break }
                    out := or(shl(17, out), value)
                }
            }
            switch mod(x, 5)
            case 0 { result := spread(x) }
            case 1 { result := not(spread(x)) }
            case 2 { stop() }
            case 3 { mstore(0, x) revert(0, 32) }
            default { return(0, and(x, 0xff)) }
        }
        mix(result);
    }

    function jump(uint256 where, bool up) external returns (uint256) {
        function(uint256) internal returns (uint256) target = up ? twice : half;
        if (where % 50 == 49) {
            assembly {
                target := where
            }
        }
        return target(where);
    }

    function echidna_rules_hold() external view returns (bool) {
        return !wrong;
    }

    function echidna_digest_never_ends_in_three() external view returns (bool) {
        return digest % 16 != 3;
    }

    function twice(uint256 x) private returns (uint256) {
        mix(x);
        unchecked {
            return x * 2;
        }
    }

    function half(uint256 x) private returns (uint256) {
        mix(~x);
        return x / 2;
    }

    function mix(uint256 value) private {
        digest = uint256(keccak256(abi.encode(digest, value)));
    }
}
