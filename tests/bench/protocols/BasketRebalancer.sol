// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title BasketRebalancer
/// @notice An index whose composition curators set as a list of legs in the order of their assets.
contract BasketRebalancer {
    struct Asset {
        bool listed;
        bool frozen;
        uint16 capBps;
        uint16 weightBps;
    }

    struct Leg {
        uint16 assetId;
        uint16 weightBps;
        int32 drift;
    }

    uint256 public constant FULL = 10_000;
    uint256 public constant STEP = 25;
    uint256 public constant MIN_LEGS = 4;
    uint256 public constant MAX_LEGS = 8;
    uint256 public constant ASSETS = 12;

    mapping(uint256 => Asset) public assets;
    uint16[] public composition;
    uint256 public epoch;
    mapping(address => uint256) public units;
    uint256 public totalUnits;

    event Rebalanced(uint256 indexed epoch, uint256 legs, address curator);

    constructor() {
        for (uint256 i = 0; i < ASSETS; i++) {
            assets[i] = Asset(true, false, i < 4 ? 4_000 : 3_000, 0);
        }
        assets[5].frozen = true;
        for (uint16 i = 0; i < 4; i++) {
            assets[i].weightBps = 2_500;
            composition.push(i);
        }
    }

    function subscribe() external payable {
        require(msg.value >= 0.01 ether, "amount");
        units[msg.sender] += msg.value;
        totalUnits += msg.value;
    }

    function redeem(uint256 amount) external {
        units[msg.sender] -= amount;
        totalUnits -= amount;
        (bool sent,) = msg.sender.call{value: amount}("");
        require(sent, "payment");
    }

    /// @notice Set the composition.
    /// @param legs by ascending asset; their weights make 100%, and their drifts balance.
    /// @param turnover the sum of the absolute changes of weight, as the curator worked it out.
    function rebalance(Leg[] calldata legs, uint256 turnover) external {
        require(units[msg.sender] > 0 || totalUnits == 0, "not a holder");
        require(legs.length >= MIN_LEGS && legs.length <= MAX_LEGS, "legs");
        _validate(legs);
        require(_turnover(legs) == turnover, "turnover");

        for (uint256 i = 0; i < composition.length; i++) assets[composition[i]].weightBps = 0;
        delete composition;
        for (uint256 i = 0; i < legs.length; i++) {
            assets[legs[i].assetId].weightBps = legs[i].weightBps;
            composition.push(legs[i].assetId);
        }
        epoch++;
        emit Rebalanced(epoch, legs.length, msg.sender);
    }

    function weights() external view returns (uint16[] memory list) {
        list = new uint16[](ASSETS);
        for (uint256 i = 0; i < ASSETS; i++) list[i] = assets[i].weightBps;
    }

    /// @notice The basket is fully invested.
    function echidna_ok() public view returns (bool) {
        uint256 sum;
        for (uint256 i = 0; i < ASSETS; i++) sum += assets[i].weightBps;
        return sum == FULL;
    }

    function _validate(Leg[] calldata legs) internal view {
        uint256 sum;
        int256 drift;
        for (uint256 i = 0; i < legs.length; i++) {
            Leg calldata leg = legs[i];
            Asset storage asset = assets[leg.assetId];
            require(asset.listed && !asset.frozen, "asset");
            require(i == 0 || leg.assetId >= legs[i - 1].assetId, "order");
            require(leg.weightBps > 0 && leg.weightBps <= asset.capBps, "cap");
            require(leg.weightBps % STEP == 0, "step");
            require(leg.drift >= -500 && leg.drift <= 500, "drift");
            sum += leg.weightBps;
            drift += leg.drift;
        }
        require(sum == FULL, "weights");
        require(drift == 0, "unbalanced");
    }

    function _turnover(Leg[] calldata legs) internal view returns (uint256 sum) {
        for (uint256 i = 0; i < legs.length; i++) {
            uint256 held = assets[legs[i].assetId].weightBps;
            uint256 next = legs[i].weightBps;
            sum += next > held ? next - held : held - next;
        }
    }
}
