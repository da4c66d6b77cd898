// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

contract Product {
    uint256 public immutable number;
    address public immutable maker = msg.sender;
    uint256 public state;

    constructor(uint256 number_) payable {
        require(number_ % 7 != 3, "unlucky number");
        number = number_;
        state = msg.value;
    }

    function use(uint256 amount) external returns (uint256) {
        state += amount;
        return state;
    }
}

/// @notice Deploys by CREATE and CREATE2, with value, with bad init code, in collision.
contract Factory {
    mapping(bytes32 => address) private made;
    address[] private products;
    uint256 private failures;

    event Made(address indexed product, uint256 number);

    function create(uint256 number) external payable {
        record(new Product{value: msg.value}(number), number);
    }

    function create2(uint256 number, bytes32 salt) external payable {
        salt = bytes32(uint256(salt) % 16);
        bytes memory init = abi.encodePacked(type(Product).creationCode, abi.encode(number));
        bytes32 hash =
            keccak256(abi.encodePacked(hex"ff", address(this), salt, keccak256(init)));
        Product product = new Product{salt: salt, value: msg.value}(number);
        assert(address(product) == address(uint160(uint256(hash))));
        record(product, number);
    }

    function createSame(uint8 salt) external {
        try this.create2(5, bytes32(uint256(salt))) {}
        catch {
            failures++;
        }
    }

    function createRaw(bytes calldata init, uint256 value) external payable {
        bytes memory code = init;
        address result;
        uint256 sent = value % (address(this).balance + 2);
        assembly {
            result := create(sent, add(code, 32), mload(code))
        }
        if (result == address(0)) failures++;
        else products.push(result);
    }

    function createReturning(uint16 size, uint8 first) external returns (address result) {
        // MSTORE8(0, first), RETURN(0, size)
        bytes memory code =
            abi.encodePacked(hex"60", first, hex"600053", hex"61", size, hex"6000f3");
        assembly {
            result := create2(0, add(code, 32), mload(code), 0)
        }
        if (result == address(0)) failures++;
        else assert(result.code.length == size);
    }

    function use(uint8 which, uint256 amount) external {
        address product = products[which % products.length];
        if (product.code.length > 100) Product(product).use(amount);
    }

    function echidna_products_have_another_address() external view returns (bool) {
        for (uint256 i = 1; i < products.length; i++) {
            if (products[i] == products[i - 1]) return false;
        }
        return true;
    }

    function echidna_at_most_two_failures() external view returns (bool) {
        return failures <= 2;
    }

    function record(Product product, uint256 number) private {
        require(product.maker() == address(this) && product.number() == number);
        products.push(address(product));
        emit Made(address(product), number);
    }
}
