"""What is exported: a stored sequence, with what it takes to run it elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from echidna_mcp.abi.function import selector_of
from echidna_mcp.cheatcodes.addresses import CHEATCODES
from echidna_mcp.reports.call_texts import CallTexts
from echidna_mcp.traces.tracer import stored_calls

if TYPE_CHECKING:
    from echidna_mcp.abi.function import AbiFunction
    from echidna_mcp.evm.backend import CallResult
    from echidna_mcp.evm.frames import FrameResult
    from echidna_mcp.program.target import TestCase
    from echidna_mcp.traces.execution import Execution, Made, Rerun
    from echidna_mcp.views.campaign import CampaignViews


def _selectors(name: str, *parameters: str) -> frozenset[bytes]:
    return frozenset(selector_of(f"{name}({each})") for each in parameters)


_ONE_OR_TWO: Final = ("address", "address,address")
_WITH_DELEGATE: Final = ("address,bool", "address,address,bool")
_SINGLE: Final = _selectors("prank", *_ONE_OR_TWO, *_WITH_DELEGATE)
_LASTING: Final = _selectors("startPrank", *_ONE_OR_TWO, *_WITH_DELEGATE)
_BROADCASTS: Final = _selectors("broadcast", "", "address", "uint256") | _selectors(
    "startBroadcast", "", "address", "uint256"
)


class Manner(Enum):
    """How a message gets its sender in a Foundry test.

    Foundry refuses a `startPrank` below a `prank` that goes on, and the other way
    round, so what a message does decides in which manner it can be made.
    """

    SINGLE = "vm.prank"
    LASTING = "vm.startPrank"
    OWN = "in its own name"
    """Without a prank: code at the address of the sender makes the call."""


def manner_of(result: CallResult) -> Manner:
    """Return in which manner a message that did this can be made."""
    asked = {each.data[:4] for each in _cheats(result.frame)}
    single, lasting = bool(asked & _SINGLE), bool(asked & _LASTING)
    if asked & _BROADCASTS or (single and lasting):
        return Manner.OWN
    return Manner.LASTING if lasting else Manner.SINGLE


def uses_pranks(result: CallResult) -> bool:
    """Whether a message asked for a prank."""
    asked = {each.data[:4] for each in _cheats(result.frame)}
    return bool(asked & (_SINGLE | _LASTING))


def _cheats(frame: FrameResult | None) -> Iterator[FrameResult]:
    """Yield the calls of cheatcodes at and below a frame."""
    pending = [] if frame is None else [frame]
    while pending:
        each = pending.pop()
        if each.callee == CHEATCODES:
            yield each
        pending += each.children


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call of a sequence.

    Attributes:
        text: the call as in Solidity.
        function: what is called.
        made: the message and what it did on the reference; None for a call that is
            left out, since there is no contract for it.
    """

    text: str
    function: AbiFunction
    made: Made | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproducer:
    """What is exported.

    Attributes:
        subject: name of the test, or `corpus` and a number.
        reason: why the test is falsified; empty for a sequence of the corpus.
        test: that is falsified, if one is.
        value: of an optimization test; None of others.
        deployment: what each message of the deployment did, in order.
        steps: the sequence.
        question: the call by which the test is judged, if there is one.
    """

    subject: str
    reason: str = ""
    test: TestCase | None = None
    value: int | None = None
    deployment: tuple[CallResult, ...]
    steps: tuple[Step, ...]
    question: Made | None = None

    @property
    def results(self) -> Iterator[CallResult]:
        """What all messages did, those of the deployment and the question included."""
        yield from self.deployment
        yield from (step.made.result for step in self.steps if step.made is not None)
        if self.question is not None:
            yield self.question.result


def reproducer_of(views: CampaignViews, rerun: Rerun, subject: str | int) -> Reproducer:
    """Return what a finding, or a sequence of the corpus, is exported as.

    Args:
        views: the fold of the campaign.
        rerun: executes its sequences once more.
        subject: name of a test that has a reproducer, or number of a sequence.
    """
    if isinstance(subject, int):
        calls: Sequence[Mapping[str, Any]] = views.corpus.entries[subject].calls
        execution = rerun.run(calls)
        return Reproducer(
            subject=f"corpus {subject}",
            deployment=rerun.deployment,
            steps=_steps(views, calls, execution),
        )
    record, test = views.properties.records[subject], views.test_of(subject)
    calls = stored_calls(views, subject)
    execution = rerun.run(calls, test)
    return Reproducer(
        subject=subject,
        reason=record.reason or (record.dispute["claim"] if record.dispute else ""),
        test=test,
        value=record.value,
        deployment=rerun.deployment,
        steps=_steps(views, calls, execution),
        question=execution.question,
    )


def _steps(
    views: CampaignViews, calls: Sequence[Mapping[str, Any]], execution: Execution
) -> tuple[Step, ...]:
    target, texts = views.target, CallTexts(views.target)
    return tuple(
        Step(
            text=texts.text(call),
            function=target.functions[target.function_index[call["function"]]],
            made=made,
        )
        for call, made in zip(calls, execution.calls, strict=True)
    )
