"""The parts of a Foundry test that are the same in all, and when they are there.

They compile from Solidity 0.5.3 on: calls are made in assembly, since the syntax for
value and gas has changed with 0.6.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from echidna_mcp.exports.reproducer import Manner

INTRINSIC_GAS: Final = 21_000
"""What forge adds to the gas of a call that it isolates; it charges for calldata."""
STIPEND: Final = 2_300
"""Gas that the EVM adds to that of a call with value."""

_VM: Final = {
    "chainId": "chainId(uint256) external",
    "coinbase": "coinbase(address) external",
    "deal": "deal(address, uint256) external",
    "etch": "etch(address, bytes calldata) external",
    "fee": "fee(uint256) external",
    "getBlockNumber": "getBlockNumber() external view returns (uint256)",
    "getBlockTimestamp": "getBlockTimestamp() external view returns (uint256)",
    "getNonce": "getNonce(address) external view returns (uint64)",
    "getRecordedLogs": "getRecordedLogs() external returns (Log[] memory)",
    "load": "load(address, bytes32) external view returns (bytes32)",
    "prank": "prank(address, address) external",
    "prevrandao": "prevrandao(bytes32) external",
    "recordLogs": "recordLogs() external",
    "revertToState": "revertToState(uint256) external returns (bool)",
    "roll": "roll(uint256) external",
    "setNonce": "setNonce(address, uint64) external",
    "setNonceUnsafe": "setNonceUnsafe(address, uint64) external",
    "snapshotState": "snapshotState() external returns (uint256)",
    "startPrank": "startPrank(address, address) external",
    "startStateDiffRecording": "startStateDiffRecording() external",
    "stopAndReturnStateDiff": "stopAndReturnStateDiff() external "
    "returns (AccountAccess[] memory)",
    "stopPrank": "stopPrank() external",
    "store": "store(address, bytes32, bytes32) external",
    "txGasPrice": "txGasPrice(uint256) external",
    "warp": "warp(uint256) external",
}
_STRUCTS: Final = {
    "getRecordedLogs": """\
    struct Log { bytes32[] topics; bytes data; address emitter; }
""",
    "stopAndReturnStateDiff": """\
    struct ChainInfo { uint256 forkId; uint256 chainId; }
    struct StorageAccess {
        address account; bytes32 slot; bool isWrite; bytes32 before; bytes32 later;
        bool reverted;
    }
    struct AccountAccess {
        ChainInfo chainInfo; uint8 kind; address account; address accessor;
        bool initialized; uint256 oldBalance; uint256 newBalance; bytes deployedCode;
        uint256 value; bytes data; bool reverted; StorageAccess[] storageAccesses;
        uint64 depth;
    }
""",
}

_SITE: Final = """\
/// Code that takes the place of another, and is gone before that place is looked at.
contract Site {
    Vm private constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    /// Runs creation code in the name of this account, which has no code meanwhile.
    function construct(address creation) external payable {
        vm.etch(address(this), "");
        assembly {
            let ok := delegatecall(gas(), creation, 0, 0, 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
"""
_SITE_ACT: Final = """
    /// Makes a call in the name of this account, whose code is put back before.
    function act(
        bytes calldata code, address to, uint256 value, uint256 allowance,
        bytes calldata data
    ) external returns (bool ok, bytes memory output) {
        vm.etch(address(this), code);
        bytes memory input = data;
        assembly {
            ok := call(allowance, to, value, add(input, 32), mload(input), 0, 0)
            output := mload(64)
            mstore(64, add(output, and(add(returndatasize(), 63), not(31))))
            mstore(output, returndatasize())
            returndatacopy(add(output, 32), 0, returndatasize())
        }
    }
"""
_SITE_FORGET: Final = """
    /// Ends pranks that frames as deep as those of this one have left behind.
    function forget(uint256 frames) external {
        vm.stopPrank();
        if (frames != 0) this.forget(frames - 1);
    }
"""

_SITE_SIZE: Final = """
    /// Tells how long the code of an account is; only another transaction knows that
    /// it is gone.
    function size(address account) external view returns (uint256 found) {
        assembly { found := extcodesize(account) }
    }
"""

_PLACE: Final = """
    /// Deploys at an address that no creation gives, as the plan of the campaign says.
    function place(address at, bytes memory creation, uint256 value) private {
        vm.etch(CREATION, creation);
        vm.setNonceUnsafe(at, 1);
        vm.etch(at, type(Site).runtimeCode);
        bytes memory data = abi.encodeWithSignature("construct(address)", CREATION);
        (bool ok, bytes memory runtime) = {perform}(DEPLOYER, at, value, PLENTY, data);
        require(ok, "A constructor fails.");
        vm.etch(CREATION, "");
        vm.etch(at, runtime);
    }
"""
_PERFORM: Final = """
    /// Makes a call as a transaction of `sender`. Its value comes from nowhere, and
    /// goes there again if the call fails.
    function {name}(
        address sender, address to, uint256 value, uint256 allowance, bytes memory data
    ) private returns (bool ok, bytes memory output) {
        uint256 had = sender.balance;
        if (value != 0) {
            vm.deal(sender, had + value);
            allowance -= 2300; // which the EVM adds
        }
{nonce}        {begin}
        assembly {
            ok := call(allowance, to, value, add(data, 32), mload(data), 0, 0)
            output := mload(64)
            mstore(64, add(output, and(add(returndatasize(), 63), not(31))))
            mstore(output, returndatasize())
            returndatacopy(add(output, 32), 0, returndatasize())
        }
{end}        if (value != 0 && !ok) vm.deal(sender, had);
    }
"""
_OWN: Final = """
    /// The same for a call below which there are pranks of both kinds: without one.
    function performOwn(
        address sender, address to, uint256 value, uint256 allowance, bytes memory data
    ) private returns (bool ok, bytes memory output) {
        uint256 had = sender.balance;
        if (value != 0) {
            vm.deal(sender, had + value);
            allowance -= 2300; // which the EVM adds
        }
        bytes memory code;
        assembly {
            code := mload(64)
            mstore(64, add(code, and(add(extcodesize(sender), 63), not(31))))
            mstore(code, extcodesize(sender))
            extcodecopy(sender, add(code, 32), 0, extcodesize(sender))
        }
        vm.etch(sender, type(Site).runtimeCode);
{nonce}        (ok, output) = Site(sender).act(code, to, value, allowance, data);
{end}        if (value != 0 && !ok) vm.deal(sender, had);
    }
"""
_LINKED: Final = """
    /// Returns code with the address of a library that the campaign has linked.
    function linked(bytes memory code, address library_, address wanted)
        private pure returns (bytes memory)
    {
        bytes20 known = bytes20(library_);
        bytes20 chosen = bytes20(wanted);
        for (uint256 i = 0; i + 20 <= code.length; i++) {
            bytes20 word;
            assembly { word := mload(add(add(code, 32), i)) }
            if (word == known) for (uint256 j = 0; j < 20; j++) code[i + j] = chosen[j];
        }
        return code;
    }
"""
_STARTS_WITH: Final = """
    /// Whether bytes from a place on are those of a text.
    function has(bytes memory data, uint256 at, bytes memory text)
        private pure returns (bool)
    {
        if (data.length < at + text.length) return false;
        for (uint256 i = 0; i < text.length; i++) {
            if (data[at + i] != text[i]) return false;
        }
        return true;
    }
"""
_WAIT: Final = """
    /// Lets time pass.
    function wait(uint256 delay, uint256 blocks) private {
        vm.warp(vm.getBlockTimestamp() + delay);
        vm.roll(vm.getBlockNumber() + blocks);
    }
"""

PERFORMERS: Final = {
    Manner.SINGLE: "perform",
    Manner.LASTING: "performLasting",
    Manner.OWN: "performOwn",
}
"""The function that makes a call in each manner."""


def vm_interface(text: str) -> str:
    """Return the interface of the cheatcodes that a text calls."""
    used = sorted(_VM.keys() & set(re.findall(r"\bvm\.(\w+)\(", text)))
    structs = "".join(_STRUCTS.get(name, "") for name in used)
    functions = "".join(f"    function {_VM[name]};\n" for name in used)
    return f"interface Vm {{\n{structs}{functions}}}\n"


def needs_structs(text: str) -> bool:
    """Whether a text calls cheatcodes that return structs."""
    return any(f"vm.{name}(" in text for name in _STRUCTS)


def site(text: str) -> str:
    """Return the contract that stands in for others, as far as a text needs it."""
    act = _SITE_ACT if ".act(" in text else ""
    forget = _SITE_FORGET if ".forget(" in text else ""
    size = _SITE_SIZE if ".size(" in text else ""
    return f"{_SITE}{act}{forget}{size}}}\n"


def functions_for(text: str, *, isolated: bool) -> Iterator[str]:
    """Yield the private functions that a text calls.

    Args:
        text: the body of a test; `{perform}` of `place` is filled in by the caller.
        isolated: whether forge makes a transaction of each call, which counts up the
            nonce of its sender.
    """
    for manner, name in PERFORMERS.items():
        if f"{name}(" in text:
            yield _performer(manner, name, isolated=isolated)
    if "wait(" in text:
        yield _WAIT
    if "linked(" in text:
        yield _LINKED
    if "has(" in text:
        yield _STARTS_WITH


def place(manner: Manner) -> str:
    """Return the function that deploys, where constructors want a manner."""
    text = _PLACE.replace("{perform}", PERFORMERS[manner])
    return text.replace("function place(", f"function {place_name(manner)}(")


def place_name(manner: Manner) -> str:
    """Return the name of that function."""
    return "place" if manner is Manner.SINGLE else f"place{manner.name.title()}"


def _performer(manner: Manner, name: str, *, isolated: bool) -> str:
    payer = "address(this)" if manner is Manner.OWN else "sender"
    nonce = end = ""
    if isolated:
        nonce = (
            f"        uint64 nonce = vm.getNonce({payer}); // which forge counts up\n"
            f"        if (nonce != 0) vm.setNonceUnsafe({payer}, nonce - 1);\n"
        )
        end = (
            f"        uint64 counted = vm.getNonce({payer});\n"
            f"        if (nonce == 0 && counted != 0) "
            f"vm.setNonceUnsafe({payer}, counted - 1);\n"
        )
    if manner is Manner.OWN:
        return _OWN.replace("{nonce}", nonce).replace("{end}", end)
    begin = "vm.prank(sender, sender);"
    if manner is Manner.LASTING:
        begin = "vm.startPrank(sender, sender);"
        end = "        vm.stopPrank();\n" + end
    return (
        _PERFORM.replace("{name}", name)
        .replace("{nonce}", nonce)
        .replace("{begin}", begin)
        .replace("{end}", end)
    )
