"""The rules of parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from echidna_mcp.contracts.dialect import Finding, error, unknown_fields
from echidna_mcp.tools.display import shown
from echidna_mcp.wording import listed
from echidna_mcp_plugins.dialects.editor.types import NUMERIC, TYPES, is_number, is_of

_IDENTIFIER: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_FIELDS: Final = (
    *("type", "required", "description", "default", "enum", "minimum", "maximum"),
)


def check_inputs(inputs: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what is wrong with the parameters of a definition."""
    for name, parameter in inputs.items():
        place = ("inputs", name)
        if not _IDENTIFIER.fullmatch(name):
            yield error(
                place,
                "is no identifier; take letters, digits, _ and $, and begin with no "
                "digit.",
            )
        if not isinstance(parameter, Mapping):
            yield error(
                place, "must be an object with 'type', 'required' and 'description'."
            )
            continue
        yield from _check_parameter(place, parameter)


def _check_parameter(
    place: tuple[str, str], parameter: Mapping[str, Any]
) -> Iterator[Finding]:
    type_name = parameter.get("type")
    if type_name not in TYPES:
        found = "is missing" if type_name is None else f"{shown(type_name)} is no type"
        yield error((*place, "type"), f"{found}; choose from {listed(TYPES, 'or')}.")
    if not isinstance(parameter.get("required"), bool):
        yield error(
            (*place, "required"), "must be there and be true or false, without quotes."
        )
    description = parameter.get("description")
    if not isinstance(description, str) or not description.strip():
        yield error(
            (*place, "description"), "must be there and say what the parameter is."
        )
    if parameter.get("required") is True and "default" in parameter:
        yield error(
            (*place, "default"),
            "a required parameter has no default; leave it out or write "
            "'required': false.",
        )
    if type_name in TYPES:
        yield from _check_values(place, type_name, parameter)
    yield from unknown_fields(parameter, _FIELDS, place, "a parameter")


def _check_values(
    place: tuple[str, str], type_name: str, parameter: Mapping[str, Any]
) -> Iterator[Finding]:
    yield from _check_choices(place, type_name, parameter)
    yield from _check_bounds(place, type_name, parameter)
    if parameter.get("default") is not None:  # An optional one may be null by default.
        yield from _check_default((*place, "default"), type_name, parameter)


def _check_choices(
    place: tuple[str, str], type_name: str, parameter: Mapping[str, Any]
) -> Iterator[Finding]:
    if "enum" not in parameter:
        return
    choices = parameter["enum"]
    if not isinstance(choices, list) or not choices:
        yield error((*place, "enum"), "must be a list of the possible values.")
        return
    for index, item in enumerate(choices):
        if not is_of(type_name, item):
            yield error(
                (*place, "enum", index),
                f"{shown(item)} is not of the type {type_name!r}.",
            )


def _check_default(
    at: tuple[str, str, str], type_name: str, parameter: Mapping[str, Any]
) -> Iterator[Finding]:
    default, choices = parameter["default"], parameter.get("enum")
    if not is_of(type_name, default):
        yield error(at, f"{shown(default)} is not of the type {type_name!r}.")
    elif (
        isinstance(choices, list)
        and choices
        and not any(_same(default, choice) for choice in choices)
    ):
        yield error(at, f"{shown(default)} is not among the values of 'enum'.")
    elif is_number(default):
        low, high = parameter.get("minimum"), parameter.get("maximum")
        if is_number(low) and default < low:
            yield error(at, f"{shown(default)} is below 'minimum', {shown(low)}.")
        if is_number(high) and default > high:
            yield error(at, f"{shown(default)} is above 'maximum', {shown(high)}.")


def _check_bounds(
    place: tuple[str, str], type_name: str, parameter: Mapping[str, Any]
) -> Iterator[Finding]:
    for key in ("minimum", "maximum"):
        if key not in parameter:
            continue
        if type_name not in NUMERIC:
            yield error(
                (*place, key),
                f"is for {listed(NUMERIC, 'or')}, not for {type_name!r}; leave it out.",
            )
        elif not is_number(parameter[key]):
            yield error((*place, key), "must be a number.")
    low, high = parameter.get("minimum"), parameter.get("maximum")
    if is_number(low) and is_number(high) and low > high:  # type: ignore[operator]
        yield error(
            (*place, "minimum"), f"{shown(low)} is above 'maximum', {shown(high)}."
        )


def _same(one: Any, two: Any) -> bool:
    """Whether two JSON values are equal; 1 and true are not."""
    return one == two and isinstance(one, bool) == isinstance(two, bool)
