"""Echidna's YAML and the command line to one configuration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echidna_mcp.config.campaign import CampaignConfig, RunOptions
from echidna_mcp.config.document import Entry, read_entries
from echidna_mcp.config.keys import (
    NEEDLESS,
    OBSOLETE,
    SUPPORTED,
    UNSUPPORTED,
    is_default,
)
from echidna_mcp.config.readers import WrongValue, shown
from echidna_mcp.errors import ConfigError
from echidna_mcp.wording import closest

_COMMAND_LINE = "command line"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedConfig:
    """A configuration after all defaults.

    Attributes:
        campaign: what decides results; its seed is 0 if none was given.
        options: where and how it runs.
        seed: the seed that was asked for; None lets the caller pick one.
        solc_args: further arguments for solc.
        allow_paths: what sources may import besides the project and its libraries.
        given: keys that the file or the command line set, in order of name; for
            callers whose own defaults differ.
        warnings: one sentence for each key that does nothing.
    """

    campaign: CampaignConfig
    options: RunOptions
    seed: int | None = None
    solc_args: str = ""
    allow_paths: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def load_config(
    path: Path | str | None = None, overrides: Mapping[str, Any] | None = None
) -> LoadedConfig:
    """Return the configuration of a file, with values of the command line on top.

    Args:
        path: an Echidna configuration file; None for none.
        overrides: values by the names that they have in the file (`testLimit`). None
            means "not given", so that optional arguments can be passed on as they are.

    Raises:
        ConfigError: the file or a value is wrong; the message names file, line and key.
    """
    entries = list(read_entries(Path(path))) if path is not None else []
    warnings = [text for entry in entries if (text := _warning(entry))]
    given: dict[str, Entry] = {entry.key: entry for entry in entries}
    for name, value in (overrides or {}).items():
        if all(name != key.name for key in SUPPORTED):
            raise ConfigError(f"{_COMMAND_LINE}: there is no key `{name}`.", key=name)
        if value is not None:
            given[name] = Entry(name, value, _COMMAND_LINE)
    fields: dict[str, dict[str, Any]] = {"campaign": {}, "options": {}, "loaded": {}}
    used = []
    for key in SUPPORTED:
        entry = given.get(key.name)
        if entry is None or (entry.value is None and not key.null_is_value):
            continue  # To Echidna, too, null is the same as no value.
        used.append(key.name)
        fields[key.owner][key.field] = _read(entry, key.read)
    seed = fields["loaded"].get("seed")
    campaign = CampaignConfig(**fields["campaign"], seed=seed or 0)
    _check_filter(campaign, given)
    return LoadedConfig(
        campaign=campaign,
        options=RunOptions(**fields["options"]),
        given=tuple(sorted(used)),
        warnings=tuple(warnings),
        **fields["loaded"],
    )


def _read(entry: Entry, read: Any) -> Any:
    try:
        return read(entry.value)
    except WrongValue as wrong:
        raise ConfigError(
            f"{_named(entry)} must be {wrong}, not {shown(entry.value)}.",
            key=entry.key,
        ) from None


def _named(entry: Entry) -> str:
    """Return a setting as the user wrote it: a line of a file, or an option."""
    if entry.where != _COMMAND_LINE:
        return f"{entry.where}: `{entry.key}`"
    return "--" + re.sub("([A-Z])", r"-\1", entry.key).lower()


def _check_filter(campaign: CampaignConfig, given: Mapping[str, Entry]) -> None:
    if not campaign.filter_blacklist and not campaign.filter_functions:
        raise ConfigError(
            f"{given['filterBlacklist'].where}: with `filterBlacklist: false` "
            "`filterFunctions` must name the functions to call, as in "
            "`Token.transfer(address,uint256)`.",
            key="filterFunctions",
        )


def _warning(entry: Entry) -> str | None:
    """Return what to tell about a key that does nothing, or None."""
    key, where = entry.key, entry.where
    if key in NEEDLESS or any(key == known.name for known in SUPPORTED):
        return None
    if key in UNSUPPORTED:
        if is_default(key, entry.value):
            return None
        return f"{where}: `{key}` is not supported yet and does nothing."
    if key in OBSOLETE:
        return f"{where}: Echidna has dropped `{key}`; it does nothing."
    near = _closest(key, (*(known.name for known in SUPPORTED), *UNSUPPORTED))
    hint = f"; did you mean `{near}`?" if near else "."
    return f"{where}: there is no key `{key[:60]}`{hint}"


def _closest(key: str, names: Iterable[str]) -> str | None:
    lower = {name.lower(): name for name in names}
    found = closest(key.lower(), lower, 1)
    return lower[found[0]] if found else None
