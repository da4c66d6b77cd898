// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";
import {Deep, Linked, Shallow} from "../src/Parts.sol";

library OfTheFile {
    function whoAsks() external view returns (address sender, address self) {
        return (msg.sender, address(this));
    }

    function push(uint256[] storage list, uint256 number) external {
        list.push(number);
    }

    function fails() external pure {
        revert("the library fails");
    }

    function protected() external {}
}

contract LinkingTest is Base {
    uint256[] internal list;
    Linked internal linked;

    function setUp() public {
        linked = new Linked();
    }

    function test_TheTestIsLinked() public pure {
        checkUint(Deep.double(4), 8);
        checkUint(Shallow.quadruple(4), 16);
    }

    function test_WhatItMakesIsLinked() public view {
        checkUint(linked.sextuple(5), 30);
        checkUint(linked.half(5), 2);
    }

    function test_LibrariesRunInTheCaller() public view {
        (address sender, address self) = OfTheFile.whoAsks();
        checkAddress(sender, msg.sender);
        checkAddress(self, address(this));
    }

    function test_LibrariesWriteOurStorage() public {
        list = new uint256[](1);
        OfTheFile.push(list, 5);
        checkUint(list.length, 2);
        checkUint(list[1], 5);
    }

    function test_ALibraryIsAContractWithNonceOne() public view {
        check(address(Deep).code.length > 0, "code");
        checkUint(vm.getNonce(address(Deep)), 1);
    }

    function test_ALibraryCannotBeCalled() public {
        (bool done,) = address(OfTheFile).call(abi.encodeWithSignature("protected()"));
        check(!done, "only with DELEGATECALL");
    }

    function test_ExpectRevertOfALibrary() public {
        vm.expectRevert("the library fails");
        OfTheFile.fails();
    }

    function test_MockOfALibrary() public {
        vm.mockCall(address(Deep), abi.encodeWithSelector(Deep.double.selector), abi.encode(1));
        checkUint(Deep.double(4), 1);
        checkUint(linked.sextuple(5), 2);
    }

    function test_TheNonceOfTheTestIsOneAfterOneCreate() public view {
        checkUint(vm.getNonce(address(this)), 2);
        checkAddress(address(linked), vm.computeCreateAddress(address(this), 1));
    }

    function test_Fails_ALibraryFails() public pure {
        OfTheFile.fails();
    }
}

/// Libraries do not move the test contract.
contract AddressTest is Base {
    function test_OfTheTest() public view {
        checkAddress(address(this), 0x7FA9385bE102ac3EAc297483Dd6233D62b3e1496);
        checkAddress(msg.sender, 0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38);
        checkAddress(tx.origin, 0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38);
    }
}
