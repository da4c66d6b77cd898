// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

import {Authority} from "solmate/src/auth/Auth.sol";
import {MultiRolesAuthority} from "solmate/src/auth/authorities/MultiRolesAuthority.sol";
import {RolesAuthority} from "solmate/src/auth/authorities/RolesAuthority.sol";
import {ERC1155} from "solmate/src/tokens/ERC1155.sol";
import {ERC20} from "solmate/src/tokens/ERC20.sol";
import {ERC4626} from "solmate/src/tokens/ERC4626.sol";
import {ERC721} from "solmate/src/tokens/ERC721.sol";
import {WETH} from "solmate/src/tokens/WETH.sol";
import {CREATE3} from "solmate/src/utils/CREATE3.sol";
import {FixedPointMathLib} from "solmate/src/utils/FixedPointMathLib.sol";
import {LibString} from "solmate/src/utils/LibString.sol";
import {SafeTransferLib} from "solmate/src/utils/SafeTransferLib.sol";
import {wadExp, wadLn, wadPow} from "solmate/src/utils/SignedWadMath.sol";
import {SSTORE2} from "solmate/src/utils/SSTORE2.sol";
import {Suite} from "./Suite.sol";

contract Money is ERC20("Money", "MNY", 18) {
    constructor() {
        for (uint160 i = 1; i < 4; i++) {
            _mint(address(i * 0x10000), 1e30);
        }
    }
}

contract Safe is ERC4626 {
    constructor(ERC20 money) ERC4626(money, "Safe", "SFE") {}

    function totalAssets() public view override returns (uint256) {
        return asset.balanceOf(address(this));
    }
}

contract Cards is ERC721("Cards", "CRD") {
    function mint(address to, uint8 id, bool safe, bytes calldata data) external {
        if (safe) _safeMint(to, id, data);
        else _mint(to, id);
    }

    function burn(uint8 id) external {
        _burn(id);
    }

    function tokenURI(uint256 id) public pure override returns (string memory) {
        return LibString.toString(id);
    }
}

contract Items is ERC1155 {
    function mint(address to, uint8 id, uint64 amount, bytes calldata data) external {
        _mint(to, id, amount, data);
    }

    function mintMany(address to, uint256[] calldata ids, uint256[] calldata amounts)
        external
    {
        _batchMint(to, ids, amounts, "");
    }

    function burnMany(uint256[] calldata ids, uint256[] calldata amounts) external {
        _batchBurn(msg.sender, ids, amounts);
    }

    function uri(uint256) public pure override returns (string memory) {
        return "";
    }
}

contract Tools {
    using SafeTransferLib for ERC20;

    ERC20 private immutable money;
    address private pointer;
    bytes32 public seen;

    constructor(ERC20 money_) {
        money = money_;
    }

    function exponent(int256 x) external {
        seen = bytes32(uint256(wadExp(x)));
    }

    function logarithm(int256 x, int256 y) external {
        seen = bytes32(uint256(wadLn(x) + wadPow(x, y)));
    }

    function power(uint256 x, uint256 n, uint256 scalar) external {
        seen = bytes32(FixedPointMathLib.rpow(x, n, scalar));
    }

    function root(uint256 x, uint256 y, uint256 z) external {
        uint256 down = FixedPointMathLib.mulDivDown(x, y, z);
        uint256 up = FixedPointMathLib.mulDivUp(x, y, z);
        require(up - down <= 1);
        seen = bytes32(FixedPointMathLib.sqrt(x) + up);
    }

    function store(bytes calldata data) external {
        pointer = SSTORE2.write(data);
    }

    function load(uint8 from, uint8 to) external {
        seen = keccak256(SSTORE2.read(pointer, from, to));
    }

    function create(bytes32 salt, bytes calldata code) external {
        seen = bytes32(bytes20(CREATE3.deploy(salt, code, 0)));
    }

    function pay(address from, address to, uint128 amount) external {
        money.safeTransferFrom(from, address(this), amount);
        money.safeTransfer(to, amount);
    }

    function print(int256 value) external {
        seen = keccak256(bytes(LibString.toString(value)));
    }
}

contract SolmateTest is Suite {
    Money private money;
    Safe private safe;

    function setUp() external {
        money = new Money();
        safe = new Safe(money);
        targets.push(address(money));
        targets.push(address(safe));
        targets.push(address(new Cards()));
        targets.push(address(new Items()));
        targets.push(address(new WETH()));
        targets.push(address(new Tools(money)));
        targets.push(address(new RolesAuthority(address(0x10000), Authority(address(0)))));
        targets.push(
            address(new MultiRolesAuthority(address(0x20000), Authority(address(0))))
        );
    }

    function invariant_supply() external view {
        require(money.totalSupply() == 3e30);
    }
}
