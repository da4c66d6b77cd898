"""What every kind of project says of itself, and what reading its file gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from echidna_mcp.config.document import Entry

Weight: TypeAlias = Literal["wrong", "unsupported", "idle"]
"""`wrong` stops in any case, `unsupported` unless that is ignored; `idle` is told."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that a file says and that is not honoured.

    Attributes:
        weight: what follows from it.
        text: one sentence that says where it stands.
        key: the name that it has there.
        unless: a key of ours; set on the command line it makes the remark void.
    """

    weight: Weight
    text: str
    key: str
    unless: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a configuration file says.

    Attributes:
        entries: as settings of our keys, in the order of the file.
        remarks: the rest, in the order of the file.
    """

    entries: tuple[Entry, ...] = ()
    remarks: tuple[Remark, ...] = ()


Read: TypeAlias = Callable[[str, Path], Reading]
"""Reads the text of a file, and takes its path, for messages.

Raises `ConfigError` for what is no such file at all.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of project.

    Attributes:
        name: as `--as` takes it.
        title: as people call the tool.
        files: names by which a directory is known, the first found is the one.
        preset: values of our keys that are not our defaults, by key.
        read: reads such a file; None if nobody but the tool can.
    """

    name: str
    title: str
    files: tuple[str, ...] = ()
    preset: Mapping[str, Any]
    read: Read | None = None
