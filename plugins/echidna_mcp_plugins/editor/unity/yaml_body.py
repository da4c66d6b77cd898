"""The body of one document: YAML to texts, lists and mappings.

From events, without PyYAML's constructors: these take twice the time, are recursive,
and share what an alias repeats, so that some lines could stand for gigabytes.
"""

from __future__ import annotations

from typing import Any, Final

import yaml

_MOST_DEPTH: Final = 64
"""Levels of nesting; Unity serializes ten."""


def read_body(body: str) -> Any:
    """Return what a YAML document says, all scalars as texts; None if it is empty.

    Raises:
        yaml.YAMLError: it is no YAML, or nothing that Unity writes.
    """
    parser = yaml.CBaseLoader(body)
    try:
        return _build(parser)
    finally:
        parser.dispose()


def _build(parser: yaml.CBaseLoader) -> Any:
    building = _Building()
    while not isinstance(event := parser.get_event(), yaml.StreamEndEvent):
        match event:
            case yaml.ScalarEvent():
                building.add(event.value)
            case yaml.MappingStartEvent():
                building.open({})
            case yaml.SequenceStartEvent():
                building.open([])
            case yaml.CollectionEndEvent():
                building.close()
            case yaml.AliasEvent():
                raise yaml.YAMLError("aliases are not known to Unity")
    return building.root


class _Building:
    """A value of which a part is not there yet."""

    def __init__(self) -> None:
        self.root: Any = None
        self._container: Any = None
        self._key: str | None = None
        self._around: list[tuple[Any, str | None]] = []

    def add(self, value: Any) -> None:
        """Add what comes next: a key, a value, an element, or the root."""
        if isinstance(self._container, list):
            self._container.append(value)
        elif self._container is None:
            self.root = value
        elif self._key is not None:
            self._container[self._key] = value
            self._key = None
        elif isinstance(value, str):
            self._key = value
        else:
            raise yaml.YAMLError("a key is no text")

    def open(self, container: Any) -> None:
        """Add a list or mapping, and go on within it."""
        self.add(container)
        if len(self._around) == _MOST_DEPTH:
            raise yaml.YAMLError("it is nested too deeply")
        self._around.append((self._container, self._key))
        self._container, self._key = container, None

    def close(self) -> None:
        """Go on after the list or mapping."""
        self._container, self._key = self._around.pop()
