// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

contract Moody {
    error Mood(uint256 level, string word);

    uint256 public good;
    uint256[] private list;

    function act(uint256 mood) external payable returns (uint256) {
        if (mood == 0) revert();
        if (mood == 1) revert("a reason");
        if (mood == 2) revert Mood(mood, "custom");
        if (mood == 3) assert(good > type(uint256).max - 1);
        if (mood == 4) return 1 / (good - good);
        if (mood == 5) return list[good];
        if (mood == 6) return uint256(int256(type(int8).min)) - type(uint256).max;
        if (mood == 7) {
            assembly {
                invalid()
            }
        }
        if (mood == 8) {
            assembly {
                return(0, 0)
            }
        }
        if (mood == 9) {
            while (true) good++;
        }
        if (mood == 10) {
            assembly {
                // Memory that nobody can pay for.
                mstore(0xffffffffffffffffffffffffffffffff, 1)
            }
        }
        if (mood == 11) {
            // A revert with more data than anybody expects.
            assembly {
                revert(0, 5000)
            }
        }
        good++;
        return mood;
    }
}

/// @notice Every way in which a call can fail, caught.
contract TryCatch {
    Moody private immutable moody = new Moody();
    uint256[6] public outcomes;
    bytes32 private digest;

    function attempt(uint8 mood, uint32 limit) external payable {
        uint256 allowed = 30_000 + (limit % 100_000);
        uint256 value = mood % 3 == 0 ? msg.value : 0;
        try moody.act{gas: allowed, value: value}(mood % 16) returns (uint256 result) {
            outcomes[0]++;
            note(abi.encode(result));
        } catch Error(string memory reason) {
            outcomes[1]++;
            note(bytes(reason));
        } catch Panic(uint256 code) {
            outcomes[2]++;
            note(abi.encode(code));
        } catch (bytes memory data) {
            outcomes[data.length == 0 ? 3 : 4]++;
            note(data);
        }
    }

    function nested(uint8 mood) external {
        try this.attempt(mood, 50_000) {
            outcomes[5]++;
        } catch {
            note("nested");
        }
    }

    function create(uint8 value) external payable {
        try new Picky{value: msg.value}(value) returns (Picky made) {
            note(abi.encode(made));
        } catch Error(string memory reason) {
            note(bytes(reason));
        } catch (bytes memory data) {
            note(data);
        }
    }

    function absent(address target) external {
        // Solidity checks for code first, so this reverts in the caller.
        try Moody(target).act(20) returns (uint256) {
            note("someone is there");
        } catch {
            note("caught");
        }
    }

    function echidna_good_ones_are_counted() external view returns (bool) {
        return moody.good() <= outcomes[0] + outcomes[5];
    }

    function echidna_not_every_outcome_was_seen() external view returns (bool) {
        for (uint256 i = 0; i < 6; i++) if (outcomes[i] == 0) return true;
        return false;
    }

    function note(bytes memory data) private {
        digest = keccak256(abi.encode(digest, data));
    }
}

contract Picky {
    error TooBig(uint256 value);

    constructor(uint256 value) payable {
        require(value % 5 != 1, "ends badly");
        if (value > 200) revert TooBig(value);
        assert(value != 100);
    }
}
