// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title NamespaceRegistry
/// @notice Organisations name their members; payments to a member go to the address on record.
/// Whoever names the first member of an organisation owns its namespace.
contract NamespaceRegistry {
    struct Profile {
        bytes32 orgHash;
        address payout;
        uint64 updatedAt;
        uint32 level;
    }

    struct Entry {
        bytes32 key;
        bytes32 orgHash;
    }

    uint256 public constant FEE = 0.01 ether;
    uint256 public constant MIN_LENGTH = 3;
    uint256 public constant MAX_LENGTH = 20;
    uint256 public constant MAX_ENTRIES = 48;

    mapping(bytes32 => address) public ownerOfOrg;
    mapping(bytes32 => Profile) public profiles;
    mapping(bytes32 => mapping(bytes32 => bool)) public isMember;
    mapping(address => uint256) public credits;
    Entry[] public entries;
    address public treasury = address(0x30000);
    uint256 public collected;

    event OrgClaimed(bytes32 indexed orgHash, string org, address owner);
    event MemberSet(bytes32 indexed key, string org, string member, address payout);
    event Tipped(bytes32 indexed key, uint256 amount);

    /// @notice Name a member, or change the record of one.
    function setMember(string calldata org, string calldata member, address payout, uint32 level)
        external
        payable
    {
        require(msg.value == FEE, "fee");
        require(payout != address(0) && payout != address(this), "payout");
        require(level >= 1 && level <= 9, "level");
        _validate(org);
        _validate(member);

        bytes32 orgHash = keccak256(bytes(org));
        address owner = ownerOfOrg[orgHash];
        if (owner == address(0)) {
            ownerOfOrg[orgHash] = msg.sender;
            emit OrgClaimed(orgHash, org, msg.sender);
        } else {
            require(owner == msg.sender, "not your organisation");
        }

        bytes32 key = keyOf(org, member);
        profiles[key] = Profile(orgHash, payout, uint64(block.timestamp), level);
        bytes32 memberHash = keccak256(bytes(member));
        if (!isMember[orgHash][memberHash]) {
            require(entries.length < MAX_ENTRIES, "full");
            isMember[orgHash][memberHash] = true;
            entries.push(Entry(key, orgHash));
        }
        collected += msg.value;
        emit MemberSet(key, org, member, payout);
    }

    function keyOf(string calldata org, string calldata member) public pure returns (bytes32) {
        return keccak256(abi.encodePacked(org, member));
    }

    function tip(string calldata org, string calldata member) external payable {
        bytes32 key = keyOf(org, member);
        Profile storage profile = profiles[key];
        require(profile.payout != address(0), "unknown");
        require(msg.value > 0, "nothing");
        credits[profile.payout] += msg.value;
        emit Tipped(key, msg.value);
    }

    function withdraw() external {
        uint256 amount = credits[msg.sender];
        credits[msg.sender] = 0;
        _pay(msg.sender, amount);
    }

    function collect() external {
        require(msg.sender == treasury, "not the treasury");
        uint256 amount = collected;
        collected = 0;
        _pay(treasury, amount);
    }

    function entryCount() external view returns (uint256) {
        return entries.length;
    }

    /// @notice The record of a member is one that its own organisation set.
    function echidna_ok() public view returns (bool) {
        for (uint256 i = 0; i < entries.length; i++) {
            if (profiles[entries[i].key].orgHash != entries[i].orgHash) return false;
        }
        return true;
    }

    /// @dev Letters, digits and hyphens; begins with a letter, does not end with a hyphen.
    function _validate(string calldata name) internal pure {
        bytes calldata raw = bytes(name);
        require(raw.length >= MIN_LENGTH && raw.length <= MAX_LENGTH, "length");
        for (uint256 i = 0; i < raw.length; i++) {
            bytes1 c = raw[i];
            bool letter = c >= "a" && c <= "z";
            bool other = (c >= "0" && c <= "9") || c == "-";
            require(letter || (other && i > 0), "character");
        }
        require(raw[raw.length - 1] != "-", "hyphen");
    }

    function _pay(address to, uint256 amount) internal {
        (bool sent,) = to.call{value: amount}("");
        require(sent, "payment");
    }
}
