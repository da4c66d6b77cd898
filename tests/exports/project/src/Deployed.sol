// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

library Inner {
    function twice(uint256 x) external pure returns (uint256) {
        return 2 * x;
    }
}

library Outer {
    function fourfold(uint256 x) external pure returns (uint256) {
        return Inner.twice(Inner.twice(x));
    }
}

contract Token {
    bool internal constant BUGGY = true;

    mapping(address => uint256) public balanceOf;

    function mint(uint256 amount) external {
        balanceOf[msg.sender] += BUGGY && amount == 13 ? 14 : amount;
    }
}

contract Child {
    bool internal constant BUGGY = true;

    address public immutable maker = msg.sender;
    uint256 public number;

    constructor(uint256 first) payable {
        number = first;
    }

    function set(uint256 to) external {
        if (BUGGY || to < 10) number = to;
    }

    function end() external {
        selfdestruct(payable(msg.sender));
    }
}

interface Unknown {
    function poke(uint256) external returns (uint256);
}

/// What a plan deploys: libraries, arguments, other contracts, code without sources.
contract Deployed {
    bool internal constant BUGGY = true;

    uint256 public immutable limit;
    string public name;
    Token public immutable token;
    uint256 public immutable codeWhenBuilt = address(this).code.length;
    Child public first = new Child(1);
    Child[] public children;
    uint256 public sum;
    uint256 public poked;
    bool public minted;

    constructor(uint256 limit_, string memory name_, Token token_) payable {
        limit = limit_;
        name = name_;
        token = token_;
    }

    function add(uint256 x) external {
        sum += Outer.fourfold(x % 100);
    }

    function make(uint256 x) external {
        children.push(new Child{salt: bytes32(x)}(x % 5));
    }

    function poke(uint256 x) external {
        poked = Unknown(address(0xb10c)).poke(x);
    }

    function mint() external {
        token.mint(13);
        minted = true;
    }

    function echidna_limit() external view returns (bool) {
        return !BUGGY || sum < limit;
    }

    function echidna_library_address() external view returns (bool) {
        return !BUGGY || sum == 0 || address(Outer) != address(0x1001);
    }

    function echidna_child() external view returns (bool) {
        return children.length < 2 || children[1].number() < 100;
    }

    function echidna_first() external view returns (bool) {
        return first.number() < 50 && first.maker() == address(this);
    }

    function echidna_poked() external view returns (bool) {
        return !BUGGY || poked != 42;
    }

    function echidna_minted() external view returns (bool) {
        return !minted || token.balanceOf(address(this)) % 13 == 0;
    }

    function echidna_built_without_code() external view returns (bool) {
        return !BUGGY || codeWhenBuilt != 0;
    }

    function echidna_funded() external view returns (bool) {
        return !BUGGY || address(this).balance != 12345 || bytes(name)[0] != "D";
    }

    function echidna_where_children_are() external view returns (bool) {
        return !BUGGY || children.length == 0 || address(first).codehash == 0 || uint160(address(children[0])) % 2 == 0;
    }
}
