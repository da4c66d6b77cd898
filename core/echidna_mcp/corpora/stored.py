"""Sequences of our campaigns as those that other fuzzers can be given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from echidna_mcp.corpora.model import (
    EntryError,
    Problem,
    StoredCall,
    StoredFunction,
    StoredSequence,
)
from echidna_mcp.program.foundry_tests import foundry_kind
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.views.campaign import CampaignViews


def stored_calls(
    calls: Iterable[Mapping[str, Any]], target: FuzzTarget
) -> tuple[StoredCall, ...]:
    """Return JSON calls, as events have them.

    Raises:
        EntryError: a call is for a contract that the sequence creates, or replaces one
            that a contract makes; no other fuzzer stores such calls.
    """
    return tuple(_stored_call(call, target) for call in calls)


def _stored_call(call: Mapping[str, Any], target: FuzzTarget) -> StoredCall:
    number = target.function_index[call["function"]]
    function = target.functions[number]
    address = target.callees[target.callee_of[number]].address
    if address is None:
        raise EntryError("it calls a contract that it creates")
    if "override" in call:
        raise EntryError("it replaces a call that a contract makes")
    calldata = bytes.fromhex(call["calldata"][2:])
    named = function.kind == "function"
    return StoredCall(
        sender=int(call["sender"], 16),
        target=address,
        function=StoredFunction(function.name, function.inputs) if named else None,
        calldata=calldata,
        value=int(call["value"]),
        time_delay=call["timeDelay"],
        block_delay=call["blockDelay"],
        gas=target.config.test_max_gas,
        gas_price=target.config.max_gas_price,
    )


def campaign_sequences(
    views: CampaignViews, taken_over: frozenset[int] = frozenset()
) -> tuple[list[StoredSequence], list[Problem]]:
    """Return the reproducers and the corpus of a campaign.

    Args:
        views: its fold.
        taken_over: numbers of inherited sequences whose entries are left out.

    Returns:
        The sequences, reproducers first, and those that have no other form than ours.
        Their files say which they are: `falsified NAME`, `corpus N`.
    """
    target = views.target
    sequences: list[StoredSequence] = []
    problems: list[Problem] = []
    contract = target.program.main_contract.name
    for name, calls, test in _told(views, taken_over):
        try:
            found = stored_calls(calls, target)
        except EntryError as error:
            problems.append(Problem(name, f"only this program can store it: {error}"))
            continue
        sequences.append(
            StoredSequence(
                file=name,
                calls=found,
                purpose="reproducer" if name.startswith("falsified") else "coverage",
                contract=contract,
                test=test,
            )
        )
    return sequences, problems


def _told(
    views: CampaignViews, taken_over: frozenset[int]
) -> Iterator[tuple[str, Iterable[Mapping[str, Any]], str]]:
    for record in views.properties.falsified:
        if record.calls:
            test = record.test.partition("(")[0]
            yield f"falsified {record.name}", record.calls, test
    for entry in views.corpus.entries:
        # The first one tells what constructors cover, and calls nothing.
        if entry.calls and entry.inherited not in taken_over:
            yield (
                f"corpus {entry.entry}",
                entry.calls,
                home_test(entry.calls, views.target),
            )


def home_test(calls: Iterable[Mapping[str, Any]], target: FuzzTarget) -> str:
    """Return the name of the test in whose folder Foundry keeps a sequence."""
    return home_signature(calls, target).partition("(")[0]


def home_signature(calls: Iterable[Mapping[str, Any]], target: FuzzTarget) -> str:
    """Return the signature of that test; empty if there are no tests.

    It is the test that the sequence calls, or the first of the invariants.
    """
    for call in calls:
        function = target.functions[target.function_index[call["function"]]]
        if foundry_kind(function) not in (None, "invariant"):
            return function.plain_signature
    name = next((test.name for test in target.tests), "")
    return name if "(" in name or not name else f"{name}()"
