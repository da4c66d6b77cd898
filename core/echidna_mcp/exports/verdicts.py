"""How a Foundry test says that the failure of a test has happened again.

The rules are those of `rounds.judge`, for each kind of test.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, assert_never

from echidna_mcp.abi.log import events_of
from echidna_mcp.abi.revert import PANIC_OVERFLOW, panic
from echidna_mcp.cheatcodes.errors import ASSUME, CHEATCODE_ERROR, SKIP
from echidna_mcp.evm.backend import Status
from echidna_mcp.exports.literals import address_literal, bytes_literal, text_literal

if TYPE_CHECKING:
    from echidna_mcp.exports.reproducer import Reproducer
    from echidna_mcp.program.target import FuzzTarget, TestCase

_ASSERTION_MESSAGE_AT: Final = 4 + 32 + 32
"""Behind selector, offset and length, as in `Error(string)`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is written around the last call, or the question, of a sequence.

    Attributes:
        before: statements before the last message.
        after: statements behind it, which make `failed` of `ok`, `output`, `burned`.
        needs_success: whether the last call of the sequence has to succeed, or else the
            question is not asked.
        needs_burned: whether `burned` is needed: whether the message has used up all
            its gas.
        twice: whether the message is made with more gas first: if that is used up as
            well it was opcode 0xfe, and not too little gas.
    """

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    needs_success: bool = False
    needs_burned: bool = False
    twice: bool = False


def verdict_of(  # noqa: PLR0911 (one for each kind)
    target: FuzzTarget, reproducer: Reproducer
) -> Verdict:
    """Return how the failure of the test of a reproducer is told."""
    test = reproducer.test
    assert test is not None
    match test.kind:
        case "property":
            return _property(test)
        case "optimization":
            raised = (
                f"int256(abi.decode(output, (uint256))) >= {_int(reproducer.value)}"
            )
            failed = f"failed = ok && output.length >= 32 && {raised};"
            return Verdict(after=(failed,))
        case "invariant":
            return Verdict(after=("failed = !ok || flagged();",), needs_success=True)
        case "after_invariant":
            return Verdict(after=("failed = !ok || flagged();",))
        case "assertion":
            return _assertion(target, reproducer, test)
        case "assertion_log":
            return Verdict(before=("vm.recordLogs();",), after=_logged(target))
        case "overflow":
            reason = f"keccak256(output) == keccak256({bytes_literal(PANIC_OVERFLOW)})"
            return Verdict(after=(f"failed = !ok && {reason};",))
        case "destruction" | "any_destruction":
            return _destruction(target, test)
        case "discards":
            most = target.config.max_assume_rejects
            return Verdict(after=(f"failed = discards > {most};",))
        case _:
            assert_never(test.kind)


def _int(value: int | None) -> str:
    return "type(int256).min" if value is None else str(value)


def _property(test: TestCase) -> Verdict:
    if test.inverted:
        return Verdict(after=("failed = ok;",), needs_success=True)
    true = "output.length == 32 && abi.decode(output, (uint256)) == 1"
    return Verdict(after=(f"failed = !(ok && {true});",), needs_success=True)


def _assertion(target: FuzzTarget, reproducer: Reproducer, test: TestCase) -> Verdict:
    config = target.config
    last = [step.made.result for step in reproducer.steps if step.made][-1:]
    invalid = any(each.status is Status.INVALID_OPCODE for each in last)
    ways = ["flagged()"]
    if config.of_foundry and config.fail_on_revert:
        units = {target.functions[each].selector for each in target.run_once}
        passed = _skipped() if test.selector in units else _discarded()
        ways.append(f"(!ok && !{passed})")
    else:
        message = f'has(output, {_ASSERTION_MESSAGE_AT}, "assertion failed")'
        panics = [
            f"keccak256(output) == keccak256({bytes_literal(panic(code))})"
            for code in config.panic_codes
        ]
        ways.append(f"(!ok && ({' || '.join((message, *panics))}))")
        if any(each.failed_assertion for each in last):
            # With a message of its own it has no other mark.
            ways.append(f"(!ok && has(output, 0, {bytes_literal(CHEATCODE_ERROR)}))")
        if invalid:
            ways.append("(!ok && output.length == 0 && burned)")
    failed = (f"failed = {' || '.join(ways)};",)
    if config.of_foundry or not _topics(target):
        return Verdict(after=failed, needs_burned=invalid, twice=invalid)
    return Verdict(
        before=("vm.recordLogs();",),
        after=(*failed, *_logged(target)),
        needs_burned=invalid,
        twice=invalid,
    )


def _discarded() -> str:
    assumed = f"keccak256(output) == keccak256({bytes_literal(ASSUME)})"
    return f"({assumed} || {_skipped()})"


def _skipped() -> str:
    return f"has(output, 0, {bytes_literal(SKIP)})"


def discard_count() -> str:
    """Return the statement that counts a call which asked to be passed over."""
    return f"if (!ok && {_discarded()}) discards++;"


def _topics(target: FuzzTarget) -> list[bytes]:
    """Return the topics of the events that are named `AssertionFailed`."""
    entries = (entry for each in target.program.contracts for entry in each.abi)
    named = (each for each in entries if each.get("name") == "AssertionFailed")
    return sorted({event.topic for event in events_of(named)})


def _logged(target: FuzzTarget) -> tuple[str, ...]:
    wanted = " || ".join(
        f"logs[i].topics[0] == {bytes_literal(topic)}" for topic in _topics(target)
    )
    return (
        "Vm.Log[] memory logs = vm.getRecordedLogs();",
        "for (uint256 i = 0; i < logs.length; i++) {",
        f"    if (logs[i].topics.length != 0 && ({wanted})) failed = true;",
        "}",
    )


def _destruction(target: FuzzTarget, test: TestCase) -> Verdict:
    # Of an end, `accessor` is what ends, and `account` who gets its money.
    ended = "accesses[i].kind == 5 && Site(CREATION).size(accesses[i].accessor) == 0"
    if test.kind == "destruction":
        contract = address_literal(target.config.contract_addr)
        ended += f" && accesses[i].accessor == {contract}"
    return Verdict(
        before=("vm.startStateDiffRecording();",),
        after=(
            "Vm.AccountAccess[] memory accesses = vm.stopAndReturnStateDiff();",
            "vm.etch(CREATION, type(Site).runtimeCode);",
            "for (uint256 i = 0; i < accesses.length; i++) {",
            f"    if ({ended}) failed = true; // SelfDestruct",
            "}",
        ),
    )


def judged(reproducer: Reproducer) -> Iterator[str]:
    """Yield the statements with which a test ends."""
    name = reproducer.subject
    sentence = f"{name}: the failure does not happen any more."
    if reproducer.value is not None:
        sentence = f"{name}: the value is below {reproducer.value} now."
    yield f"require(failed, {text_literal(sentence)});"
