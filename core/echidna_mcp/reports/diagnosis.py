"""Whether a campaign tests anything: what was never exercised, and which settings."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from echidna_mcp.wording import counted

if TYPE_CHECKING:
    from echidna_mcp.program.target import FuzzTarget
    from echidna_mcp.reports.canary_search import CanaryOutcome
    from echidna_mcp.views.campaign import CampaignViews
    from echidna_mcp.views.properties import PropertyRecord

_FEW_CALLS: Final = 1_000
"""A campaign with fewer ends before it has learned much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleFunction:
    """A function of which no call succeeded.

    Attributes:
        function: its signature, as qualified as it is.
        calls: how many there were; 0 if it was never called.
        reason: why most of them failed; None if there were none, or nobody knows.
    """

    function: str
    calls: int
    reason: str | None

    @property
    def text(self) -> str:
        """One line about it."""
        if not self.calls:
            return f"{self.function}: never called"
        often = f", most often with: {self.reason}" if self.reason else ""
        calls = counted(self.calls, "call")
        return f"{self.function}: all calls failed ({calls}){often}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What two short campaigns have shown.

    Attributes:
        unsupported: a sentence for each wish that is not honoured and changes what is
            tested.
        without_effect: the same of those that don't.
        falsified: tests with a reproducer.
        not_exercised: why, by name of the test.
        functions: those that never succeeded; none whose own test was falsified.
        without_code: contracts that are called where there is no code.
        advice: a sentence for each setting under which little is tested.
        canary: whether the planted failure was found.
    """

    unsupported: tuple[str, ...]
    without_effect: tuple[str, ...]
    falsified: tuple[PropertyRecord, ...]
    not_exercised: Mapping[str, str]
    functions: tuple[IdleFunction, ...]
    without_code: tuple[str, ...]
    advice: tuple[str, ...]
    canary: CanaryOutcome

    @property
    def healthy(self) -> bool:
        """Whether all is honoured and exercised, and the canary was found."""
        sick = self.unsupported, self.not_exercised, self.functions, self.without_code
        return self.canary.found and not any(sick)


def idle_functions(
    views: CampaignViews, excused: Collection[str] = ()
) -> Iterator[IdleFunction]:
    """Yield the functions that never succeeded, in the order of the target.

    One that was called and fails its own test is a finding.

    Args:
        excused: names of tests that need not be exercised.
    """
    found = {record.name for record in views.properties.falsified}
    for function in views.target.functions:
        name = function.signature
        calls = views.progress.functions.get(name, 0)
        if name in found or name in excused or views.exercise.succeeded({name: calls}):
            continue
        yield IdleFunction(
            function=name, calls=calls, reason=views.exercise.usual_reason([name])
        )


def codeless(target: FuzzTarget, with_code: Collection[int]) -> Iterator[str]:
    """Yield the contracts that are called where there is no code, with the address.

    Args:
        with_code: addresses that have code in the start state.
    """
    for callee in target.callees:
        if callee.functions and callee.address not in (None, *with_code):
            yield f"{callee.contract.qualified_name} at 0x{callee.address:040x}"


def advice(target: FuzzTarget) -> Iterator[str]:
    """Yield a sentence for each setting under which little is tested.

    The balance of senders is none of them: value is minted (`evm.backend.Message`).
    """
    config = target.config
    if config.checks("stateless"):
        return  # Each test is one call by itself, as often as Foundry's settings say.
    if config.seq_len == 1:
        yield (
            "seqLen is 1: no call sees what another one has done; raise it, unless "
            "the contracts have no state."
        )
    if config.max_time_delay == 0 and config.max_block_delay == 0:
        yield (
            "maxTimeDelay and maxBlockDelay are 0: no time passes between calls; raise "
            "them if the contracts look at time or block."
        )
    if config.max_value == 0 and any(f.payable for f in target.functions):
        yield "maxValue is 0: payable functions get no wei; raise it."
    limit = config.test_limit
    if limit is not None and limit < _FEW_CALLS:
        yield f"testLimit allows {counted(limit, 'call')} in all; raise it."
