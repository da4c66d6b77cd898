"""Fixtures of Foundry's tests: values for the parameters that are named after them.

Source: Foundry, `crates/evm/fuzz` (`FuzzFixtures`). `fixtureAmount` is an array, or a
function that returns one; its values are for parameters `amount`, of whatever letters
and with underscores around. A table test is run with all of them, row by row. A fuzz
test is given those that are one word, `bytes` or `string`, every other time; parameters
that are arrays or structs have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from echidna_mcp.abi.encoding import decode_arguments, encode_call
from echidna_mcp.abi.function import AbiFunction
from echidna_mcp.abi.type_program import KIND_BYTES, KIND_STRING
from echidna_mcp.abi.types import AbiType, Array, Elementary, Tuple, type_name
from echidna_mcp.fuzz.layout import MAX_CALL_BYTES
from echidna_mcp.program.world import Fixture
from echidna_mcp.wording import listed

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


def is_text(member: AbiType) -> bool:
    """Whether values of a type are `bytes` or `string`."""
    return isinstance(member, Elementary) and member.kind in (KIND_BYTES, KIND_STRING)


def rows_of(test: AbiFunction, fixtures: Sequence[Fixture]) -> tuple[bytes, ...]:
    """Return the calldata of each row of a table test; none if its fixtures don't fit.

    They fit if each parameter has one of its type, and all have as many values.
    """
    columns = []
    for member, name in zip(test.inputs.members, test.inputs.names, strict=True):
        alone = Tuple((member,), ("",))
        fitting = [
            each for each in _named(name, fixtures) if each.type == type_name(alone)
        ]
        if not fitting:
            return ()
        columns.append(
            [decode_arguments(alone, value)[0] for value in fitting[0].values]
        )
    if len({len(column) for column in columns}) != 1:
        return ()
    rows = tuple(encode_call(test, row) for row in zip(*columns, strict=True))
    return rows if all(len(row) <= MAX_CALL_BYTES for row in rows) else ()


def why_no_rows(test: AbiFunction, fixtures: Sequence[Fixture]) -> str:
    """Return what is wrong with the fixtures of a table test that has no rows."""
    lengths = {}
    for member, name in zip(test.inputs.members, test.inputs.names, strict=True):
        found, wanted = _named(name, fixtures), type_name(Tuple((member,), ("",)))
        fitting = [each for each in found if each.type == wanted]
        if not found:
            return f"there is no fixture for {name or 'a parameter without a name'}"
        if not fitting:
            return f"the fixture for {name} is of {found[0].type}, and not of {wanted}"
        lengths[name] = len(fitting[0].values)
    counts = listed([f"{count} for {name}" for name, count in lengths.items()])
    if len(set(lengths.values())) > 1:
        return f"its fixtures have not as many values as each other: {counts}"
    if not any(lengths.values()):
        return "its fixtures have no values"
    return f"a row of its fixtures takes more than {MAX_CALL_BYTES} bytes"


def fixture_words(member: AbiType, name: str, fixtures: Sequence[Fixture]) -> list[int]:
    """Return the fixtures of a parameter that takes one word; none of any other."""
    alone = type_name(Tuple((member,), ("",)))
    return [
        int.from_bytes(value, "big")
        for each in _named(name, fixtures)
        if isinstance(member, Elementary) and each.type == alone
        for value in each.values
        if len(value) == _WORD
    ]


def fixture_texts(
    member: AbiType, name: str, fixtures: Sequence[Fixture]
) -> list[bytes]:
    """Return the fixtures of a `bytes` or `string` as tapes; none of any other."""
    alone = type_name(Tuple((member,), ("",)))
    return [
        value[_WORD:]  # Without the offset, its encoding is a tape.
        for each in _named(name, fixtures)
        if is_text(member) and each.is_text and each.type == alone
        for value in each.values
    ]


def _named(parameter: str, fixtures: Sequence[Fixture]) -> list[Fixture]:
    name = fixture_name(parameter)
    return [each for each in fixtures if each.name == name]
