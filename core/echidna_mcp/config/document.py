"""Settings that know where they stand, and a YAML document as a list of them.

Numbers are read from their text, without floats, so that `dictFreq: 0.40` is exact and
`1e18` is a number as it is to Echidna (PyYAML would make it a string).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from echidna_mcp.errors import ConfigError

_INTEGER = re.compile(r"[-+]?[0-9]{1,400}\Z")
_HEX = re.compile(r"0x[0-9a-fA-F]{1,400}\Z")
_DECIMAL = re.compile(r"[-+]?[0-9]{0,400}(\.[0-9]{1,400})?([eE][-+]?[0-9]{1,6})?\Z")
_BOOL = "tag:yaml.org,2002:bool"
_MOST_DEPTH = 64
_NULL = "tag:yaml.org,2002:null"


@dataclass(frozen=True, slots=True)
class Entry:
    """One setting.

    Attributes:
        key: its name.
        value: bool, int, Decimal, str, None, or lists and mappings of them.
        where: for messages, `echidna.yaml, line 3` or `medusa.json, fuzzing.timeout`.
    """

    key: str
    value: Any
    where: str


def read_text(path: Path, most: int) -> str:
    """Return what a configuration file holds.

    Args:
        most: bytes that it may have.

    Raises:
        ConfigError: it can't be read, is larger, or is no text.
    """
    try:
        # A pipe, as the shell makes of `<(…)`, is read to its end; no more of it.
        with path.open("rb") as file:
            content = file.read(most + 1)
        source = content.decode("utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigError(
            f"The configuration file {path} can't be read: {reason}."
        ) from error
    if len(content) > most:
        raise ConfigError(
            f"The configuration file {path} is larger than {most >> 10} KiB, "
            "the most allowed."
        )
    return source


def read_entries(source: str, path: Path) -> tuple[Entry, ...]:
    """Return the entries of a YAML document in their order; none for an empty one.

    Args:
        path: the file that it is from, for messages.

    Raises:
        ConfigError: it is no YAML mapping, or repeats a key.
    """
    return tuple(_entries(_root(source, path), path))


def _root(source: str, path: Path) -> yaml.Node | None:
    try:
        _refuse_depth(source, path)
        root: yaml.Node | None = yaml.compose(source, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{path}, line {mark.line + 1}" if mark else f"{path}"
        raise ConfigError(f"{where}: this is no YAML: {error.problem}.") from error
    except yaml.reader.ReaderError as error:
        line = source.count("\n", 0, error.position) + 1
        raise ConfigError(
            f"{path}, line {line}: this is no YAML: {error.reason}."
        ) from error
    return root


def _refuse_depth(source: str, path: Path) -> None:
    """Refuse what would exhaust the stack of the composer, which is recursive."""
    depth = 0
    for event in yaml.parse(source, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _MOST_DEPTH:
            raise ConfigError(f"{path}: the YAML is nested too deeply.")


def _entries(root: yaml.Node | None, path: Path) -> Iterator[Entry]:
    if root is None or (isinstance(root, yaml.ScalarNode) and root.tag == _NULL):
        return
    if not isinstance(root, yaml.MappingNode):
        line = root.start_mark.line + 1
        raise ConfigError(
            f"{path}, line {line}: a configuration is a list of `key: value` lines."
        )
    first_lines: dict[str, int] = {}
    for key_node, value_node in root.value:
        line = key_node.start_mark.line + 1
        where = f"{path}, line {line}"
        if not isinstance(key_node, yaml.ScalarNode):
            raise ConfigError(f"{where}: a key must be a plain word.")
        key = str(key_node.value)
        if key in first_lines:
            raise ConfigError(
                f"{where}: `{key}` is already set in line {first_lines[key]}; "
                "remove one of the two."
            )
        first_lines[key] = line
        yield Entry(key, _value(value_node), where)


def _value(node: yaml.Node) -> Any:
    match node:
        case yaml.ScalarNode():
            return _scalar(node)
        case yaml.SequenceNode():
            return [_value(item) for item in node.value]
        case _:
            return {
                str(key.value): _value(value)
                for key, value in node.value
                if isinstance(key, yaml.ScalarNode)
            }


def _scalar(node: yaml.ScalarNode) -> Any:
    text = str(node.value)
    if node.style is not None:  # quoted or block text is text
        return text
    if node.tag == _NULL:
        return None
    if node.tag == _BOOL:
        return text.lower() in ("true", "yes", "on")
    return number_of(text)


def number_of(text: str) -> int | Decimal | str:
    """Return the number that a text stands for, exactly; the text if it is none."""
    if _INTEGER.match(text):
        return int(text)
    if _HEX.match(text):
        return int(text, 16)
    if any(c.isdigit() for c in text) and _DECIMAL.match(text):
        return Decimal(text)
    return text
