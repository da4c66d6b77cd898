"""Validated arguments as the typed input of a handler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from echidna_mcp.contracts.naming import field_name


class InputBuilder:
    """Builds instances of a generated input class and of the classes inside it."""

    def __init__(self, input_type: type[Any]) -> None:
        self._type = input_type
        self._hints: dict[type[Any], dict[str, Any]] = {}
        self._fields_of(input_type)

    def build(self, arguments: Mapping[str, Any]) -> Any:
        """Return the input; absent arguments take the defaults of the class.

        Arrays become tuples, and an integer written as 50.0, which draft-07 allows,
        becomes 50.
        """
        return self._object(self._type, arguments)

    def _fields_of(self, cls: type[Any]) -> dict[str, Any]:
        if cls not in self._hints:
            self._hints[cls] = get_type_hints(cls)
        return self._hints[cls]

    def _object(self, cls: type[Any], value: Mapping[str, Any]) -> Any:
        hints = self._fields_of(cls)
        named = {field_name(name): item for name, item in value.items()}
        return cls(
            **{
                name: self._value(hints[name], item)
                for name, item in named.items()
                if name in hints  # an open object may hold more than its class
            }
        )

    def _value(self, hint: Any, value: Any) -> Any:
        members = _members(hint)
        if isinstance(value, dict):
            cls = self._class_for(members, value)
            if cls is not None:
                return self._object(cls, value)
            inner = _argument(members, Mapping, 1)
            return {name: self._value(inner, item) for name, item in value.items()}
        if isinstance(value, list):
            inner = _argument(members, Sequence, 0)
            return tuple(self._value(inner, item) for item in value)
        if isinstance(value, float) and int in members and float not in members:
            return int(value)
        return value

    def _class_for(
        self, members: Sequence[Any], value: Mapping[str, Any]
    ) -> type[Any] | None:
        """Return the first class that can hold an object."""
        names = {field_name(name) for name in value}
        for member in members:
            if isinstance(member, type) and is_dataclass(member):
                needed = {
                    field.name
                    for field in fields(member)
                    if field.default is MISSING and field.default_factory is MISSING
                }
                if len(members) == 1 or needed <= names <= set(self._fields_of(member)):
                    return member
        return None


def _members(hint: Any) -> tuple[Any, ...]:
    if get_origin(hint) in {Union, UnionType}:
        return tuple(member for member in get_args(hint) if member is not type(None))
    return (hint,)


def _argument(members: Sequence[Any], container: type[Any], index: int) -> Any:
    """Return the type argument of the first container among types."""
    for member in members:
        origin = get_origin(member)
        if isinstance(origin, type) and issubclass(origin, container):
            return get_args(member)[index]
    return Any
