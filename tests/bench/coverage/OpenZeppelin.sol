// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

import {Governor} from "@openzeppelin/contracts/governance/Governor.sol";
import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";
import {GovernorCountingSimple} from
    "@openzeppelin/contracts/governance/extensions/GovernorCountingSimple.sol";
import {GovernorSettings} from
    "@openzeppelin/contracts/governance/extensions/GovernorSettings.sol";
import {GovernorTimelockControl} from
    "@openzeppelin/contracts/governance/extensions/GovernorTimelockControl.sol";
import {GovernorVotes} from
    "@openzeppelin/contracts/governance/extensions/GovernorVotes.sol";
import {GovernorVotesQuorumFraction} from
    "@openzeppelin/contracts/governance/extensions/GovernorVotesQuorumFraction.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC20Votes} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Votes.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";
import {Suite} from "./Suite.sol";

contract Voice is ERC20("Voice", "VCE"), ERC20Permit("Voice"), ERC20Votes {
    constructor() {
        for (uint160 i = 1; i < 4; i++) {
            _mint(address(i * 0x10000), 1e24);
        }
        _mint(msg.sender, 3e24);
    }

    function _update(address from, address to, uint256 amount)
        internal
        override(ERC20, ERC20Votes)
    {
        super._update(from, to, amount);
    }

    function nonces(address owner)
        public
        view
        override(ERC20Permit, Nonces)
        returns (uint256)
    {
        return super.nonces(owner);
    }
}

contract Dao is
    Governor("Dao"),
    GovernorSettings(10, 1000, 1e18),
    GovernorCountingSimple,
    GovernorVotesQuorumFraction,
    GovernorTimelockControl
{
    constructor(Voice voice, TimelockController timelock)
        GovernorVotes(voice)
        GovernorVotesQuorumFraction(4)
        GovernorTimelockControl(timelock)
    {}

    function state(uint256 id)
        public
        view
        override(Governor, GovernorTimelockControl)
        returns (ProposalState)
    {
        return super.state(id);
    }

    function proposalNeedsQueuing(uint256 id)
        public
        view
        override(Governor, GovernorTimelockControl)
        returns (bool)
    {
        return super.proposalNeedsQueuing(id);
    }

    function proposalThreshold()
        public
        view
        override(Governor, GovernorSettings)
        returns (uint256)
    {
        return super.proposalThreshold();
    }

    function _queueOperations(
        uint256 id,
        address[] memory to,
        uint256[] memory values,
        bytes[] memory calls,
        bytes32 description
    ) internal override(Governor, GovernorTimelockControl) returns (uint48) {
        return super._queueOperations(id, to, values, calls, description);
    }

    function _executeOperations(
        uint256 id,
        address[] memory to,
        uint256[] memory values,
        bytes[] memory calls,
        bytes32 description
    ) internal override(Governor, GovernorTimelockControl) {
        super._executeOperations(id, to, values, calls, description);
    }

    function _cancel(
        address[] memory to,
        uint256[] memory values,
        bytes[] memory calls,
        bytes32 description
    ) internal override(Governor, GovernorTimelockControl) returns (uint256) {
        return super._cancel(to, values, calls, description);
    }

    function _executor()
        internal
        view
        override(Governor, GovernorTimelockControl)
        returns (address)
    {
        return super._executor();
    }
}

/// @notice Proposes what a governor may change about itself, and sees it through.
contract Assembly {
    Voice public immutable voice = new Voice();
    TimelockController public immutable timelock;
    Dao public immutable dao;
    address[] private to;
    bytes[] private calls;

    constructor() {
        address[] memory none = new address[](0);
        timelock = new TimelockController(3600, none, none, address(this));
        dao = new Dao(voice, timelock);
        timelock.grantRole(timelock.PROPOSER_ROLE(), address(dao));
        timelock.grantRole(timelock.CANCELLER_ROLE(), address(dao));
        timelock.grantRole(timelock.EXECUTOR_ROLE(), address(0));
        voice.delegate(address(this));
    }

    function propose(uint8 kind, uint32 number) external {
        (address callee, bytes memory call) = _action(kind, number);
        to.push(callee);
        calls.push(call);
        (address[] memory a, uint256[] memory b, bytes[] memory c) = _last(1);
        dao.propose(a, b, c, "");
    }

    function vote(uint8 support, string calldata reason) external {
        dao.castVoteWithReason(id(), support, reason);
    }

    function queue() external {
        (address[] memory a, uint256[] memory b, bytes[] memory c) = _last(1);
        dao.queue(a, b, c, keccak256(""));
    }

    function execute() external {
        (address[] memory a, uint256[] memory b, bytes[] memory c) = _last(1);
        dao.execute(a, b, c, keccak256(""));
    }

    function cancel() external {
        (address[] memory a, uint256[] memory b, bytes[] memory c) = _last(1);
        dao.cancel(a, b, c, keccak256(""));
    }

    function id() public view returns (uint256) {
        (address[] memory a, uint256[] memory b, bytes[] memory c) = _last(1);
        return dao.hashProposal(a, b, c, keccak256(""));
    }

    function _last(uint256 count)
        private
        view
        returns (address[] memory a, uint256[] memory b, bytes[] memory c)
    {
        require(calls.length >= count, "nothing was proposed");
        (a, b, c) = (new address[](count), new uint256[](count), new bytes[](count));
        for (uint256 i; i < count; i++) {
            a[i] = to[to.length - 1 - i];
            c[i] = calls[calls.length - 1 - i];
        }
    }

    function _action(uint8 kind, uint32 number)
        private
        view
        returns (address, bytes memory)
    {
        kind %= 6;
        if (kind == 0) {
            return (address(dao), abi.encodeCall(dao.setVotingDelay, (number)));
        }
        if (kind == 1) {
            return (address(dao), abi.encodeCall(dao.setVotingPeriod, (number)));
        }
        if (kind == 2) {
            return (address(dao), abi.encodeCall(dao.setProposalThreshold, (number)));
        }
        if (kind == 3) {
            return (address(dao), abi.encodeCall(dao.updateQuorumNumerator, (number)));
        }
        if (kind == 4) {
            return (address(timelock), abi.encodeCall(timelock.updateDelay, (number)));
        }
        return (address(dao), abi.encodeCall(dao.relay, (address(voice), 0, "")));
    }
}

contract OpenZeppelinTest is Suite {
    Assembly private assembly_;

    function setUp() external {
        assembly_ = new Assembly();
        targets.push(address(assembly_));
        targets.push(address(assembly_.dao()));
        targets.push(address(assembly_.voice()));
        targets.push(address(assembly_.timelock()));
    }

    function invariant_supply() external view {
        require(assembly_.voice().totalSupply() == 6e24);
    }
}
