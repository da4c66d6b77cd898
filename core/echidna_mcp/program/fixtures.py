"""Fixtures of Foundry's tests: values for the parameters that are named after them.

Source: Foundry, `crates/evm/fuzz` (`FuzzFixtures`). `fixtureAmount` is an array, or a
function that returns one; its values are for parameters `amount`, of whatever letters
and with underscores around. A table test is run with all of them, row by row. A fuzz
test is given those that are one word, every other time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from echidna_mcp.abi.encoding import decode_arguments, encode_call
from echidna_mcp.abi.function import AbiFunction
from echidna_mcp.abi.types import AbiType, Array, Elementary, Tuple, type_name
from echidna_mcp.program.world import Fixture

PREFIX: Final = "fixture"
_WORD: Final = 32


def fixture_name(text: str) -> str:
    """Return the name of a fixture as its getter or a parameter writes it."""
    return text.strip("_").lower()


def value_type(getter: AbiFunction) -> Tuple | None:
    """Return the type of the values that its getter gives, as a tuple of one.

    None if the function is no such getter.
    """
    if not getter.name.startswith(PREFIX) or len(getter.outputs.members) != 1:
        return None
    [found] = getter.outputs.members
    if not getter.inputs.members:
        return Tuple((found.element,), ("",)) if isinstance(found, Array) else None
    by_index = type_name(getter.inputs) == "(uint256)"
    return Tuple((found,), ("",)) if by_index else None


def rows_of(test: AbiFunction, fixtures: Sequence[Fixture]) -> tuple[bytes, ...]:
    """Return the calldata of each row of a table test; none if its fixtures don't fit.

    They fit if each parameter has one of its type, and all have as many values.
    """
    columns = []
    members = zip(test.inputs.members, test.inputs.names, strict=True)
    for member, name in members:
        alone = Tuple((member,), ("",))
        fitting = [
            each
            for each in fixtures
            if each.name == fixture_name(name) and each.type == type_name(alone)
        ]
        if not fitting:
            return ()
        columns.append(
            [decode_arguments(alone, value)[0] for value in fitting[0].values]
        )
    if len({len(column) for column in columns}) != 1:
        return ()
    return tuple(encode_call(test, row) for row in zip(*columns, strict=True))


def fixture_words(member: AbiType, name: str, fixtures: Sequence[Fixture]) -> list[int]:
    """Return the fixtures of a parameter that takes one word; none of any other."""
    alone = type_name(Tuple((member,), ("",)))
    return [
        int.from_bytes(value, "big")
        for each in fixtures
        if isinstance(member, Elementary)
        and (each.name, each.type) == (fixture_name(name), alone)
        for value in each.values
        if len(value) == _WORD
    ]
