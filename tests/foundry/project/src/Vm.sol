// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Foundry's cheatcodes, as far as the tests call them by name.
interface Vm {
    enum CallerMode {
        None,
        Broadcast,
        RecurrentBroadcast,
        Prank,
        RecurrentPrank
    }

    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    struct Wallet {
        address addr;
        uint256 publicKeyX;
        uint256 publicKeyY;
        uint256 privateKey;
    }

    struct PotentialRevert {
        address reverter;
        bool partialMatch;
        bytes revertData;
    }

    // Callers
    function prank(address sender) external;
    function prank(address sender, address origin) external;
    function prank(address sender, bool delegateCall) external;
    function prank(address sender, address origin, bool delegateCall) external;
    function startPrank(address sender) external;
    function startPrank(address sender, address origin) external;
    function startPrank(address sender, bool delegateCall) external;
    function startPrank(address sender, address origin, bool delegateCall) external;
    function stopPrank() external;
    function readCallers() external view returns (CallerMode mode, address sender, address origin);

    // Block and transaction
    function warp(uint256 timestamp) external;
    function roll(uint256 number) external;
    function fee(uint256 baseFee) external;
    function difficulty(uint256 value) external;
    function prevrandao(bytes32 value) external;
    function prevrandao(uint256 value) external;
    function chainId(uint256 id) external;
    function coinbase(address account) external;
    function txGasPrice(uint256 price) external;
    function blobBaseFee(uint256 price) external;
    function getBlobBaseFee() external view returns (uint256);
    function blobhashes(bytes32[] calldata hashes) external;
    function getBlobhashes() external view returns (bytes32[] memory);
    function setBlockhash(uint256 number, bytes32 hash) external;
    function getBlockNumber() external view returns (uint256);
    function getBlockTimestamp() external view returns (uint256);
    function getChainId() external view returns (uint256);

    // State
    function deal(address account, uint256 balance) external;
    function etch(address account, bytes calldata code) external;
    function load(address account, bytes32 slot) external view returns (bytes32);
    function store(address account, bytes32 slot, bytes32 value) external;
    function getNonce(address account) external view returns (uint64);
    function setNonce(address account, uint64 nonce) external;
    function setNonceUnsafe(address account, uint64 nonce) external;
    function resetNonce(address account) external;
    function copyStorage(address from, address to) external;
    function cloneAccount(address source, address target) external;
    function snapshotState() external returns (uint256);
    function revertToState(uint256 id) external returns (bool);
    function revertToStateAndDelete(uint256 id) external returns (bool);
    function deleteStateSnapshot(uint256 id) external returns (bool);
    function deleteStateSnapshots() external;
    function snapshot() external returns (uint256);
    function revertTo(uint256 id) external returns (bool);
    function revertToAndDelete(uint256 id) external returns (bool);
    function deleteSnapshot(uint256 id) external returns (bool);
    function deleteSnapshots() external;
    function record() external;
    function stopRecord() external;
    function accesses(address account) external view returns (bytes32[] memory reads, bytes32[] memory writes);
    function startMappingRecording() external;
    function stopMappingRecording() external;
    function getMappingLength(address account, bytes32 slot) external view returns (uint256);
    function getMappingSlotAt(address account, bytes32 slot, uint256 index) external view returns (bytes32);
    function getMappingKeyAndParentOf(address account, bytes32 slot)
        external
        view
        returns (bool found, bytes32 key, bytes32 parent);
    function pauseGasMetering() external;
    function resumeGasMetering() external;
    function resetGasMetering() external;

    // Expectations
    function assume(bool condition) external pure;
    function assumeNoRevert() external pure;
    function assumeNoRevert(PotentialRevert calldata potential) external pure;
    function assumeNoRevert(PotentialRevert[] calldata potentials) external pure;
    function skip(bool yes) external pure;
    function skip(bool yes, string calldata reason) external pure;
    function expectRevert() external;
    function expectRevert(bytes4 data) external;
    function expectRevert(bytes calldata data) external;
    function expectRevert(address reverter) external;
    function expectRevert(bytes4 data, address reverter) external;
    function expectRevert(bytes calldata data, address reverter) external;
    function expectRevert(uint64 count) external;
    function expectRevert(bytes4 data, uint64 count) external;
    function expectRevert(bytes calldata data, uint64 count) external;
    function expectRevert(address reverter, uint64 count) external;
    function expectRevert(bytes4 data, address reverter, uint64 count) external;
    function expectRevert(bytes calldata data, address reverter, uint64 count) external;
    function expectPartialRevert(bytes4 data) external;
    function expectPartialRevert(bytes4 data, address reverter) external;
    function expectEmit() external;
    function expectEmit(address emitter) external;
    function expectEmit(uint64 count) external;
    function expectEmit(address emitter, uint64 count) external;
    function expectEmit(bool topic1, bool topic2, bool topic3, bool data) external;
    function expectEmit(bool topic1, bool topic2, bool topic3, bool data, address emitter) external;
    function expectEmit(bool topic1, bool topic2, bool topic3, bool data, uint64 count) external;
    function expectEmit(bool topic1, bool topic2, bool topic3, bool data, address emitter, uint64 count) external;
    function expectEmitAnonymous() external;
    function expectEmitAnonymous(address emitter) external;
    function expectEmitAnonymous(bool topic0, bool topic1, bool topic2, bool topic3, bool data) external;
    function expectCall(address callee, bytes calldata data) external;
    function expectCall(address callee, bytes calldata data, uint64 count) external;
    function expectCall(address callee, uint256 value, bytes calldata data) external;
    function expectCall(address callee, uint256 value, bytes calldata data, uint64 count) external;
    function expectCall(address callee, uint256 value, uint64 gas, bytes calldata data) external;
    function expectCallMinGas(address callee, uint256 value, uint64 minGas, bytes calldata data) external;
    function expectCall(address callee, uint256 value, uint64 gas, bytes calldata data, uint64 count) external;
    function expectCallMinGas(address callee, uint256 value, uint64 minGas, bytes calldata data, uint64 count) external;
    function expectCreate(bytes calldata code, address deployer) external;
    function expectCreate2(bytes calldata code, address deployer) external;
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);

    // Mocks
    function mockCall(address callee, bytes calldata data, bytes calldata returned) external;
    function mockCall(address callee, bytes4 data, bytes calldata returned) external;
    function mockCall(address callee, uint256 value, bytes calldata data, bytes calldata returned) external;
    function mockCall(address callee, uint256 value, bytes4 data, bytes calldata returned) external;
    function mockCalls(address callee, bytes calldata data, bytes[] calldata returned) external;
    function mockCalls(address callee, uint256 value, bytes calldata data, bytes[] calldata returned) external;
    function mockCallRevert(address callee, bytes calldata data, bytes calldata reverted) external;
    function mockCallRevert(address callee, bytes4 data, bytes calldata reverted) external;
    function mockCallRevert(address callee, uint256 value, bytes calldata data, bytes calldata reverted) external;
    function mockFunction(address callee, address target, bytes calldata data) external;
    function clearMockedCalls() external;

    // Keys and addresses
    function addr(uint256 key) external pure returns (address);
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function sign(Wallet calldata wallet, bytes32 digest) external returns (uint8 v, bytes32 r, bytes32 s);
    function sign(address account, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function signCompact(uint256 key, bytes32 digest) external pure returns (bytes32 r, bytes32 vs);
    function signP256(uint256 key, bytes32 digest) external pure returns (bytes32 r, bytes32 s);
    function publicKeyP256(uint256 key) external pure returns (uint256 x, uint256 y);
    function deriveKey(string calldata mnemonic, uint32 index) external pure returns (uint256);
    function deriveKey(string calldata mnemonic, string calldata path, uint32 index) external pure returns (uint256);
    function createWallet(string calldata name) external returns (Wallet memory);
    function createWallet(uint256 key) external returns (Wallet memory);
    function createWallet(uint256 key, string calldata label) external returns (Wallet memory);
    function rememberKey(uint256 key) external returns (address);
    function getWallets() external view returns (address[] memory);
    function computeCreateAddress(address deployer, uint256 nonce) external pure returns (address);
    function computeCreate2Address(bytes32 salt, bytes32 hash) external pure returns (address);
    function computeCreate2Address(bytes32 salt, bytes32 hash, address deployer) external pure returns (address);
    function label(address account, string calldata name) external;
    function getLabel(address account) external view returns (string memory);

    // Strings
    function toString(address value) external pure returns (string memory);
    function toString(bytes calldata value) external pure returns (string memory);
    function toString(bytes32 value) external pure returns (string memory);
    function toString(bool value) external pure returns (string memory);
    function toString(uint256 value) external pure returns (string memory);
    function toString(int256 value) external pure returns (string memory);
    function parseAddress(string calldata text) external pure returns (address);
    function parseBool(string calldata text) external pure returns (bool);
    function parseBytes(string calldata text) external pure returns (bytes memory);
    function parseBytes32(string calldata text) external pure returns (bytes32);
    function parseInt(string calldata text) external pure returns (int256);
    function parseUint(string calldata text) external pure returns (uint256);
    function toLowercase(string calldata text) external pure returns (string memory);
    function toUppercase(string calldata text) external pure returns (string memory);
    function trim(string calldata text) external pure returns (string memory);
    function split(string calldata text, string calldata by) external pure returns (string[] memory);
    function replace(string calldata text, string calldata from, string calldata to)
        external
        pure
        returns (string memory);
    function indexOf(string calldata text, string calldata key) external pure returns (uint256);
    function contains(string calldata text, string calldata part) external returns (bool);
    function toBase64(bytes calldata data) external pure returns (string memory);
    function toBase64(string calldata data) external pure returns (string memory);
    function toBase64URL(bytes calldata data) external pure returns (string memory);
    function toBase64URL(string calldata data) external pure returns (string memory);
    function ensNamehash(string calldata name) external pure returns (bytes32);
    function bound(uint256 value, uint256 min, uint256 max) external view returns (uint256);
    function bound(int256 value, int256 min, int256 max) external view returns (int256);
    function sort(uint256[] calldata values) external returns (uint256[] memory);
    function shuffle(uint256[] calldata values) external returns (uint256[] memory);
    function randomUint() external view returns (uint256);
    function randomUint(uint256 bits) external view returns (uint256);
    function randomUint(uint256 min, uint256 max) external view returns (uint256);
    function randomInt(uint256 bits) external view returns (int256);
    function randomAddress() external view returns (address);
    function randomBool() external view returns (bool);
    function randomBytes(uint256 length) external view returns (bytes memory);
    function randomBytes4() external view returns (bytes4);
    function randomBytes8() external view returns (bytes8);
    function setSeed(uint256 seed) external;

    // Environment
    function setEnv(string calldata name, string calldata value) external;
    function envExists(string calldata name) external view returns (bool);
    function envBool(string calldata name) external view returns (bool);
    function envUint(string calldata name) external view returns (uint256);
    function envInt(string calldata name) external view returns (int256);
    function envAddress(string calldata name) external view returns (address);
    function envBytes32(string calldata name) external view returns (bytes32);
    function envString(string calldata name) external view returns (string memory);
    function envBytes(string calldata name) external view returns (bytes memory);
    function envBool(string calldata name, string calldata by) external view returns (bool[] memory);
    function envUint(string calldata name, string calldata by) external view returns (uint256[] memory);
    function envInt(string calldata name, string calldata by) external view returns (int256[] memory);
    function envAddress(string calldata name, string calldata by) external view returns (address[] memory);
    function envBytes32(string calldata name, string calldata by) external view returns (bytes32[] memory);
    function envString(string calldata name, string calldata by) external view returns (string[] memory);
    function envBytes(string calldata name, string calldata by) external view returns (bytes[] memory);
    function envOr(string calldata name, bool value) external view returns (bool);
    function envOr(string calldata name, uint256 value) external view returns (uint256);
    function envOr(string calldata name, int256 value) external view returns (int256);
    function envOr(string calldata name, address value) external view returns (address);
    function envOr(string calldata name, bytes32 value) external view returns (bytes32);
    function envOr(string calldata name, string calldata value) external view returns (string memory);
    function envOr(string calldata name, bytes calldata value) external view returns (bytes memory);
    function envOr(string calldata name, string calldata by, uint256[] calldata value)
        external
        view
        returns (uint256[] memory);
    function envOr(string calldata name, string calldata by, string[] calldata value)
        external
        view
        returns (string[] memory);

    // Artifacts
    function getCode(string calldata artifact) external view returns (bytes memory);
    function getDeployedCode(string calldata artifact) external view returns (bytes memory);
    function deployCode(string calldata artifact) external returns (address);
    function deployCode(string calldata artifact, bytes calldata arguments) external returns (address);
    function deployCode(string calldata artifact, uint256 value) external returns (address);
    function deployCode(string calldata artifact, bytes calldata arguments, uint256 value) external returns (address);
    function deployCode(string calldata artifact, bytes32 salt) external returns (address);
    function deployCode(string calldata artifact, bytes calldata arguments, bytes32 salt) external returns (address);
}
