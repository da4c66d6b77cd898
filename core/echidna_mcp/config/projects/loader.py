"""Preset, configuration file and command line to one configuration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from echidna_mcp.config.campaign import CampaignConfig, RunOptions
from echidna_mcp.config.crytic_args import (
    NO_CRYTIC_ARGS,
    CryticArgs,
    unhonoured_arguments,
)
from echidna_mcp.config.document import Entry
from echidna_mcp.config.keys import KEYS, SUPPORTED, Key
from echidna_mcp.config.projects.choice import NO_CHOICE, Choice, choose
from echidna_mcp.config.projects.kind import Reading, Remark
from echidna_mcp.config.readers import WrongValue, shown
from echidna_mcp.errors import ConfigError

IGNORE_HINT: Final = "To go on without it, give --ignore-unsupported."
"""The end of what is said of something that is not honoured."""

_COMMAND_LINE = "command line"
_TARGETS: Final = "targetContracts"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedConfig:
    """A configuration after all defaults.

    Attributes:
        campaign: what decides results; its seed is 0 if none was given.
        options: where and how it runs.
        seed: the seed that was asked for; None lets the caller pick one.
        solc_args: further arguments for solc.
        allow_paths: what sources may import besides the project and its libraries.
        target: what is fuzzed if the command line names nothing else.
        contract: the contract that is fuzzed; None for the one that suits best.
        crytic_args: what `cryticArgs` ask for.
        invariant_timeout, fuzz_timeout: seconds after which each campaign of Foundry's
            invariants, and each of its other tests, is asked to stop.
        match_test, no_match_test, match_contract, no_match_contract, match_path,
            no_match_path: which of Foundry's tests are run (`Selection`).
        sym_exec, sym_exec_solver: whether Echidna was to solve, and with what.
        given: keys that the file or the command line set, in order of name; for
            callers whose own defaults differ.
        unhonoured: one sentence for each key that does nothing.
        unsupported: those of them that change what is tested; there are some only if
            that is to be ignored.
    """

    campaign: CampaignConfig
    options: RunOptions
    seed: int | None = None
    solc_args: str = ""
    allow_paths: tuple[str, ...] = ()
    target: Path | None = None
    contract: str | None = None
    crytic_args: CryticArgs = NO_CRYTIC_ARGS
    invariant_timeout: int | None = None
    fuzz_timeout: int | None = None
    match_test: str | None = None
    no_match_test: str | None = None
    match_contract: str | None = None
    no_match_contract: str | None = None
    match_path: str | None = None
    no_match_path: str | None = None
    sym_exec: bool | None = None
    sym_exec_solver: str | None = None
    given: tuple[str, ...] = ()
    unhonoured: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()


def load_config(
    path: Path | str | None = None,
    overrides: Mapping[str, Any] | None = None,
    *,
    ignore_unsupported: bool = False,
) -> LoadedConfig:
    """Return the configuration of a file, or the defaults; see `load_choice`."""
    choice = NO_CHOICE if path is None else choose(None, Path(path))
    return load_choice(choice, overrides, ignore_unsupported=ignore_unsupported)


def load_choice(
    choice: Choice,
    overrides: Mapping[str, Any] | None = None,
    *,
    ignore_unsupported: bool = False,
) -> LoadedConfig:
    """Return the configuration of a project: preset, file and command line.

    Each is stronger than the one before.

    Args:
        overrides: values of the command line by our keys (`testLimit`). None means "not
            given", so that optional arguments can be passed on as they are.
        ignore_unsupported: go on although something that would change what is tested is
            not honoured.

    Raises:
        ConfigError: the file or a value is wrong, or something that changes what is
            tested does not work. Each sentence of the message names file and key.
    """
    reading = choice.read()
    stated = {entry.key: entry for entry in reading.entries if entry.key in KEYS}
    for name, value in (overrides or {}).items():
        if name not in KEYS:
            raise ConfigError(f"{_COMMAND_LINE}: there is no key `{name}`.", key=name)
        if value is not None:
            stated[name] = Entry(name, value, _COMMAND_LINE)
    _swap_target(stated, reading)
    remarks = [
        remark
        for remark in (
            *(*reading.remarks, *_not_ours(reading)),
            *_of_crytic_args(stated),
        )
        if not (remark.unless and _from_command_line(stated, remark.unless))
    ]
    wrong, unhonoured = _weighed(remarks, ignore_unsupported=ignore_unsupported)
    unsupported = [
        remark.text
        for remark in remarks
        if remark.weight == "unsupported" and remark.text in unhonoured
    ]
    preset = f"the preset of {choice.kind.title}"
    given = {
        **{key: Entry(key, value, preset) for key, value in choice.kind.preset.items()},
        **stated,
    }
    fields = _fields(given, wrong)
    _refuse(wrong)
    loaded = _loaded(choice, fields, stated)
    return replace(loaded, unhonoured=tuple(unhonoured), unsupported=tuple(unsupported))


def fields_of(
    reading: Reading, *, ignore_unsupported: bool
) -> tuple[dict[str, dict[str, Any]], tuple[str, ...]]:
    """Return what a reading sets, and a sentence for each wish that does nothing.

    Returns:
        The values of fields by their owner (`campaign`, `options`, `loaded`), and the
        sentences.

    Raises:
        ConfigError: as of `load_choice`.
    """
    wrong, unhonoured = _weighed(reading.remarks, ignore_unsupported=ignore_unsupported)
    fields = _fields({entry.key: entry for entry in reading.entries}, wrong)
    _refuse(wrong)
    return fields, tuple(unhonoured)


def _weighed(
    remarks: Iterable[Remark], *, ignore_unsupported: bool
) -> tuple[list[ConfigError], list[str]]:
    """Return what stops, and the sentences on what does not."""
    wrong: list[ConfigError] = []
    unhonoured: list[str] = []
    for remark in remarks:
        if remark.weight == "wrong":
            wrong.append(ConfigError(remark.text, key=remark.key))
        elif remark.weight == "unsupported" and not ignore_unsupported:
            text = f"{remark.text} {IGNORE_HINT}"
            wrong.append(ConfigError(text, key=remark.key))
        else:
            unhonoured.append(remark.text)
    return wrong, unhonoured


def _swap_target(stated: dict[str, Entry], reading: Reading) -> None:
    """Let the contract of the command line and that of the file change places.

    If the file deploys the former as one of several targets it is deployed where it
    was, and the latter in its place.
    """
    of_file = next((e.value for e in reading.entries if e.key == "contract"), None)
    given = stated["contract"].value if "contract" in stated else None
    listed, at = stated.get("deployContracts"), stated.get("contractAddr")
    if of_file is None or given == of_file or listed is None or at is None:
        return
    if given not in (stated[_TARGETS].value if _TARGETS in stated else ()):
        return
    places = {name: place for place, name in listed.value}
    changed = [
        [at.value, of_file] if name == given else [place, name]
        for place, name in listed.value
    ]
    stated["deployContracts"] = replace(listed, value=changed)
    stated["contractAddr"] = replace(at, value=places[given])


def _not_ours(reading: Reading) -> Iterator[Remark]:
    """Yield a remark on each setting that an adapter makes and nobody reads yet."""
    for entry in reading.entries:
        if entry.key not in KEYS:
            text = f"{entry.where}: `{entry.key}` is not supported yet."
            yield Remark("unsupported", text, entry.key)


def _of_crytic_args(stated: Mapping[str, Entry]) -> Iterator[Remark]:
    """Yield a remark on each argument of crytic-compile that is not honoured."""
    entry = stated.get("cryticArgs")
    if entry is not None:
        for predicate in unhonoured_arguments(entry.value):
            yield Remark("unsupported", f"{_named(entry)} {predicate}.", entry.key)


def _from_command_line(stated: Mapping[str, Entry], key: str) -> bool:
    return key in stated and stated[key].where == _COMMAND_LINE


def _fields(
    given: Mapping[str, Entry], wrong: list[ConfigError]
) -> dict[str, dict[str, Any]]:
    """Return the values of fields by owner; add to `wrong` what can't be read."""
    fields: dict[str, dict[str, Any]] = {"campaign": {}, "options": {}, "loaded": {}}
    for name, found in given.items():
        key = KEYS.get(name)
        if key is None or _is_unset(found, key):
            continue
        try:
            fields[key.owner][key.field] = _read(found, key.read)
        except ConfigError as error:
            wrong.append(error)
    return fields


def _is_unset(entry: Entry, key: Key) -> bool:
    """Whether a setting says nothing: to Echidna, too, null is the same as no value."""
    return entry.value is None and not key.null_is_value


def _loaded(
    choice: Choice,
    fields: dict[str, dict[str, Any]],
    stated: Mapping[str, Entry],
) -> LoadedConfig:
    loaded = fields["loaded"]
    campaign = CampaignConfig(**fields["campaign"], seed=loaded.get("seed") or 0)
    _check_filter(campaign, stated)
    if choice.file is not None and "target" in loaded:
        loaded["target"] = choice.file.parent / loaded["target"]
    used = [
        key.name
        for key in SUPPORTED
        if key.name in stated and not _is_unset(stated[key.name], key)
    ]
    return LoadedConfig(
        campaign=_with_crytic_args(campaign, loaded),
        options=RunOptions(**fields["options"]),
        given=tuple(sorted(used)),
        **loaded,
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
            f"{_named(entry)} must be {wrong}, not {shown(entry.value)}{wrong.hint}",
            key=entry.key,
        ) from None


def _named(entry: Entry) -> str:
    """Return a setting as the user wrote it: a line of a file, or an option."""
    if entry.where != _COMMAND_LINE:
        return f"{entry.where}: `{entry.key}`"
    return "--" + re.sub("([A-Z]+)", r"-\1", entry.key).lower()


def _check_filter(campaign: CampaignConfig, given: Mapping[str, Entry]) -> None:
    if not campaign.filter_blacklist and not campaign.filter_functions:
        raise ConfigError(
            f"{given['filterBlacklist'].where}: with `filterBlacklist: false` "
            "`filterFunctions` must name the functions to call, as in "
            "`Token.transfer(address,uint256)`.",
            key="filterFunctions",
        )
