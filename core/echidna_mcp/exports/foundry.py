"""A finding, or a sequence of the corpus, as a Foundry test that stands alone.

It passes if, and only if, what was recorded happens again: the world is built as the
plan of the campaign says, at the same addresses, and each call is a transaction of its
own (`isolate`), as in the campaign. Source of what cheatcodes do: Foundry 1.7.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from echidna_mcp.abi.function import selector_of
from echidna_mcp.errors import UsageError
from echidna_mcp.evm.fork import system_contracts
from echidna_mcp.exports.creation import Sources
from echidna_mcp.exports.helpers import (
    INTRINSIC_GAS,
    PERFORMERS,
    functions_for,
    needs_structs,
    place,
    place_name,
    site,
    vm_interface,
)
from echidna_mcp.exports.literals import (
    address_literal,
    bytes_literal,
    calldata_expression,
    identifier,
    one_line,
    text_literal,
)
from echidna_mcp.exports.reproducer import Manner, manner_of, uses_pranks
from echidna_mcp.exports.verdicts import Verdict, discard_count, judged, verdict_of

if TYPE_CHECKING:
    from echidna_mcp.evm.backend import CallResult
    from echidna_mcp.exports.reproducer import Reproducer, Step
    from echidna_mcp.program.target import FuzzTarget
    from echidna_mcp.traces.execution import Made

_SITE: Final = "Site"
_VM: Final = "Vm"
_CREATION: Final = 0x00000000000000000000000000000000C0DE
_PLENTY: Final = 0xFFFFFFFF
"""Gas of deployments, as `rounds.deployment` has it."""
_FORGE_SENDER: Final = 0x1804C8AB1F12E6BBF3894D4083F33E07309D1F38
_FRAMES: Final = 8
"""So deep pranks are looked for that a call has left behind."""
_INDENT: Final = " " * 8


@dataclass(frozen=True, slots=True)
class TestFile:
    """A file of Solidity.

    Attributes:
        name: without directory.
        text: what it holds.
    """

    name: str
    text: str

    __test__ = False  # not a pytest class


def foundry_test(target: FuzzTarget, reproducer: Reproducer) -> TestFile:
    """Return a reproducer as a Foundry test.

    Raises:
        UsageError: a call of it takes the place of one that a contract makes, which no
            Foundry test can say.
    """
    return _Writing(target, reproducer).file()


class _Writing:
    """Writes one test."""

    def __init__(self, target: FuzzTarget, reproducer: Reproducer) -> None:
        _refuse_overrides(reproducer)
        config = target.config
        self._target = target
        self._reproducer = reproducer
        main = target.program.main_contract.name
        self._subject = identifier(reproducer.subject)
        self._contract = f"{identifier(main)}_{self._subject}_Test"
        taken = frozenset([_VM, _SITE, self._contract])
        self._sources = Sources(target.program, taken)
        # In a transaction of its own a call has neither a price nor a base fee.
        self._isolated = not (config.max_gas_price or config.base_fee)
        is_foundry = config.cheat_dialect == "foundry"
        manners = map(manner_of, reproducer.results)
        # What a call leaves behind is found again by those that are as deep.
        self._only_own = is_foundry and Manner.OWN in manners
        # Pranks end with the frame that asked for them, elsewhere than in Foundry.
        self._forgets = not is_foundry and any(map(uses_pranks, reproducer.results))

    def _manner(self, result: CallResult) -> Manner:
        """Return in which manner the message is made that did this."""
        return Manner.OWN if self._only_own else manner_of(result)

    def _own_sender(self) -> int | None:
        """Return who makes the last message without a prank, if there is one."""
        deployer = self._target.config.deployer
        sent = [(deployer, result) for result in self._reproducer.deployment]
        sent += [(m.message.sender, m.result) for m in _made(self._reproducer)]
        own = [who for who, result in sent if self._manner(result) is Manner.OWN]
        return own[-1] if own else None

    def file(self) -> TestFile:
        """Return the test."""
        body = "".join(
            (
                self._function(f"test_{self._subject}() public", self._test()),
                self._function("world() private", self._world()),
                self._function("deploy() private", self._deploy()),
            )
        )
        body += "".join(self._places())
        body += "".join(_extras(body))
        body += "".join(functions_for(body, isolated=self._isolated))
        constants = "".join(f"    {line}\n" for line in self._constants())
        contract = f"contract {self._contract} {{\n{constants}{body}}}\n"
        helper = site(body)
        text = "\n".join(
            (
                self._head(body),
                vm_interface(f"{helper}{contract}"),
                helper,
                f"{''.join(self._settings())}{contract}",
            )
        )
        return TestFile(f"{self._contract}.t.sol", text)

    # ------------------------------------------------------------------- around it

    def _head(self, body: str) -> str:
        old = self._sources.has_old_syntax
        reason = one_line(self._reproducer.reason)
        lines = [
            "// SPDX-License-Identifier: UNLICENSED",
            f"// {one_line(self._reproducer.subject)}{reason and f': {reason}'}",
            "// Written by echidna-mcp: passes while what was recorded happens again.",
            f"pragma solidity >={'0.5.3' if old else '0.8.0'};",
        ]
        if old and needs_structs(body):
            lines.append("pragma experimental ABIEncoderV2;")
        lines += ["", *self._sources.imports()]
        return "\n".join(lines).rstrip("\n") + "\n"

    def _settings(self) -> Iterator[str]:
        """Yield the settings of forge for the test (inline configuration)."""
        config = self._target.config
        settings = {"evm_version": f'"{config.evm_version}"'}
        if self._isolated:
            settings["isolate"] = "true"
        if not config.assertions_revert:
            settings["assertions_revert"] = "false"
        if config.internal_expect_revert:
            settings["allow_internal_expect_revert"] = "true"
        sender = self._own_sender()
        deployed = {each.address for each in self._target.plan.deployments}
        # A contract as sender would put the test where it creates another one.
        if sender not in (None, _FORGE_SENDER) and sender not in deployed:
            settings["sender"] = f'"0x{sender:040x}"'  # It is tx.origin then.
        for key, value in settings.items():
            yield f"/// forge-config: default.{key} = {value}\n"

    def _constants(self) -> Iterator[str]:
        config = self._target.config
        yield "Vm private constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);"
        yield f"address private constant CREATION = {address_literal(_CREATION)};"
        yield f"address private constant DEPLOYER = {address_literal(config.deployer)};"
        yield f"uint256 private constant PLENTY = {_PLENTY};"
        yield f"uint256 private constant GAS = {self._gas(config.test_max_gas)};"

    def _gas(self, whole: int) -> int:
        return max(whole - INTRINSIC_GAS, 0)

    @staticmethod
    def _function(head: str, lines: Iterator[str]) -> str:
        inner = "".join(f"{_INDENT}{line}\n" for line in lines)
        return f"\n    function {head} {{\n{inner}    }}\n"

    # -------------------------------------------------------------------- the world

    def _world(self) -> Iterator[str]:
        config = self._target.config
        yield f"vm.warp({config.block_timestamp});"
        yield f"vm.roll({config.block_number});"
        yield f"vm.chainId({config.chain_id});"
        yield f"vm.coinbase({address_literal(config.coinbase)});"
        yield f"vm.prevrandao(bytes32(uint256({config.prev_randao})));"
        if not self._isolated:
            yield f"vm.fee({config.base_fee});"
            yield f"vm.txGasPrice({config.max_gas_price});"
        for address, code in system_contracts(config.evm_version).items():
            at = address_literal(address)
            yield f"vm.etch({at}, {bytes_literal(code)});"
            yield f"vm.setNonce({at}, 1);"
        balances = dict.fromkeys(
            (config.deployer, *config.senders), config.balance_addr
        )
        for address, amount in (balances | dict(config.balances)).items():
            yield f"vm.deal({address_literal(address)}, {amount});"

    def _deploy(self) -> Iterator[str]:
        target = self._target
        results = iter(self._reproducer.deployment)
        for deployment in target.plan.deployments:
            yield f"// {one_line(deployment.name)}"
            code = self._sources.creation(deployment)
            function = place_name(self._manner(next(results)))
            at = address_literal(deployment.address)
            yield f"{function}({at}, {code}, {deployment.value});"
            yield from self._forget()
        if target.plan.set_up:
            data = 'abi.encodeWithSignature("setUp()")'
            yield from self._begin("setUp()", data, next(results))
        for step in target.world.steps:
            yield from self._begin("A step", bytes_literal(step), next(results))

    def _begin(self, name: str, data: str, result: CallResult) -> Iterator[str]:
        """Yield the call of the target with which the world begins."""
        at = address_literal(self._target.config.contract_addr)
        call = f"{PERFORMERS[self._manner(result)]}(DEPLOYER, {at}, 0, PLENTY, {data})"
        yield "{"
        yield f"    (bool ok,) = {call};"
        yield f"    require(ok, {text_literal(f'{name} fails.')});"
        yield "}"
        yield from self._forget()

    def _places(self) -> Iterator[str]:
        deployments = self._target.plan.deployments
        used = map(self._manner, self._reproducer.deployment[: len(deployments)])
        for manner in dict.fromkeys(used):
            yield place(manner)

    def _forget(self) -> Iterator[str]:
        if self._forgets:
            yield "vm.etch(CREATION, type(Site).runtimeCode);"
            yield f"Site(CREATION).forget({_FRAMES});"

    # ----------------------------------------------------------------- the sequence

    def _test(self) -> Iterator[str]:
        reproducer = self._reproducer
        yield "world();"
        yield "deploy();"
        if reproducer.test is None:
            yield "bool ok;"
            for number, step in enumerate(reproducer.steps, 1):
                yield from self._recorded(number, step)
            return
        verdict = verdict_of(self._target, reproducer)
        yield "bool ok = true;"
        yield "bytes memory output;"
        yield "bool failed;"
        if reproducer.test.kind == "discards":
            yield "uint256 discards;"
        made = [step for step in reproducer.steps if step.made is not None]
        last = made[-1] if made else None
        asked = reproducer.question
        for step in reproducer.steps:
            if asked is None and step is last:
                yield from self._last(step, verdict)
            else:
                yield from self._call(step)
        if asked is not None:
            if verdict.needs_success:
                sentence = "The last call fails, and nothing is asked then."
                yield f"require(ok, {text_literal(sentence)});"
            yield f"// {one_line(reproducer.subject)}"
            yield from self._judged(asked, self._question(asked), verdict)
        yield "flagged();"
        yield from judged(reproducer)

    def _question(self, asked: Made) -> str:
        """Return the calldata of a question, which takes no arguments."""
        signature = self._reproducer.subject.rpartition(".")[2].partition("(")[0] + "()"
        if selector_of(signature) != asked.message.data:
            return bytes_literal(asked.message.data)
        return f'abi.encodeWithSignature("{signature}")'

    def _recorded(self, number: int, step: Step) -> Iterator[str]:
        yield from self._comment(step)
        if step.made is None:
            return
        call = self._expression(
            step.made, calldata_expression(step.function, step.made.message.data)
        )
        yield f"(ok,) = {call};"
        if step.made.result.failed_assertion:
            yield "flagged(); // That is no reason to fail."
        succeeded = step.made.result.status.succeeded
        sentence = f"Call {number} {'failed' if not succeeded else 'succeeded'} before."
        yield f"require({'ok' if succeeded else '!ok'}, {text_literal(sentence)});"
        yield from self._forget()

    def _call(self, step: Step) -> Iterator[str]:
        yield from self._comment(step)
        if step.made is None:
            return
        data = calldata_expression(step.function, step.made.message.data)
        call = self._expression(step.made, data)
        counted = self._reproducer.test is not None and (
            self._reproducer.test.kind == "discards"
        )
        yield f"(ok, {'output' if counted else ''}) = {call};"
        if counted:
            yield discard_count()
        if step.made.result.failed_assertion:
            yield "flagged(); // That is not what is shown."
        yield from self._forget()

    def _last(self, step: Step, verdict: Verdict) -> Iterator[str]:
        yield from self._comment(step)
        assert step.made is not None
        data = calldata_expression(step.function, step.made.message.data)
        yield from self._judged(step.made, data, verdict)

    def _comment(self, step: Step) -> Iterator[str]:
        made = step.made
        if made is None:
            yield f"// {one_line(step.text)}: there is no such contract, it is left out"
            return
        yield f"// {one_line(step.text)}"
        if made.message.time_delay or made.message.block_delay:
            yield f"wait({made.message.time_delay}, {made.message.block_delay});"

    def _judged(self, made: Made, data: str, verdict: Verdict) -> Iterator[str]:
        """Yield the message that shows the failure, and what makes `failed` of it."""
        call = self._expression(made, data)
        if verdict.twice:
            # With less gas than it wants, a call ends as with opcode 0xfe.
            more = self._expression(made, data, factor=2)
            yield "uint256 snapshot = vm.snapshotState();"
            yield "uint256 left = gasleft();"
            yield f"{more};"
            yield f"bool burned = left - gasleft() >= 2 * {self._limit(made)};"
            yield "vm.revertToState(snapshot);"
        yield from verdict.before
        if verdict.needs_burned and not verdict.twice:
            yield "uint256 left = gasleft();"
        yield f"(ok, output) = {call};"
        if verdict.needs_burned and not verdict.twice:
            yield f"bool burned = left - gasleft() >= {self._limit(made)};"
        if self._reproducer.test is not None and (
            self._reproducer.test.kind == "discards"
        ):
            yield discard_count()
        yield from verdict.after

    def _limit(self, made: Made) -> str:
        gas = made.message.gas
        return "GAS" if gas == self._target.config.test_max_gas else str(self._gas(gas))

    def _expression(self, made: Made, data: str, factor: int = 1) -> str:
        message = made.message
        assert message.to is not None
        gas = self._limit(made) if factor == 1 else f"{factor} * {self._limit(made)}"
        arguments = (
            address_literal(message.sender),
            address_literal(message.to),
            str(message.value),
            gas,
            data,
        )
        return f"{PERFORMERS[self._manner(made.result)]}({', '.join(arguments)})"


def _made(reproducer: Reproducer) -> Iterator[Made]:
    yield from (step.made for step in reproducer.steps if step.made is not None)
    if reproducer.question is not None:
        yield reproducer.question


def _refuse_overrides(reproducer: Reproducer) -> None:
    if any(each.message.override is not None for each in _made(reproducer)):
        raise UsageError(
            f"A call of {reproducer.subject} takes the place of one that a contract "
            "makes (call_override), which no Foundry test can say; export it as text."
        )


def _extras(body: str) -> Iterator[str]:
    """Yield small functions that a text calls."""
    if "flagged()" in body:
        yield """
    /// Whether an assertion has told, by the flag of ds-test, that a test failed. Forge
    /// looks at the same flag, so it is taken back.
    function flagged() private returns (bool found) {
        found = vm.load(address(vm), "failed") != 0;
        vm.store(address(vm), "failed", 0);
    }
"""
