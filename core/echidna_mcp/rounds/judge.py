"""When a test is falsified (Echidna's rules, without its bugs).

* A property is evaluated after a call that succeeded, by calling it from `psender`. It
  passes if it returns exactly true; an inverted one passes if it fails, in whatever way
  (to Echidna running out of gas and 0xfe are reverts, too).
* An assertion test fails if the last call was for its function and ended in opcode
  0xfe, in a revert with `Panic(1)` or with the message of a failed forge-std assertion,
  or if a log named `AssertionFailed` was emitted in it, reverted frames included.
  An assertion of a cheatcode (`vm.assertEq`) that failed and was not caught counts as
  well, and so does the flag with which ds-test tells of a failure.
* The assertion log test fails if any call emitted such a log.
* The value of an optimization test is what it returns when it is called from `psender`,
  after every call, however that ended. What is reported is the greatest one.
* The overflow test fails if a call reverts with `Panic(0x11)`.
* The destruction tests fail if a call leads to the end of a contract: since Cancun one
  that it has created itself (EIP-6780).

Those of Foundry (its rules):

* An invariant is evaluated as a property is, and holds if the call succeeds and no
  assertion of a cheatcode has told of a failure. What comes after the invariants is
  evaluated at the end of a sequence, however its last call ended.
* With `fail_on_revert` any call that fails, and is not discarded by `vm.assume` or
  `vm.skip`, fails the assertion test of its function.
* Without `fuzz_fail_on_revert` a run of a test with arguments passes, whatever else it
  does, if the first call that reverted was neither of the test nor of a cheatcode.
* A sequence fails if more of its calls are discarded than `max_assume_rejects`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from echidna_mcp.abi.log import AbiEvent, events_of, log_text
from echidna_mcp.abi.render import render_address
from echidna_mcp.abi.revert import PANIC_OVERFLOW, panic, revert_reason
from echidna_mcp.cheatcodes.addresses import CHEATCODES
from echidna_mcp.evm.backend import (
    CallResult,
    EvmBackend,
    Log,
    Message,
    Status,
    Watch,
)
from echidna_mcp.program.target import FuzzTarget, TestCase
from echidna_mcp.rounds.caller import Called
from echidna_mcp.rounds.foundry.discarded import is_discarded, is_skipped

_MOST_TEXT = 400
"""Characters of a log that a reason quotes."""


LEAST_VALUE: Final = -(1 << 255)
"""What the first value of an optimization test must exceed, as in Echidna."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A test is falsified, why, and the gas of the call that showed it.

    Attributes:
        value: of an optimization test, which is not falsified but has that value; None
            of all others.
    """

    reason: str
    gas_used: int
    value: int | None = None


class Judge:
    """Evaluates the tests of one target on a backend."""

    def __init__(self, target: FuzzTarget, backend: EvmBackend) -> None:
        self._target = target
        self._backend = backend
        self._assertion_events = _assertion_events(target)
        self.assertion_topics = frozenset(e.topic for e in self._assertion_events)
        self.steps = 0
        """EVM steps spent on evaluating properties, for the work budget."""
        self.refused: dict[tuple[str, str], str] = {}
        """Why cheatcodes do not work that properties have called, by cheatcode and
        property."""
        self.watch = Watch()
        """What is told of a test that is asked."""
        self.heard: CallResult | None = None
        """What the test did that was asked last; None if the last one was not asked."""
        self._panics = frozenset(map(panic, target.config.panic_codes))
        once = {each: target.functions[each] for each in target.run_once}
        self._units = {function.selector for function in once.values()}
        self._rows = {
            function.selector: frozenset(target.calldata_of(each))
            for each, function in once.items()
            if function.inputs.members
        }

    def falsified(self, test: TestCase, last: Called | None) -> Verdict | None:
        """Judge a test in the present state.

        Args:
            test: what is judged.
            last: the last call; None in the initial state.

        Returns:
            Why it is falsified, or the value of an optimization test; None if the test
            holds, or has no value.
        """
        self.heard = None
        match test.kind:
            case "property" | "invariant":
                if last is not None and not last.result.status.succeeded:
                    return None
                return self._asked(test)
            case "after_invariant" | "optimization":
                return self._asked(test)
            case _:
                return None if last is None else self._of_call(test, last)

    def _of_call(self, test: TestCase, last: Called) -> Verdict | None:
        """Judge a test that is about what calls do."""
        match test.kind:
            case "discards":
                return self._discards(last)
            case "assertion_log":
                return self._assertion_log(last.result)
            case "overflow":
                return self._overflow(last.result)
            case "destruction" | "any_destruction":
                return self._destruction(test, last.result)
            case _:
                return self._assertion(test, last) if self._is_of(test, last) else None

    def _is_of(self, test: TestCase, last: Called) -> bool:
        """Whether a call is of the test's function; a table test has its rows alone.

        Nobody asks what it says of others.
        """
        if (last.callee, last.data[:4]) != (test.callee, test.selector):
            return False
        rows = self._rows.get(test.selector)
        return rows is None or last.data in rows

    def question(self, test: TestCase) -> Message:
        """Return the call by which a property or invariant is judged."""
        config = self._target.config
        return Message(
            sender=config.psender,
            to=self._target.callees[test.callee].address,
            data=test.selector,
            gas=config.prop_max_gas,
        )

    def compared(self, test: TestCase) -> CallResult:
        """Ask a test what it compares in the present state, which stays as it is."""
        return self._ask(test, Watch(comparisons=True))

    def _ask(self, test: TestCase, watch: Watch) -> CallResult:
        before = self._backend.snapshot()
        result = self._backend.call(self.question(test), watch)
        self._backend.restore(before)
        self.steps += result.steps
        return result

    def _asked(self, test: TestCase) -> Verdict | None:
        """Judge a test by calling it; the state stays as it is."""
        config = self._target.config
        self.heard = result = self._ask(test, self.watch)
        for each in result.refused:
            self.refused.setdefault((each.cheatcode, test.name), each.reason)
        if result.refused and not config.ignore_refused:
            return None  # What it would have said is not known.
        if test.kind == "optimization":
            return _value(result)
        if test.kind != "property":
            return self._invariant(result)
        if test.inverted:
            holds = not result.status.succeeded
        else:
            holds = result.status is Status.RETURN_TRUE
        return None if holds else Verdict(self._explain(result), result.gas_used)

    def _invariant(self, result: CallResult) -> Verdict | None:
        if result.failed_assertion:
            return Verdict(self._explain_assertion(result), result.gas_used)
        if result.status.succeeded:
            return None
        return Verdict(self._explain(result), result.gas_used)

    def _assertion(self, test: TestCase, called: Called) -> Verdict | None:
        config, last = self._target.config, called.result
        if config.of_foundry and last.refused and not config.ignore_refused:
            return None  # What it would have done is not known.
        if self._is_excused(test, last):
            return None
        if last.failed_assertion:
            return Verdict(self._explain_assertion(last), last.gas_used)
        if last.status is Status.INVALID_OPCODE or (
            last.status is Status.REVERT and self._reverted_assertion(last.output)
        ):
            return Verdict(self._explain(last), last.gas_used)
        if config.of_foundry:
            return self._failed_call(test, last)
        return self._assertion_log(last)

    def _is_excused(self, test: TestCase, last: CallResult) -> bool:
        """Whether a run passes because of who has reverted first."""
        config = self._target.config
        return (
            config.excuses_reverts
            and last.reverter not in (None, config.contract_addr, CHEATCODES)
            and test.selector not in self._units
        )

    def _failed_call(self, test: TestCase, last: CallResult) -> Verdict | None:
        if last.status.succeeded or not self._target.config.fail_on_revert:
            return None
        # A unit test has no other arguments for which it could hold.
        is_unit = test.selector in self._units
        if is_skipped(last) or (is_discarded(last) and not is_unit):
            return None
        return Verdict(self._explain(last), last.gas_used)

    def _assertion_log(self, last: CallResult) -> Verdict | None:
        for logs in (last.logs, last.dropped_logs):
            for log in logs:
                if log.topics and log.topics[0] in self.assertion_topics:
                    return Verdict(self._logged(log), last.gas_used)
        return None

    def _reverted_assertion(self, output: bytes) -> bool:
        text = output[4 + 32 + 32 :]  # selector, offset and length of `Error(string)`
        return output in self._panics or text.startswith(b"assertion failed")

    def _overflow(self, last: CallResult) -> Verdict | None:
        if last.status is not Status.REVERT or last.output != PANIC_OVERFLOW:
            return None
        return Verdict(self._explain(last), last.gas_used)

    def _destruction(self, test: TestCase, last: CallResult) -> Verdict | None:
        contract = self._target.config.contract_addr
        ended = last.destroyed
        if test.kind == "destruction":
            ended = tuple(each for each in ended if each == contract)
        if not ended:
            return None
        addresses = ", ".join(map(render_address, ended))
        return Verdict(f"destroyed {addresses}", last.gas_used)

    def _discards(self, last: Called) -> Verdict | None:
        allowed = self._target.config.max_assume_rejects
        if last.discards <= allowed:
            return None
        reason = f"vm.assume rejected too many inputs ({allowed} allowed)"
        return Verdict(reason, last.result.gas_used)

    def _logged(self, log: Log) -> str:
        text = log_text(log, self._assertion_events)
        return f"logged {text[:_MOST_TEXT]}{'…' if len(text) > _MOST_TEXT else ''}"

    def _explain_assertion(self, last: CallResult) -> str:
        """Say how an assertion of a cheatcode has failed."""
        if last.status.succeeded:
            return "told that the test failed"
        return self._explain(last)

    def _explain(self, result: CallResult) -> str:
        if result.status is Status.RETURN_FALSE:
            return "returned false"
        if result.status is Status.REVERT:
            reason = revert_reason(result.output, self._target.errors)
            return f"reverted: {reason or 'no reason given'}"
        return f"ended with {result.status.name}"


def _value(result: CallResult) -> Verdict | None:
    """Return the value that a call returned; None if it failed."""
    if not result.status.succeeded or len(result.output) < 32:
        return None
    value = int.from_bytes(result.output[:32], "big", signed=True)
    return Verdict(f"value {value}", result.gas_used, value)


def _assertion_events(target: FuzzTarget) -> tuple[AbiEvent, ...]:
    """The events named `AssertionFailed` in any compiled contract; none for forge."""
    if target.config.of_foundry:
        return ()
    return events_of(
        entry
        for contract in target.program.contracts
        for entry in contract.abi
        if entry.get("name") == "AssertionFailed"
    )
