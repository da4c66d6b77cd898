// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";
import {Linked, Safe, Simple, Twin} from "../src/Parts.sol";
import {Vm} from "../src/Vm.sol";

contract ArtifactsTest is Base {
    function test_CodeByFileAndName() public view {
        check(same(vm.getCode("Parts.sol:Simple"), type(Simple).creationCode), "code");
    }

    function test_CodeByPathAndName() public view {
        check(same(vm.getCode("src/Parts.sol:Simple"), type(Simple).creationCode), "code");
    }

    function test_CodeByName() public view {
        check(same(vm.getCode("Simple"), type(Simple).creationCode), "code");
    }

    function test_CodeOfAFileThatMayNotBeRead() public {
        refused(
            abi.encodeCall(Vm.getCode, ("out/Parts.sol/Simple.json")),
            "vm.getCode: the path out/Parts.sol/Simple.json is not allowed to be accessed for read operations"
        );
    }

    function test_CodeByFile() public view {
        check(vm.getCode("Twins.sol").length > 0, "the only contract of the file that has its name");
    }

    function test_CodeOfTheTest() public view {
        check(vm.getCode("ArtifactsTest").length > 0, "code");
    }

    function test_DeployedCode() public {
        check(same(vm.getDeployedCode("Simple"), address(new Simple()).code), "code");
        check(same(vm.getDeployedCode("Parts.sol:Simple"), type(Simple).runtimeCode), "code");
    }

    function test_UnknownName() public {
        refused(
            abi.encodeCall(Vm.getCode, ("Nobody")),
            "vm.getCode: the path out/Nobody.sol/Nobody.json is not allowed to be accessed for read operations"
        );
    }

    function test_NameOfTwo() public {
        refused(abi.encodeCall(Vm.getCode, ("Twin")), "vm.getCode: multiple matching artifacts found");
    }

    function test_NameOfTwoWithItsFile() public {
        checkUint(Twin(vm.deployCode("Twins.sol:Twin")).number(), 2);
        checkUint(Twin(vm.deployCode("Parts.sol:Twin")).number(), 1);
    }

    function test_WithoutCode() public {
        refused(
            abi.encodeCall(Vm.getCode, ("Unfinished")),
            "vm.getCode: no bytecode for contract; is it abstract or unlinked?"
        );
    }

    function test_Deploy() public {
        uint64 nonce = vm.getNonce(address(this));
        address made = vm.deployCode("Simple");
        checkUint(Simple(made).number(), 7);
        checkAddress(Simple(made).maker(), address(this));
        checkAddress(made, vm.computeCreateAddress(address(this), nonce));
        checkUint(vm.getNonce(address(this)), nonce + 1);
    }

    function test_DeployWithArguments() public {
        Safe safe = Safe(vm.deployCode("Parts.sol:Safe", abi.encode(alice, 5, "mine")));
        checkAddress(safe.owner(), alice);
        checkUint(safe.limit(), 5);
        checkText(safe.name(), "mine");
    }

    function test_DeployWithArgumentsAndValue() public {
        address safe = vm.deployCode("Safe", abi.encode(alice, 5, ""), 3 ether);
        checkUint(safe.balance, 3 ether);
        checkUint(address(this).balance, type(uint96).max - 3 ether);
    }

    function test_DeployWithSalt() public {
        bytes32 salt = "salt";
        address made = vm.deployCode("Simple", salt);
        bytes32 hash = keccak256(type(Simple).creationCode);
        checkAddress(made, vm.computeCreate2Address(salt, hash, address(this)));
    }

    function test_DeployUnderAPrank() public {
        vm.prank(alice);
        address made = vm.deployCode("Simple");
        checkAddress(Simple(made).maker(), alice);
    }

    function test_DeployFails() public {
        (bool done, bytes memory data) = address(vm).call(
            abi.encodeWithSignature("deployCode(string,bytes)", "Safe", abi.encode(alice, 0, ""))
        );
        check(!done, "it fails");
        checkError(data, "Error", "a safe needs a limit");
    }

    function test_DeployOfANonPayable() public {
        (bool done, bytes memory data) =
            address(vm).call(abi.encodeWithSignature("deployCode(string,uint256)", "Simple", 1));
        check(!done, "it takes no value");
        checkUint(data.length, 0);
    }

    function test_DeployLinked() public {
        Linked linked = Linked(vm.deployCode("Linked"));
        checkUint(linked.sextuple(2), 12);
    }

    function test_NewWithArguments() public {
        Safe safe = new Safe{value: 2}(bob, 9, "his");
        checkAddress(safe.owner(), bob);
        checkUint(safe.limit(), 9);
        checkUint(address(safe).balance, 2);
    }

    function test_NewFails() public {
        try new Safe(bob, 0, "his") {
            revert("it fails");
        } catch Error(string memory reason) {
            checkText(reason, "a safe needs a limit");
        }
    }

    function test_Fails_UnknownName() public {
        vm.deployCode("Nobody");
    }

    function test_Fails_WithoutArguments() public {
        vm.deployCode("Safe");
    }
}
