"""Calls of other fuzzers as calls of a campaign.

Other fuzzers deploy at other addresses and have other senders, so a call is not refused
for those: it goes to the contract that has its function, and comes from a sender of the
campaign. What had to be changed or left out is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from echidna_mcp.abi.function import functions_of
from echidna_mcp.corpora.model import (
    Interfaces,
    StoredCall,
    StoredSequence,
    without_waits,
)
from echidna_mcp.errors import StoreError
from echidna_mcp.fuzz.layout import MAX_CALL_BYTES
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.rounds.call_codec import Call, CallCodec, join
from echidna_mcp.wording import counted, listed


@dataclass(frozen=True, slots=True)
class Fitted:
    """A sequence of a campaign.

    Attributes:
        calls: those that the campaign can make, in order.
        dropped: how many of the stored calls are left out.
        remarks: what was changed or left out, each the end of a sentence.
    """

    calls: tuple[Call, ...]
    dropped: int
    remarks: tuple[str, ...]


def interfaces(target: FuzzTarget) -> Interfaces:
    """Return the functions of all contracts, those of the target first."""
    program = target.program
    contracts = (program.main_contract, *program.contracts)
    return Interfaces(f for each in contracts for f in functions_of(each.abi))


def strange_to(sequence: StoredSequence, target: FuzzTarget) -> str | None:
    """Return why a sequence is of another test than those of a campaign.

    Returns:
        None if it is of one of them, or if its format does not tell. An empty text if
        another campaign of the same program checks that test. Else what is wrong, the
        end of a sentence.
    """
    if not sequence.contract:
        return None
    contract = target.program.main_contract
    if sequence.contract != contract.name:
        if any(each.name == sequence.contract for each in target.program.contracts):
            return ""
        return f"there is no contract {sequence.contract}"
    tests = {each.name.partition("(")[0] for each in target.tests}
    if sequence.test in tests:
        return None
    if any(each.name == sequence.test for each in functions_of(contract.abi)):
        return ""
    return f"there is no test {sequence.test} in {sequence.contract}"


class _UnfitError(Exception):
    """A call that is left out; the text says what is wrong with it."""


@dataclass(slots=True)
class _Changes:
    """What becomes of the calls of one sequence."""

    unfit: dict[str, int] = field(default_factory=dict)
    senders: dict[int, int] = field(default_factory=dict)
    values: int = 0
    delays: int = 0

    def remarks(self) -> Iterator[str]:
        for what, number in self.unfit.items():
            yield f"{counted(number, 'call')} left out: {what}"
        if self.senders:
            pairs = [f"{old:#042x} by {new:#042x}" for old, new in self.senders.items()]
            yield f"senders replaced: {listed(pairs)}"
        if self.values:
            yield f"value made smaller in {counted(self.values, 'call')}"
        if self.delays:
            yield f"delay made shorter in {counted(self.delays, 'call')}"


def fitted(sequence: StoredSequence, codec: CallCodec) -> Fitted:
    """Return a stored sequence as one of a campaign.

    Args:
        sequence: of any format.
        codec: of the campaign.
    """
    target = codec.target
    stored, seconds = without_waits(sequence.calls)
    changes = _Changes()
    calls: list[Call] = []
    for each in stored:
        try:
            calls.append(_fitted_call(each, codec, changes))
        except _UnfitError as unfit:
            changes.unfit[str(unfit)] = changes.unfit.get(str(unfit), 0) + 1
    remarks = [*changes.remarks()]
    if seconds:
        remarks.append(f"{counted(seconds, 'second')} after the last call left out")
    longest = target.config.seq_len
    if len(calls) > longest:
        remarks.append(f"cut after {counted(longest, 'call')}, which is seqLen")
    kept = tuple(calls[:longest])
    return Fitted(kept, len(stored) - len(kept), tuple(remarks))


def _fitted_call(call: StoredCall, codec: CallCodec, changes: _Changes) -> Call:
    target, config = codec.target, codec.target.config
    function = _function(call, target)
    most = config.max_value if target.functions[function].payable else 0
    changes.values += call.value > most
    late = call.time_delay > config.max_time_delay
    changes.delays += late or call.block_delay > config.max_block_delay
    try:
        tape = codec.tape(function, call.calldata)
    except StoreError:
        signature = target.functions[function].signature
        raise _UnfitError(f"the calldata is no call of {signature}") from None
    fitting = Call(
        function=function,
        sender=_sender(call.sender, target, changes),
        value=min(call.value, most),
        time_delay=min(call.time_delay, config.max_time_delay),
        block_delay=min(call.block_delay, config.max_block_delay),
        tape=tape,
    )
    if len(join([fitting])) > MAX_CALL_BYTES:
        raise _UnfitError("the arguments are larger than those of any call here")
    return fitting


def _sender(sender: int | None, target: FuzzTarget, changes: _Changes) -> int:
    """Return a sender of the campaign; each other one is replaced by the same."""
    known = target.senders
    if sender is None:
        return known[0]
    if target.sends(sender):
        return sender
    following = known[len(changes.senders) % len(known)]
    return changes.senders.setdefault(sender, following)


def _function(call: StoredCall, target: FuzzTarget) -> int:
    """Return the number of the function that a call is for.

    That of the contract at its address, if it has it; else of the only contract that
    has it, or of the main one.
    """
    if call.kind == "create":
        raise _UnfitError("it creates a contract")
    selector = call.calldata[:4]
    candidates = [
        number
        for number, each in enumerate(target.functions)
        if each.kind == "function" and each.selector == selector
    ]
    candidates = candidates or _raw(call, target)
    if not candidates:
        raise _UnfitError(f"this campaign calls no function {_name(call)}")
    chosen = _chosen(candidates, call, target)
    if chosen is None:
        names = [target.functions[each].full_name for each in candidates]
        raise _UnfitError(f"it may be for any of {listed(names, 'or')}")
    return chosen


def _raw(call: StoredCall, target: FuzzTarget) -> list[int]:
    """Return what takes calldata that is for no function."""
    if call.function is not None and call.function.name:
        return []  # Who names a function does not mean the fallback.
    kinds = [each.kind for each in target.functions]
    wanted = ["fallback"] if call.calldata else ["receive", "fallback"]
    for kind in wanted:
        if found := [number for number, each in enumerate(kinds) if each == kind]:
            return found
    return []


def _chosen(
    candidates: Sequence[int], call: StoredCall, target: FuzzTarget
) -> int | None:
    callees = {each: target.callees[target.callee_of[each]] for each in candidates}
    at_target = [each for each in candidates if callees[each].address == call.target]
    deployed = [each for each in candidates if callees[each].address is not None]
    main = [each for each in candidates if target.callee_of[each] == 0]
    for group in (at_target, candidates, deployed, main):
        if len(group) == 1:
            return group[0]
    return None


def _name(call: StoredCall) -> str:
    if call.function is not None and call.function.name:
        return call.function.signature
    if len(call.calldata) < 4:
        return "without a name"
    return f"with the selector 0x{call.calldata[:4].hex()}"
