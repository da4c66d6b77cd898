// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Test, console2, stdError, stdStorage, StdStorage} from "forge-std/Test.sol";
import {Safe, Simple} from "../src/Parts.sol";

contract Coin {
    string public name = "coin";
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 amount);

    function mint(address to, uint256 amount) external {
        totalSupply += amount;
        balanceOf[to] += amount;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        emit Transfer(msg.sender, to, amount);
        return true;
    }

    function index(uint256 which) external pure returns (uint256) {
        uint256[] memory list = new uint256[](2);
        return list[which];
    }
}

/// With forge-std as it is released.
contract StdTest is Test {
    using stdStorage for StdStorage;

    Coin internal coin;
    address internal alice;
    address internal bob;
    uint256 internal bobsKey;

    event Transfer(address indexed from, address indexed to, uint256 amount);

    function setUp() public {
        coin = new Coin();
        alice = makeAddr("alice");
        (bob, bobsKey) = makeAddrAndKey("bob");
    }

    function test_NamesMakeAddresses() public view {
        assertEq(bob, vm.addr(bobsKey));
        assertEq(bobsKey, uint256(keccak256("bob")));
        assertEq(vm.getLabel(alice), "alice");
        assertNotEq(alice, bob);
    }

    function test_Assertions() public pure {
        assertTrue(true);
        assertFalse(false, "message");
        assertEq(uint256(1), uint256(1));
        assertEq(string("text"), string("text"));
        assertGt(uint256(2), uint256(1));
        assertLe(int256(-2), int256(1), "message");
        assertApproxEqAbs(uint256(100), uint256(105), 5);
        assertApproxEqRel(uint256(100), uint256(105), 0.05e18);
        assertEqDecimal(uint256(1e18), uint256(1e18), 18);
    }

    function test_Fails_Equal() public pure {
        assertEq(uint256(1), uint256(2));
    }

    function test_Fails_EqualWithAMessage() public pure {
        assertEq(string("one"), string("two"), "they differ");
    }

    function test_Fails_Less() public pure {
        assertLt(uint256(2), uint256(2));
    }

    function test_Fails_Approx() public pure {
        assertApproxEqAbs(uint256(100), uint256(106), 5);
    }

    function test_Fails_ByFail() public {
        fail();
    }

    function test_Failed() public {
        assertFalse(failed());
    }

    function test_DealCoins() public {
        deal(address(coin), alice, 100);
        assertEq(coin.balanceOf(alice), 100);
        assertEq(coin.totalSupply(), 0);
        deal(address(coin), bob, 50, true);
        assertEq(coin.totalSupply(), 50);
    }

    function test_DealEther() public {
        deal(alice, 1 ether);
        assertEq(alice.balance, 1 ether);
    }

    function test_Hoax() public {
        hoax(alice);
        coin.transfer(bob, 0);
        assertEq(alice.balance, 1 << 128);
    }

    function test_StartHoax() public {
        startHoax(alice, 5);
        assertEq(alice.balance, 5);
        vm.expectEmit();
        emit Transfer(alice, bob, 0);
        coin.transfer(bob, 0);
        vm.stopPrank();
    }

    function test_SkipAndRewind() public {
        skip(100);
        assertEq(block.timestamp, 101);
        rewind(50);
        assertEq(block.timestamp, 51);
    }

    function test_StoreByGetter() public {
        stdstore.target(address(coin)).sig("totalSupply()").checked_write(77);
        assertEq(coin.totalSupply(), 77);
        stdstore.target(address(coin)).sig("allowance(address,address)").with_key(alice).with_key(bob).checked_write(
            uint256(6)
        );
        assertEq(coin.allowance(alice, bob), 6);
    }

    function test_FindASlot() public {
        assertEq(stdstore.target(address(coin)).sig("totalSupply()").find(), 1);
        assertEq(stdstore.target(address(coin)).sig("totalSupply()").read_uint(), 0);
    }

    function test_ArithmeticError() public {
        vm.expectRevert(stdError.arithmeticError);
        coin.transfer(bob, 1);
    }

    function test_IndexError() public {
        vm.expectRevert(stdError.indexOOBError);
        coin.index(2);
    }

    function test_DeployCode() public {
        assertEq(Simple(deployCode("Parts.sol:Simple")).number(), 7);
        assertEq(Safe(deployCode("Parts.sol:Safe", abi.encode(alice, 3, "x"))).limit(), 3);
    }

    function test_DeployCodeTo() public {
        deployCodeTo("Parts.sol:Simple", address(0x5117));
        assertEq(Simple(address(0x5117)).number(), 7);
    }

    function test_ComputeAddresses() public {
        uint64 nonce = vm.getNonce(address(this));
        assertEq(computeCreateAddress(address(this), nonce), address(new Coin()));
    }

    function test_Console() public pure {
        console2.log("text");
        console2.log("number %s", uint256(5));
        console2.log(true, address(1));
    }

    function test_Bound() public pure {
        assertEq(bound(uint256(5), 1, 10), 5);
        assertEq(bound(uint256(11), 1, 10), 1);
        assertEq(bound(type(uint256).max, 1, 10), 10);
        assertEq(bound(int256(-7), -5, 5), int256(4));
    }

    function test_BoundTheWrongWay() public {
        vm.expectRevert("StdUtils bound(uint256,uint256,uint256): Max is less than min.");
        this.boundTheWrongWay();
    }

    function boundTheWrongWay() external pure returns (uint256) {
        return bound(uint256(1), 5, 2);
    }

    function test_EqualCalls() public {
        coin.mint(alice, 4);
        bytes memory data = abi.encodeWithSignature("balanceOf(address)", alice);
        assertEqCall(address(coin), data, address(coin), data);
    }

    function test_AssumeNotPrecompile() public view {
        assumeNotPrecompile(alice);
        assumeNotZeroAddress(alice);
        assumeNotForgeAddress(alice);
    }

    function test_WithoutGasMetering() public noGasMetering {
        coin.mint(alice, 1);
        assertEq(coin.balanceOf(alice), 1);
    }

    function test_DestroyAnAccount() public {
        vm.deal(address(coin), 9);
        destroyAccount(address(coin), bob);
        assertEq(bob.balance, 9);
        assertEq(address(coin).code.length, 0);
    }

    function testFuzz_Mint(address to, uint256 amount) public {
        amount = bound(amount, 1, 1e30);
        coin.mint(to, amount);
        assertEq(coin.balanceOf(to), amount);
    }

    function testFuzz_Fails_MintOfNothing(address to, uint256 amount) public {
        amount = bound(amount, 0, 2);
        coin.mint(to, amount);
        assertGt(coin.balanceOf(to), 0);
    }

    function testFuzz_Transfer(uint128 amount) public {
        coin.mint(alice, amount);
        vm.prank(alice);
        assertTrue(coin.transfer(bob, amount));
        assertEq(coin.balanceOf(bob), amount);
    }
}

contract Handler is Test {
    Coin public coin;
    uint256 public minted;
    address internal actor;
    address[] internal actors;

    modifier by(uint256 seed) {
        actor = actors[bound(seed, 0, actors.length - 1)];
        vm.startPrank(actor);
        _;
        vm.stopPrank();
    }

    constructor(Coin target) {
        coin = target;
        actors.push(makeAddr("one"));
        actors.push(makeAddr("two"));
    }

    function mint(uint256 seed, uint256 amount) external by(seed) {
        amount = bound(amount, 0, 1e18);
        coin.mint(actor, amount);
        minted += amount;
    }

    function transfer(uint256 seed, uint256 amount) external by(seed) {
        amount = bound(amount, 0, coin.balanceOf(actor));
        coin.transfer(actors[seed % 2], amount);
    }

    function later(uint256 time) external {
        skip(bound(time, 1, 1 days));
    }

    function notMeant() external {
        minted += 1;
    }

    function sum() external view returns (uint256) {
        return coin.balanceOf(actors[0]) + coin.balanceOf(actors[1]);
    }
}

contract StdInvariantTest is Test {
    Coin internal coin;
    Handler internal handler;

    function setUp() public {
        coin = new Coin();
        handler = new Handler(coin);
        targetContract(address(handler));
        bytes4[] memory selectors = new bytes4[](3);
        selectors[0] = Handler.mint.selector;
        selectors[1] = Handler.transfer.selector;
        selectors[2] = Handler.later.selector;
        targetSelector(FuzzSelector({addr: address(handler), selectors: selectors}));
    }

    function invariant_SupplyIsWhatWasMinted() public view {
        assertEq(coin.totalSupply(), handler.minted());
    }

    function invariant_BalancesAddUp() public view {
        assertEq(handler.sum(), coin.totalSupply());
    }

    function invariant_Fails_NothingIsMinted() public view {
        assertEq(coin.totalSupply(), 0);
    }

    function invariant_Fails_TimeStands() public view {
        assertEq(block.timestamp, 1);
    }

    /// forge-config: default.invariant.fail-on-revert = true
    function invariant_TheHandlerNeverReverts() public pure {}
}

contract StdExcludeTest is Test {
    Coin internal coin;
    Handler internal handler;

    function setUp() public {
        coin = new Coin();
        handler = new Handler(coin);
        excludeContract(address(coin));
        excludeSender(address(0x10000));
        targetSender(address(0x20000));
    }

    function invariant_OnlyTheHandlerMints() public view {
        assertLe(coin.totalSupply(), handler.minted());
    }

    function invariant_Fails_AllOfItIsCalled() public view {
        assertEq(coin.totalSupply(), handler.minted());
    }
}
