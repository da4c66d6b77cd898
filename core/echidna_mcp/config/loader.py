"""Echidna's YAML and the command line to one configuration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from echidna_mcp.config.campaign import CampaignConfig, RunOptions
from echidna_mcp.config.crytic_args import NO_CRYTIC_ARGS, CryticArgs
from echidna_mcp.config.document import Entry, read_entries
from echidna_mcp.config.keys import (
    IGNORED,
    NEEDLESS,
    OBSOLETE,
    REFUSED,
    SUPPORTED,
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
        crytic_args: what `cryticArgs` ask for.
        given: keys that the file or the command line set, in order of name; for
            callers whose own defaults differ.
        unhonoured: one sentence for each key that does nothing.
    """

    campaign: CampaignConfig
    options: RunOptions
    seed: int | None = None
    solc_args: str = ""
    allow_paths: tuple[str, ...] = ()
    crytic_args: CryticArgs = NO_CRYTIC_ARGS
    given: tuple[str, ...] = ()
    unhonoured: tuple[str, ...] = ()


def load_config(
    path: Path | str | None = None,
    overrides: Mapping[str, Any] | None = None,
    *,
    ignore_unsupported: bool = False,
) -> LoadedConfig:
    """Return the configuration of a file, with values of the command line on top.

    Args:
        path: an Echidna configuration file; None for none.
        overrides: values by the names that they have in the file (`testLimit`). None
            means "not given", so that optional arguments can be passed on as they are.
        ignore_unsupported: go on although a key that would change what is tested is not
            honoured.

    Raises:
        ConfigError: the file or a value is wrong, or a key that changes what is tested
            does not work. Each sentence of the message names file, line and key.
    """
    entries = list(read_entries(Path(path))) if path is not None else []
    given: dict[str, Entry] = {entry.key: entry for entry in entries}
    for name, value in (overrides or {}).items():
        if all(name != key.name for key in SUPPORTED):
            raise ConfigError(f"{_COMMAND_LINE}: there is no key `{name}`.", key=name)
        if value is not None:
            given[name] = Entry(name, value, _COMMAND_LINE)
    wrong: list[ConfigError] = []
    unhonoured: list[str] = []
    for entry in entries:
        refused, text = _standing(entry)
        if refused and not ignore_unsupported:
            hint = " To go on without it, give --ignore-unsupported."
            wrong.append(ConfigError(text + hint, key=entry.key))
        elif text:
            unhonoured.append(text)
    fields: dict[str, dict[str, Any]] = {"campaign": {}, "options": {}, "loaded": {}}
    used = []
    for key in SUPPORTED:
        found = given.get(key.name)
        if found is None or (found.value is None and not key.null_is_value):
            continue  # To Echidna, too, null is the same as no value.
        used.append(key.name)
        try:
            fields[key.owner][key.field] = _read(found, key.read)
        except ConfigError as error:
            wrong.append(error)
    _refuse(wrong)
    seed = fields["loaded"].get("seed")
    campaign = CampaignConfig(**fields["campaign"], seed=seed or 0)
    _check_filter(campaign, given)
    return LoadedConfig(
        campaign=_with_crytic_args(campaign, fields["loaded"]),
        options=RunOptions(**fields["options"]),
        given=tuple(sorted(used)),
        unhonoured=tuple(unhonoured),
        **fields["loaded"],
    )


def _refuse(wrong: Sequence[ConfigError]) -> None:
    """Raise what is wrong, all of it at once."""
    if len(wrong) == 1:
        raise wrong[0]
    if wrong:
        raise ConfigError(
            "\n".join(error.message for error in wrong),
            keys=[error.details["key"] for error in wrong],
        )


def _with_crytic_args(
    campaign: CampaignConfig, loaded: dict[str, Any]
) -> CampaignConfig:
    """Return the config with the libraries of `cryticArgs`; add what is for solc."""
    asked: CryticArgs = loaded.get("crytic_args", NO_CRYTIC_ARGS)
    if asked.solc_args:
        loaded["solc_args"] = f"{asked.solc_args} {loaded.get('solc_args', '')}".strip()
    return replace(campaign, libraries=asked.libraries)


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


def _standing(entry: Entry) -> tuple[bool, str]:
    """Return whether a key must stop the campaign, and why; no text if it works."""
    key, where = entry.key, entry.where
    if key in NEEDLESS or any(key == known.name for known in SUPPORTED):
        return False, ""
    if key in REFUSED | IGNORED:
        if is_default(key, entry.value):
            return False, ""
        if key in REFUSED:
            return True, f"{where}: `{key}` is not supported yet."
        return False, f"{where}: `{key}` is not supported yet and does nothing."
    if key in OBSOLETE:
        return False, f"{where}: Echidna has dropped `{key}`; it does nothing."
    near = _closest(key, (*(known.name for known in SUPPORTED), *REFUSED, *IGNORED))
    hint = f"; did you mean `{near}`?" if near else "."
    return True, f"{where}: there is no key `{key[:60]}`{hint}"


def _closest(key: str, names: Iterable[str]) -> str | None:
    lower = {name.lower(): name for name in names}
    found = closest(key.lower(), lower, 1)
    return lower[found[0]] if found else None
