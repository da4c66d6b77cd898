"""Values of a file of nested objects by their dotted paths, and what becomes of them.

An adapter of another tool's file takes what it knows, value by value; what is left over
nobody has asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from echidna_mcp.config.document import Entry
from echidna_mcp.config.projects.kind import Reading, Remark, Weight
from echidna_mcp.config.readers import Reader, WrongValue, shown


@dataclass(slots=True)
class Nested:
    """The values of a file, and what has been made of them so far.

    Attributes:
        path: the file, for messages, or where else they stand.
        values: what has not been taken yet, by dotted path, without nulls.
        names: what messages call some of them, if they stand elsewhere in the file.
    """

    path: Path | str
    values: dict[str, Any]
    names: Mapping[str, str] = field(default_factory=dict)
    _entries: list[Entry] = field(default_factory=list)
    _remarks: list[Remark] = field(default_factory=list)

    @classmethod
    def of(
        cls, data: Mapping[str, Any], path: Path | str, containers: Collection[str]
    ) -> Nested:
        """Return the values of `data`; objects at `containers` are looked into.

        What should be a container and is none gets a remark.
        """
        nested = cls(path, {})
        for name, value in _leaves(data, "", containers):
            if name in containers:
                nested.remark("wrong", name, f"must be an object, not {shown(value)}")
            else:
                nested.values[name] = value
        return nested

    def take(self, name: str, read: Reader, default: Any) -> Any:
        """Take a value; `default` if it is not there or not what `read` takes.

        In the latter case there is a remark.
        """
        if name not in self.values:
            return default
        value = self.values.pop(name)
        try:
            return read(value)
        except WrongValue as wrong:
            self.remark("wrong", name, f"must be {wrong}, not {shown(value)}")
            return default

    def set(self, key: str, value: Any, name: str) -> None:
        """Add a setting of ours, which `name` asks for."""
        where = f"{self.path}, {self._called(name)}"
        self._entries.append(Entry(key, value, where))

    def remark(
        self, weight: Weight, name: str, predicate: str, *, unless: str = ""
    ) -> None:
        """Add a remark on `name`: the rest of a sentence of which it is the subject."""
        called = self._called(name)
        text = f"{self.path}: `{called[:120]}` {predicate}."
        self._remarks.append(Remark(weight, text, called, unless))

    def _called(self, name: str) -> str:
        return self.names.get(name, name)

    def reading(self) -> Reading:
        """Return what the file says."""
        return Reading(tuple(self._entries), tuple(self._remarks))


def _leaves(
    data: Mapping[str, Any], prefix: str, containers: Collection[str]
) -> Iterator[tuple[str, Any]]:
    for key, value in data.items():
        # A key that looks like a path is none.
        name = prefix + (f'"{key}"' if "." in key else key)
        if name in containers and isinstance(value, dict):
            yield from _leaves(value, f"{name}.", containers)
        elif value is not None:
            yield name, value
