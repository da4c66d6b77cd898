// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

interface Vm {
    function addr(uint256 key) external pure returns (address);
    function prank(address sender) external;
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
}

/// @notice ERC-20 with EIP-2612.
contract PermitToken {
    struct Permit {
        address owner;
        address spender;
        uint256 value;
        uint256 deadline;
    }

    bytes32 public constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
    uint256 public constant LONGEST = 30 days;
    uint256 private constant HALF = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    bytes32 public immutable DOMAIN_SEPARATOR;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => uint256) public nonces;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    error Expired(uint256 deadline);
    error TooLong(uint256 deadline);
    error BadSignature();

    constructor() {
        DOMAIN_SEPARATOR = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("Permit Token"),
                keccak256("1"),
                block.chainid,
                address(this)
            )
        );
    }

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function approve(address spender, uint256 value) external returns (bool) {
        _approve(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
        return true;
    }

    function digest(Permit memory each, uint256 nonce) public view returns (bytes32) {
        bytes32 hash = keccak256(
            abi.encode(PERMIT_TYPEHASH, each.owner, each.spender, each.value, nonce, each.deadline)
        );
        return keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR, hash));
    }

    function permit(Permit memory each, uint8 v, bytes32 r, bytes32 s) external {
        if (block.timestamp > each.deadline) revert Expired(each.deadline);
        if (each.deadline > block.timestamp + LONGEST) revert TooLong(each.deadline);
        if (uint256(s) > HALF) revert BadSignature();
        address signer = ecrecover(digest(each, nonces[each.owner]), v, r, s);
        if (signer == address(0) || signer != each.owner) revert BadSignature();
        // Saves a write if there is nothing to do; the nonce is left as it is, too.
        if (allowance[each.owner][each.spender] == each.value) return;
        nonces[each.owner]++;
        _approve(each.owner, each.spender, each.value);
    }

    function _approve(address owner, address spender, uint256 value) private {
        allowance[owner][spender] = value;
        emit Approval(owner, spender, value);
    }
}

/// @notice Two owners who sign, and the senders, who hand in what they signed.
contract PermitReplay {
    struct Signed {
        PermitToken.Permit permit;
        uint8 v;
        bytes32 r;
        bytes32 s;
        bool accepted;
    }

    Vm private constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    uint256[2] private keys = [0xA11CE, 0xB0B];
    PermitToken public immutable token = new PermitToken();
    Signed[] public signed;
    bool private replayed;

    event SignedPermit(uint256 indexed number, address indexed owner, address indexed spender);
    event HandedIn(uint256 indexed number, bool changed);

    constructor() {
        for (uint256 i = 0; i < 2; i++) token.mint(ownerOf(i == 1), 1_000 ether);
    }

    function ownerOf(bool second) public view returns (address) {
        return vm.addr(keys[second ? 1 : 0]);
    }

    function approve(bool second, address spender, uint256 value) external {
        vm.prank(ownerOf(second));
        token.approve(spender, value);
    }

    function sign(bool second, address spender, uint256 value, uint256 deadline) external returns (uint256 number) {
        require(value != 0, "for nothing");
        address owner = ownerOf(second);
        PermitToken.Permit memory each = PermitToken.Permit(owner, spender, value, deadline);
        bytes32 digest = token.digest(each, token.nonces(owner));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(keys[second ? 1 : 0], digest);
        number = signed.length;
        signed.push(Signed(each, v, r, s, false));
        emit SignedPermit(number, owner, spender);
    }

    function handIn(uint256 number) external {
        Signed storage each = signed[number];
        address owner = each.permit.owner;
        uint256 before = token.allowance(owner, each.permit.spender);
        token.permit(each.permit, each.v, each.r, each.s);
        bool changed = token.allowance(owner, each.permit.spender) != before;
        if (each.accepted && changed) replayed = true;
        each.accepted = true;
        emit HandedIn(number, changed);
    }

    function spend(bool second, uint256 value) external {
        address owner = ownerOf(second);
        vm.prank(msg.sender);
        token.transferFrom(owner, msg.sender, value);
    }

    /// A signature that was accepted once allows nothing a second time.
    function echidna_ok() public view returns (bool) {
        return !replayed;
    }
}
