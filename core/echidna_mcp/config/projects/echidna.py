"""Echidna: its keys are ours, its defaults too."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from echidna_mcp.config.document import Entry, read_entries
from echidna_mcp.config.keys import (
    IGNORED,
    KEYS,
    NEEDLESS,
    OBSOLETE,
    REFUSED,
    is_default,
)
from echidna_mcp.config.project_files import ECHIDNA_FILES
from echidna_mcp.config.projects.kind import Kind, Reading, Remark
from echidna_mcp.wording import closest


def read_echidna(source: str, path: Path) -> Reading:
    """Read a YAML file with Echidna's keys and ours.

    Raises:
        ConfigError: it is no YAML mapping, or repeats a key.
    """
    entries = read_entries(source, path)
    return Reading(
        entries=tuple(entry for entry in entries if entry.key in KEYS),
        remarks=tuple(
            remark for entry in entries if (remark := _remark(entry)) is not None
        ),
    )


def _remark(entry: Entry) -> Remark | None:
    """Return what is to be said of a key; None if it works, or need not."""
    key, where = entry.key, entry.where
    if key in NEEDLESS or key in KEYS:
        return None
    if key in REFUSED | IGNORED:
        if is_default(key, entry.value):
            return None
        text = f"{where}: `{key}` is not supported yet"
        if key in REFUSED:
            return Remark("unsupported", f"{text}.", key)
        return Remark("idle", f"{text} and does nothing.", key)
    if key in OBSOLETE:
        text = f"{where}: Echidna has dropped `{key}`; it does nothing."
        return Remark("idle", text, key)
    near = _closest(key, (*sorted(KEYS), *REFUSED, *IGNORED))
    hint = f"; did you mean `{near}`?" if near else "."
    text = f"{where}: there is no key `{key[:60]}`{hint}"
    return Remark("unsupported", text, key)


def _closest(key: str, names: Iterable[str]) -> str | None:
    lower = {name.lower(): name for name in names}
    found = closest(key.lower(), lower, 1)
    return lower[found[0]] if found else None


ECHIDNA: Final = Kind(
    name="echidna",
    title="Echidna",
    files=ECHIDNA_FILES,
    preset={},
    read=read_echidna,
)
