// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice Depends on gas to the last unit, so that a single one too many shows.
contract GasMeter {
    uint256 private digest;
    uint256 private cheapest = type(uint256).max;
    mapping(uint256 => uint256) private slots;

    function measure(uint8 what, uint256 x) external payable {
        uint256 before = gasleft();
        if (what % 8 == 0) slots[x] = x;
        else if (what % 8 == 1) slots[x % 4] = 0;
        else if (what % 8 == 2) digest ^= x ** (x % 1000);
        else if (what % 8 == 3) digest ^= address(uint160(x)).balance;
        else if (what % 8 == 4) digest ^= uint256(address(uint160(x % 32)).codehash);
        else if (what % 8 == 5) payable(address(uint160(x | 0x1000))).transfer(msg.value);
        else if (what % 8 == 6) digest ^= uint256(keccak256(new bytes(x % 3000)));
        else digest ^= slots[x % 8];
        uint256 used = before - gasleft();
        if (used < cheapest) cheapest = used;
        mix(used);
    }

    function burnUntil(uint32 left) external {
        uint256 target = 10_000 + left % 200_000;
        uint256 rounds;
        while (gasleft() > target && rounds < 300) rounds++;
        mix(rounds * 1e9 + gasleft());
    }

    function spend(uint256 n) external {
        for (uint256 i = 0; i < n % 500; i++) slots[i % 50] += i;
        mix(gasleft());
    }

    function partly(uint32 allowed, uint256 n) external {
        uint256 before = gasleft();
        (bool done,) = address(this).call{gas: allowed % 150_000}(
            abi.encodeCall(this.spend, (n % 60))
        );
        mix((before - gasleft()) * 2 + (done ? 1 : 0));
    }

    function allButOne64th(uint256 asked) external {
        (, bytes memory answer) =
            address(this).call{gas: asked}(abi.encodeCall(this.remaining, ()));
        mix(answer.length == 32 ? abi.decode(answer, (uint256)) : 0);
    }

    function remaining() external view returns (uint256) {
        return gasleft();
    }

    function grow(uint24 size) external {
        uint256 before = gasleft();
        assembly {
            mstore(and(size, 0x3ffff), 1)
        }
        mix(before - gasleft());
    }

    function echidna_digest_avoids_a_remainder() external view returns (bool) {
        return digest % 64 != 21;
    }

    function mix(uint256 value) private {
        digest = uint256(keccak256(abi.encode(digest, value)));
    }
}
