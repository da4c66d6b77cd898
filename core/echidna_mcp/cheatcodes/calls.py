"""`mockCall`, `expectCall`, `expectCreate`: what is answered, replaced or counted.

Source: Foundry, `crates/cheatcodes/src/evm/mock.rs`, `test/expect.rs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from echidna_mcp.abi.foundry_text import address_text, hex_text
from echidna_mcp.cheatcodes.held import (
    ExpectedCall,
    ExpectedCreate,
    Held,
    Mock,
)
from echidna_mcp.cheatcodes.host import Answer, Ended, MadeCall


def count_call(held: Held, call: MadeCall) -> None:
    """Count a call where calls like it are expected."""
    if any(_is_expected(each, call) for each in held.expected_calls):
        held.expected_calls = tuple(
            replace(each, seen=each.seen + 1) if _is_expected(each, call) else each
            for each in held.expected_calls
        )


def _is_expected(expected: ExpectedCall, call: MadeCall) -> bool:
    return (
        expected.address == call.code
        and call.data.startswith(expected.data)
        and expected.value in (None, call.sent)
        and expected.gas in (None, call.gas)
        and (expected.min_gas or 0) <= call.gas
    )


def unmade_call(calls: Sequence[ExpectedCall]) -> str | None:
    """Return which call was not made as often as expected; None if all were."""
    for each in calls:
        times = each.at_least if each.count is None else each.count
        wrong = each.seen != times if each.count is not None else each.seen < times
        if wrong:
            rest = "".join(
                f", {name} {number}"
                for name, number in (
                    ("value", each.value),
                    ("gas", each.gas),
                    ("minimum gas", each.min_gas),
                )
                if number is not None
            )
            plural = "time" if times == 1 else "times"
            seen = "time" if each.seen == 1 else "times"
            return (
                f"expected call to {address_text(each.address)} with data "
                f"{hex_text(each.data)}{rest} to be called {times} {plural}, but was "
                f"called {each.seen} {seen}"
            )
    return None


def note_creation(held: Held, end: Ended, code: bytes) -> None:
    """Take note that a contract was created that has some code."""
    made = ExpectedCreate(code, end.creator, end.salted)
    if made in held.expected_creates:
        *left, last = held.expected_creates
        if made in left:  # The last one takes its place, as in Foundry.
            left[left.index(made)] = last
        held.expected_creates = tuple(left)


def unmade_creation(creations: Sequence[ExpectedCreate]) -> str | None:
    """Return which contract was not created; None if all were."""
    if not creations:
        return None
    each = creations[0]
    how = "CREATE2" if each.salted else "CREATE"
    return (
        f"expected {how} call by address 0x{each.creator:040x} for bytecode "
        f"{hex_text(each.code)} but not found"
    )


def answer_of_mock(held: Held, call: MadeCall) -> Answer | int | None:
    """Return how a call is answered that is mocked, or whose code it is to run."""
    if call.kind in ("call", "staticcall"):
        functions = held.mocked_functions
        for data in (call.data, call.data[:4]):
            if (call.code, data) in functions:
                return functions[call.code, data]
    mock = _mock_of(held.mocks, call)
    if mock is not None:
        (ok, output), *rest = mock.answers
        if rest:
            later = replace(mock, answers=tuple(rest))
            held.mocks = tuple(later if e is mock else e for e in held.mocks)
        return Answer(ok=ok, output=output)
    return None


def _mock_of(mocks: Sequence[Mock], call: MadeCall) -> Mock | None:
    """Return the mock of a call: the longest calldata win, then one with a value."""
    fitting = [
        each
        for each in mocks
        if each.address == call.code
        and call.data.startswith(each.data)
        and each.value in (None, call.sent)
    ]
    return max(fitting, key=lambda e: (len(e.data), e.value is not None), default=None)
