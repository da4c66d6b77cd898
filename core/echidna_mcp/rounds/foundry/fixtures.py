"""Asks a test contract of Foundry for its fixtures, once it is set up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from echidna_mcp.abi.encoding import encode_arguments, encode_call
from echidna_mcp.abi.function import AbiFunction, functions_of
from echidna_mcp.abi.types import type_name
from echidna_mcp.abi.values import Value
from echidna_mcp.evm.backend import EvmBackend
from echidna_mcp.program.fixtures import (
    PREFIX,
    fixture_name,
    is_text,
    value_type,
)
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.program.world import Fixture
from echidna_mcp.rounds.foundry.asking import answer_of

_MOST_VALUES: Final = 256


def fixtures_of(evm: EvmBackend, target: FuzzTarget) -> tuple[Fixture, ...]:
    """Return the fixtures of the target, in selector order.

    Args:
        evm: in the start state, which stays.
        target: its plan has been carried out.
    """
    found = []
    for getter in functions_of(target.program.main_contract.abi):
        kind = value_type(getter)
        if kind is not None:
            values = tuple(
                encode_arguments(kind, (value,))
                for value in _values(evm, target, getter)
            )
            name = fixture_name(getter.name.removeprefix(PREFIX))
            found.append(
                Fixture(
                    name=name,
                    type=type_name(kind),
                    values=values,
                    is_text=is_text(kind.members[0]),
                )
            )
    return tuple(found)


def has_fixtures(target: FuzzTarget) -> bool:
    """Whether the target has any."""
    functions = functions_of(target.program.main_contract.abi)
    return any(value_type(each) is not None for each in functions)


def _values(
    evm: EvmBackend, target: FuzzTarget, getter: AbiFunction
) -> Iterator[Value]:
    if not getter.inputs.members:
        answer = _ask(evm, target, getter)
        if answer is not None and isinstance(answer[0], tuple):
            yield from answer[0][:_MOST_VALUES]
        return
    for index in range(_MOST_VALUES):
        answer = _ask(evm, target, getter, index)
        if answer is None:
            return
        yield answer[0]


def _ask(
    evm: EvmBackend, target: FuzzTarget, getter: AbiFunction, *arguments: int
) -> tuple[Value, ...] | None:
    calldata = encode_call(getter, arguments)
    return answer_of(evm, target, calldata, getter.outputs)
