// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

contract Mortal {
    event Dying(address indexed heir, uint256 money);

    uint256 internal life = 1;

    constructor() payable {}

    function die(address payable heir) external payable {
        emit Dying(heir, address(this).balance);
        life = 0;
        selfdestruct(heir);
    }
}

contract Stillborn {
    constructor(address payable heir) payable {
        selfdestruct(heir);
    }
}

/// Self-destructs: of old contracts, of new ones, in a constructor, to themselves.
contract Deaths {
    Mortal internal old = new Mortal();
    uint256 internal deaths;

    constructor() payable {}

    function kill(bytes32 salt) external payable {
        require(msg.value > 3);
        Mortal young = new Mortal{value: msg.value / 4, salt: salt}();
        young.die{value: msg.value / 4}(payable(address(0x1234)));
        require(address(young).code.length != 0);
        old.die{value: 1}(payable(address(old)));
        Stillborn none = new Stillborn{value: msg.value / 4}(payable(msg.sender));
        require(address(none).code.length == 0);
        address(none).call("who is there");
        deaths++;
    }

    function check() external view {
        assert(deaths < 2);
    }
}
