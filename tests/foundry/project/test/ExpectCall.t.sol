// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";
import {Vm} from "../src/Vm.sol";

contract Target {
    uint256 public sum;

    function add(uint256 number) external payable returns (uint256) {
        return sum += number;
    }

    function fails() external pure {
        revert("the target fails");
    }

    function free() external payable {}
}

contract Caller {
    Target internal target;

    constructor(Target callee) {
        target = callee;
    }

    function add(uint256 number) external payable {
        target.add{value: msg.value}(number);
    }

    function addAndFail(uint256 number) external {
        target.add(number);
        revert("after the call");
    }

    function addByDelegatecall(uint256 number) external {
        (bool done,) = address(target).delegatecall(abi.encodeCall(Target.add, (number)));
        require(done, "delegatecall");
    }

    function addWithGas(uint256 number, uint256 gas_) external payable {
        target.add{value: msg.value, gas: gas_}(number);
    }

    function create() external returns (Target) {
        return new Target();
    }

    function create2() external returns (Target) {
        return new Target{salt: 0}();
    }
}

contract ExpectCallTest is Base {
    Target internal target;
    Caller internal caller;

    function setUp() public {
        target = new Target();
        caller = new Caller(target);
    }

    function test_ByTheTest() public {
        vm.expectCall(address(target), abi.encodeCall(Target.add, (3)));
        target.add(3);
    }

    function test_ByAnother() public {
        vm.expectCall(address(target), abi.encodeCall(Target.add, (3)));
        caller.add(3);
    }

    function test_OfASelector() public {
        vm.expectCall(address(target), abi.encodeWithSelector(Target.add.selector));
        target.add(3);
    }

    function test_OfAPrefix() public {
        vm.expectCall(address(target), hex"");
        target.free();
    }

    function test_AtLeastOnce() public {
        vm.expectCall(address(target), abi.encodeWithSelector(Target.add.selector));
        target.add(1);
        target.add(2);
        target.add(3);
    }

    function test_ExactlyTwice() public {
        vm.expectCall(address(target), abi.encodeWithSelector(Target.add.selector), uint64(2));
        target.add(1);
        caller.add(2);
    }

    function test_Never() public {
        vm.expectCall(address(target), abi.encodeCall(Target.add, (9)), uint64(0));
        target.add(1);
    }

    function test_Twice_AskedTwice() public {
        vm.expectCall(address(target), abi.encodeCall(Target.add, (3)));
        vm.expectCall(address(target), abi.encodeCall(Target.add, (3)));
        target.add(3);
        target.add(3);
    }

    function test_Value() public {
        vm.expectCall(address(target), 7, abi.encodeCall(Target.add, (3)));
        caller.add{value: 7}(3);
    }

    function test_AnyValueIfNoneIsSaid() public {
        vm.expectCall(address(target), abi.encodeCall(Target.add, (3)));
        target.add{value: 7}(3);
    }

    function test_ValueAndCount() public {
        vm.expectCall(address(target), 7, abi.encodeCall(Target.add, (3)), uint64(2));
        target.add{value: 7}(3);
        target.add{value: 7}(3);
    }

    function test_Gas() public {
        vm.expectCall(address(target), 0, uint64(50_000), abi.encodeCall(Target.add, (3)));
        caller.addWithGas(3, 50_000);
    }

    function test_GasWithValue() public {
        // The stipend comes on top, both here and there.
        vm.expectCall(address(target), 1, uint64(50_000), abi.encodeCall(Target.add, (3)));
        caller.addWithGas{value: 1}(3, 50_000);
    }

    function test_MinGas() public {
        vm.expectCallMinGas(address(target), 0, uint64(50_000), abi.encodeCall(Target.add, (3)));
        caller.addWithGas(3, 60_000);
    }

    function test_CallThatReverts() public {
        vm.expectCall(address(target), abi.encodeCall(Target.fails, ()));
        try target.fails() {} catch {}
    }

    function test_InAFrameThatReverts() public {
        vm.expectCall(address(target), abi.encodeCall(Target.add, (3)));
        try caller.addAndFail(3) {} catch {}
    }

    function test_Delegatecall() public {
        vm.expectCall(address(target), abi.encodeCall(Target.add, (3)));
        caller.addByDelegatecall(3);
    }

    function test_Staticcall() public {
        vm.expectCall(address(target), abi.encodeWithSignature("sum()"));
        target.sum();
    }

    function test_OfAnEoa() public {
        vm.expectCall(alice, 5, "");
        payable(alice).transfer(5);
    }

    function test_OfAMock() public {
        vm.mockCall(address(target), abi.encodeCall(Target.add, (3)), abi.encode(44));
        vm.expectCall(address(target), abi.encodeCall(Target.add, (3)));
        checkUint(target.add(3), 44);
    }

    function test_CallsBeforeDoNotCount() public {
        target.add(1);
        vm.expectCall(address(target), abi.encodeWithSelector(Target.add.selector), uint64(1));
        target.add(1);
    }

    function test_Create() public {
        vm.expectCreate(address(target).code, address(caller));
        caller.create();
    }

    function test_Create2() public {
        vm.expectCreate2(address(target).code, address(caller));
        caller.create2();
    }

    function test_CreateByAPrank() public {
        vm.expectCreate(address(target).code, alice);
        vm.prank(alice);
        new Target();
    }

    function test_CreateBesideOthers() public {
        vm.expectCreate(address(target).code, address(caller));
        vm.expectCreate(address(caller).code, address(this));
        vm.expectCreate2(address(target).code, address(caller));
        caller.create2();
        caller.create();
        new Caller(target);
    }

    function test_GasAndCount() public {
        vm.expectCall(address(target), 0, uint64(50_000), abi.encodeCall(Target.add, (3)), uint64(2));
        caller.addWithGas(3, 50_000);
        caller.addWithGas(3, 50_001);
        caller.addWithGas(3, 50_000);
    }

    function test_MinGasAndCount() public {
        vm.expectCallMinGas(address(target), 0, uint64(50_000), abi.encodeCall(Target.add, (3)), uint64(2));
        caller.addWithGas(3, 50_000);
        caller.addWithGas(3, 49_999);
        caller.addWithGas(3, 50_001);
    }

    function test_CountsAreOfDataAlone() public {
        vm.expectCall(address(target), 7, abi.encodeCall(Target.add, (3)));
        refused(
            abi.encodeWithSignature(
                "expectCall(address,uint256,bytes,uint64)", address(target), 8, abi.encodeCall(Target.add, (3)), 1
            ),
            "vm.expectCall: counted expected calls can only bet set once"
        );
        target.add{value: 7}(3);
    }

    function test_TheFirstSaysWhatIsExpected() public {
        vm.expectCall(address(target), 7, abi.encodeCall(Target.add, (3)));
        vm.expectCall(address(target), 8, abi.encodeCall(Target.add, (3)));
        target.add{value: 7}(3);
        target.add{value: 7}(3);
    }

    function test_OverwritingACountIsRefused() public {
        vm.expectCall(address(target), abi.encodeCall(Target.add, (3)), uint64(1));
        refused(
            abi.encodeWithSignature(
                "expectCall(address,bytes,uint64)", address(target), abi.encodeCall(Target.add, (3)), uint64(2)
            ),
            "vm.expectCall: counted expected calls can only bet set once"
        );
        target.add(3);
    }

    function test_CountAfterNoneIsRefused() public {
        vm.expectCall(address(target), abi.encodeCall(Target.add, (3)));
        refused(
            abi.encodeWithSignature(
                "expectCall(address,bytes,uint64)", address(target), abi.encodeCall(Target.add, (3)), uint64(2)
            ),
            "vm.expectCall: counted expected calls can only bet set once"
        );
        target.add(3);
    }

    function test_NoneAfterCountIsRefused() public {
        vm.expectCall(address(target), abi.encodeCall(Target.add, (3)), uint64(1));
        refused(
            abi.encodeWithSignature("expectCall(address,bytes)", address(target), abi.encodeCall(Target.add, (3))),
            "vm.expectCall: cannot overwrite a counted expectCall with a non-counted expectCall"
        );
        target.add(3);
    }

    function test_Fails_Never() public {
        vm.expectCall(address(target), abi.encodeCall(Target.add, (3)));
    }

    function test_Fails_OtherArgument() public {
        vm.expectCall(address(target), abi.encodeCall(Target.add, (3)));
        target.add(4);
    }

    function test_Fails_OtherAddress() public {
        vm.expectCall(alice, abi.encodeCall(Target.add, (3)));
        target.add(3);
    }

    function test_Fails_OtherValue() public {
        vm.expectCall(address(target), 7, abi.encodeCall(Target.add, (3)));
        target.add{value: 8}(3);
    }

    function test_Fails_OtherGas() public {
        vm.expectCall(address(target), 0, uint64(50_000), abi.encodeCall(Target.add, (3)));
        caller.addWithGas(3, 50_001);
    }

    function test_Fails_TooOften() public {
        vm.expectCall(address(target), abi.encodeCall(Target.add, (3)), uint64(1));
        target.add(3);
        target.add(3);
    }

    function test_Fails_OnceForTwo() public {
        vm.expectCall(address(target), abi.encodeCall(Target.add, (3)));
        vm.expectCall(address(target), abi.encodeCall(Target.add, (3)));
        target.add(3);
    }

    function test_Fails_CountOfZero() public {
        vm.expectCall(address(target), abi.encodeCall(Target.add, (3)), uint64(0));
        target.add(3);
    }

    function test_Fails_LessThanMinGas() public {
        vm.expectCallMinGas(address(target), 0, uint64(50_000), abi.encodeCall(Target.add, (3)));
        caller.addWithGas(3, 49_999);
    }

    function test_Fails_ValueOfADelegatecall() public {
        vm.expectCall(address(target), 0, abi.encodeCall(Target.add, (3)));
        caller.addByDelegatecall(3);
    }

    function test_Fails_Create2IsAnother() public {
        vm.expectCreate(address(target).code, address(caller));
        caller.create2();
    }

    function test_Fails_OneCreateForTwo() public {
        vm.expectCreate(address(target).code, address(caller));
        vm.expectCreate(address(target).code, address(caller));
        caller.create();
    }

    function test_Fails_NoCreate() public {
        vm.expectCreate(address(target).code, address(this));
        caller.create();
    }
}
