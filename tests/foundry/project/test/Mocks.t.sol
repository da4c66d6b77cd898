// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";
import {Vm} from "../src/Vm.sol";

contract Shop {
    uint256 public sold;

    function price(uint256 item) external pure returns (uint256) {
        return 10 * item;
    }

    function discount(uint256 item, uint256 amount) external pure returns (uint256) {
        return item * amount;
    }

    function buy(uint256 item) external payable returns (bool) {
        sold += item;
        return false;
    }

    function who() external view returns (address) {
        return msg.sender;
    }
}

contract OtherShop {
    uint256 public sold;

    function price(uint256 item) external pure returns (uint256) {
        return 20 * item;
    }

    function buy(uint256 item) external payable returns (bool) {
        sold += 100 * item;
        return true;
    }
}

contract Customer {
    function ask(Shop shop, uint256 item) external view returns (uint256) {
        return shop.price(item);
    }

    function buy(Shop shop, uint256 item) external payable returns (bool) {
        return shop.buy{value: msg.value}(item);
    }

    function askByDelegatecall(address shop, uint256 item) external returns (uint256) {
        (bool done, bytes memory data) = shop.delegatecall(abi.encodeCall(Shop.price, (item)));
        require(done, "delegatecall");
        return abi.decode(data, (uint256));
    }

    function mock(Vm vm, address shop) external {
        vm.mockCall(shop, abi.encodeCall(Shop.price, (1)), abi.encode(5));
        revert("after mockCall");
    }
}

contract MocksTest is Base {
    Shop internal shop;
    Customer internal customer;

    function setUp() public {
        shop = new Shop();
        customer = new Customer();
    }

    function mockPrice(uint256 item, uint256 price) internal {
        vm.mockCall(address(shop), abi.encodeCall(Shop.price, (item)), abi.encode(price));
    }

    function test_Exact() public {
        mockPrice(1, 99);
        checkUint(shop.price(1), 99);
        checkUint(shop.price(2), 20);
    }

    function test_AllOfASelector() public {
        vm.mockCall(address(shop), abi.encodeWithSelector(Shop.price.selector), abi.encode(99));
        checkUint(shop.price(1), 99);
        checkUint(shop.price(2), 99);
        checkUint(shop.discount(2, 3), 6);
    }

    function test_OfBytes4() public {
        vm.mockCall(address(shop), Shop.price.selector, abi.encode(99));
        checkUint(shop.price(1), 99);
    }

    function test_EmptyPrefixMocksAll() public {
        vm.mockCall(address(shop), bytes(""), abi.encode(3));
        checkUint(shop.price(1), 3);
        checkUint(shop.discount(1, 1), 3);
    }

    function test_TheExactOneWins() public {
        mockPrice(1, 99);
        vm.mockCall(address(shop), abi.encodeWithSelector(Shop.price.selector), abi.encode(88));
        checkUint(shop.price(1), 99);
        checkUint(shop.price(2), 88);
    }

    function test_TheLongerPrefixWins() public {
        vm.mockCall(
            address(shop), abi.encodeWithSelector(Shop.discount.selector, 7), abi.encode(111)
        );
        vm.mockCall(address(shop), abi.encodeWithSelector(Shop.discount.selector), abi.encode(222));
        checkUint(shop.discount(7, 1), 111);
        checkUint(shop.discount(8, 1), 222);
    }

    function test_TheLastOfTheSameWins() public {
        mockPrice(1, 99);
        mockPrice(1, 98);
        checkUint(shop.price(1), 98);
    }

    function test_AtAnyDepth() public {
        mockPrice(1, 99);
        checkUint(customer.ask(shop, 1), 99);
    }

    function test_ByDelegatecall() public {
        mockPrice(1, 99);
        checkUint(customer.askByDelegatecall(address(shop), 1), 99);
    }

    function test_Value() public {
        vm.mockCall(address(shop), 7, abi.encodeCall(Shop.buy, (1)), abi.encode(true));
        check(shop.buy{value: 7}(1), "mocked");
        check(!shop.buy{value: 8}(1), "not mocked");
        check(!shop.buy(1), "not mocked");
    }

    function test_ValueOfBytes4() public {
        vm.mockCall(address(shop), 7, Shop.buy.selector, abi.encode(true));
        check(shop.buy{value: 7}(1), "mocked");
        check(!shop.buy(1), "not mocked");
    }

    function test_ValueIsMorePrecise() public {
        vm.mockCall(address(shop), abi.encodeCall(Shop.price, (1)), abi.encode(1));
        vm.mockCall(address(shop), 0, abi.encodeCall(Shop.price, (1)), abi.encode(2));
        checkUint(shop.price(1), 2);
    }

    function test_ValueIsPaid() public {
        vm.mockCall(address(shop), abi.encodeCall(Shop.buy, (1)), abi.encode(true));
        check(shop.buy{value: 7}(1), "mocked");
        checkUint(address(shop).balance, 7);
        checkUint(address(this).balance, type(uint96).max - 7);
    }

    function test_ValueIsPaidAtDepth() public {
        vm.mockCall(address(shop), abi.encodeCall(Shop.buy, (1)), abi.encode(true));
        check(customer.buy{value: 7}(shop, 1), "mocked");
        checkUint(address(shop).balance, 7);
        checkUint(address(customer).balance, 0);
    }

    function test_StateIsNotTouched() public {
        vm.mockCall(address(shop), abi.encodeCall(Shop.buy, (1)), abi.encode(true));
        shop.buy(1);
        checkUint(shop.sold(), 0);
    }

    function test_OfAnEoa() public {
        vm.mockCall(alice, abi.encodeCall(Shop.price, (1)), abi.encode(5));
        checkUint(Shop(alice).price(1), 5);
        check(alice.code.length > 0, "there is code");
    }

    function test_CodeOfAMockedEoa() public {
        vm.mockCall(alice, abi.encodeCall(Shop.price, (1)), abi.encode(5));
        check(same(alice.code, hex"00"), hexadecimal(alice.code));
    }

    function test_OtherCallsOfAMockedEoa() public {
        vm.mockCall(alice, abi.encodeCall(Shop.price, (1)), abi.encode(5));
        (bool done, bytes memory data) = alice.call(abi.encodeCall(Shop.price, (2)));
        check(done && data.length == 0, "nothing is there");
    }

    function test_Clear() public {
        mockPrice(1, 99);
        vm.clearMockedCalls();
        checkUint(shop.price(1), 10);
    }

    function test_Revert() public {
        vm.mockCallRevert(address(shop), abi.encodeCall(Shop.price, (1)), bytes("no"));
        (bool done, bytes memory data) = address(shop).call(abi.encodeCall(Shop.price, (1)));
        check(!done, "it reverts");
        check(same(data, bytes("no")), "raw bytes");
    }

    function test_RevertOfBytes4() public {
        vm.mockCallRevert(address(shop), Shop.price.selector, abi.encodeWithSignature("Error(string)", "no"));
        try shop.price(5) {
            revert("it reverts");
        } catch Error(string memory reason) {
            checkText(reason, "no");
        }
    }

    function test_RevertWithValue() public {
        vm.mockCallRevert(address(shop), 5, abi.encodeCall(Shop.buy, (1)), bytes("no"));
        (bool done,) = address(shop).call{value: 5}(abi.encodeCall(Shop.buy, (1)));
        check(!done, "it reverts");
        checkUint(address(shop).balance, 0);
        check(!shop.buy(1), "not mocked");
    }

    function test_RevertReplacesAMock() public {
        mockPrice(1, 99);
        vm.mockCallRevert(address(shop), abi.encodeCall(Shop.price, (1)), bytes("no"));
        (bool done,) = address(shop).call(abi.encodeCall(Shop.price, (1)));
        check(!done, "it reverts");
        mockPrice(1, 98);
        checkUint(shop.price(1), 98);
    }

    function test_AQueue() public {
        bytes[] memory prices = new bytes[](3);
        prices[0] = abi.encode(1);
        prices[1] = abi.encode(2);
        prices[2] = abi.encode(3);
        vm.mockCalls(address(shop), abi.encodeCall(Shop.price, (1)), prices);
        checkUint(shop.price(1), 1);
        checkUint(customer.ask(shop, 1), 2);
        checkUint(shop.price(1), 3);
        checkUint(shop.price(1), 3);
    }

    function test_AQueueWithValue() public {
        bytes[] memory answers = new bytes[](2);
        answers[0] = abi.encode(true);
        answers[1] = abi.encode(false);
        vm.mockCalls(address(shop), 5, abi.encodeCall(Shop.buy, (1)), answers);
        check(shop.buy{value: 5}(1), "first");
        check(!shop.buy{value: 5}(1), "second");
        checkUint(shop.sold(), 0);
    }

    function test_Function() public {
        OtherShop other = new OtherShop();
        vm.mockFunction(address(shop), address(other), abi.encodeWithSelector(Shop.buy.selector));
        check(shop.buy(2), "of the other");
        checkUint(shop.sold(), 200);
        checkUint(other.sold(), 0);
        checkUint(shop.price(1), 10);
    }

    function test_FunctionWithArguments() public {
        OtherShop other = new OtherShop();
        vm.mockFunction(address(shop), address(other), abi.encodeCall(Shop.price, (3)));
        checkUint(shop.price(3), 60);
        checkUint(shop.price(4), 40);
    }

    function test_FunctionOverACallMock() public {
        OtherShop other = new OtherShop();
        mockPrice(3, 1);
        vm.mockFunction(address(shop), address(other), abi.encodeCall(Shop.price, (3)));
        checkUint(shop.price(3), 60);
    }

    function test_PrankOfAMock() public {
        vm.mockCall(address(shop), abi.encodeCall(Shop.who, ()), abi.encode(bob));
        vm.prank(alice);
        checkAddress(shop.who(), bob);
        vm.clearMockedCalls();
        checkAddress(shop.who(), address(this));
    }

    function test_PrankPaysForAMock() public {
        vm.deal(alice, 10);
        vm.mockCall(address(shop), abi.encodeCall(Shop.buy, (1)), abi.encode(true));
        vm.prank(alice);
        check(shop.buy{value: 7}(1), "mocked");
        checkUint(alice.balance, 3);
        checkUint(address(shop).balance, 7);
    }

    function test_SurvivesTheRevertOfTheFrame() public {
        try customer.mock(vm, address(shop)) {
            revert("it fails");
        } catch {}
        checkUint(shop.price(1), 5);
    }

    function test_ExpectRevertOfAMock() public {
        vm.mockCallRevert(
            address(shop), abi.encodeCall(Shop.price, (1)), abi.encodeWithSignature("Error(string)", "no")
        );
        vm.expectRevert(bytes("no"));
        shop.price(1);
    }

    function test_OfAPrecompile() public {
        vm.mockCall(address(2), abi.encodePacked("x"), abi.encode(uint256(5)));
        checkUint(uint256(sha256("x")), 5);
        check(uint256(sha256("y")) != 5, "not mocked");
    }

    function test_WithoutEnoughData() public {
        vm.mockCall(address(shop), abi.encodeCall(Shop.price, (1)), "");
        (bool done,) = address(this).call(abi.encodeCall(this.askShop, (1)));
        check(!done, "it can't be decoded");
    }

    function askShop(uint256 item) external view returns (uint256) {
        return shop.price(item);
    }

    function test_Fails_OtherArguments() public {
        mockPrice(1, 99);
        checkUint(shop.price(2), 99);
    }

    function test_Fails_AfterClear() public {
        mockPrice(1, 99);
        vm.clearMockedCalls();
        checkUint(shop.price(1), 99);
    }

    function test_Fails_Revert() public {
        vm.mockCallRevert(address(shop), abi.encodeCall(Shop.price, (1)), bytes("no"));
        shop.price(1);
    }
}

contract MockOfSetUpTest is Base {
    Shop internal shop;

    function setUp() public {
        shop = new Shop();
        vm.mockCall(address(shop), abi.encodeCall(Shop.price, (1)), abi.encode(99));
    }

    function test_HoldsInTheTests() public view {
        checkUint(shop.price(1), 99);
    }

    function test_IsThereForEach() public {
        vm.clearMockedCalls();
        checkUint(shop.price(1), 10);
    }
}
