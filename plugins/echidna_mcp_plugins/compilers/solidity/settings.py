"""Settings of solc, from its command-line arguments and from foundry.toml."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from echidna_mcp.config.projects.foundry import profile_name, profile_of
from echidna_mcp.config.projects.structured import read_toml
from echidna_mcp.errors import ConfigError, TargetError, UsageError
from echidna_mcp.evm.fork import ForkName
from echidna_mcp_plugins.compilers.fence import Fence, is_file
from echidna_mcp_plugins.compilers.files import read_bytes
from echidna_mcp_plugins.compilers.solidity.library_remappings import find_remappings
from echidna_mcp_plugins.compilers.solidity.remappings import Remapping, parse_remapping
from echidna_mcp_plugins.compilers.solidity.stated_solc import StatedSolc, stated_solc
from echidna_mcp_plugins.compilers.solidity.version_range import Version

_SUPPORTED = "--optimize, --optimize-runs N, --via-ir, --evm-version NAME, a=b"
_PATHS = ("--allow-paths", "--base-path", "--include-path")
_VALUED = ("--optimize-runs", "--evm-version", *_PATHS)
_MOST_BYTES = 1 << 20
_MOST_REMAPPINGS = 5_000
_LIBRARIES = ("lib",)
_TYPES: Mapping[str, type] = {
    "remappings": list,
    "optimizer": bool,
    "optimizer_runs": int,
    "via_ir": bool,
    "evm_version": str,
    "optimizer_details": dict,
    "bytecode_hash": str,
    "cbor_metadata": bool,
    "use_literal_content": bool,
    "revert_strings": str,
    "solc": str,
    "solc_version": str,
    "libs": list,
    "auto_detect_remappings": bool,
    "src": str,
    "test": str,
    "out": str,
}
_TOML_NAMES = {
    list: "list",
    bool: "boolean",
    int: "whole number",
    str: "string",
    dict: "table",
}
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "bytecode_hash": ("ipfs", "bzzr1", "none"),
    "revert_strings": ("default", "strip", "debug", "verboseDebug"),
}
_METADATA: Mapping[str, tuple[str, Version]] = {
    "use_literal_content": ("useLiteralContent", (0, 4, 11)),
    "bytecode_hash": ("bytecodeHash", (0, 6, 0)),
    "cbor_metadata": ("appendCBOR", (0, 8, 18)),
}
"""What solc calls a setting of foundry.toml, and the first one that knows it.

Older ones are not told, as by forge.
"""
_FIRST_WITH_REVERT_STRINGS: Version = (0, 6, 0)
_FIRST_WITH_LAYOUTS: Version = (0, 5, 13)
_FIRST_VERSIONS: Mapping[ForkName, Version] = {
    "shanghai": (0, 8, 20),
    "cancun": (0, 8, 24),
    "prague": (0, 8, 27),
    "osaka": (0, 8, 29),
}
"""The first solc that compiles for a fork; what older ones make runs there as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SolcSettings:
    """What may change the code that solc makes; the defaults are solc's.

    Attributes:
        details: what the optimizer does in detail; None leaves it to `optimize`.
        metadata: settings of foundry.toml for metadata, those that it states.
        revert_strings: what solc makes of reasons of reverts.
        evm_version: what project or arguments want it to compile for.
        rules: the fork to compile for in want of `evm_version`, if the solc knows it.
        sources: directories of a foundry project that hold its contracts.
        libraries: directories that hold those of others.
        readable: what the arguments let the compiler read, besides the project.
    """

    optimize: bool = False
    runs: int = 200
    details: Mapping[str, Any] | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    revert_strings: str | None = None
    via_ir: bool = False
    evm_version: str | None = None
    rules: ForkName | None = None
    remappings: tuple[Remapping, ...] = ()
    sources: tuple[str, ...] = ("src", "test")
    libraries: tuple[str, ...] = _LIBRARIES
    readable: tuple[str, ...] = ()

    def to_json(
        self, version: Version, trees: Sequence[str] = ("*",)
    ) -> dict[str, Any]:
        """Return `settings` of solc's standard JSON, with the outputs that we need.

        Args:
            version: of the solc.
            trees: units whose syntax trees are wanted; `*` are all.
        """
        code = ["object", "sourceMap", "linkReferences"]
        layout = ["storageLayout"] if version >= _FIRST_WITH_LAYOUTS else []
        outputs: dict[str, dict[str, list[str]]] = {
            unit: {"": ["ast"]} for unit in trees
        }
        outputs.setdefault("*", {})["*"] = [
            *("abi", "metadata", *layout),
            *(f"evm.bytecode.{name}" for name in code),
            *(f"evm.deployedBytecode.{name}" for name in code),
            "evm.deployedBytecode.immutableReferences",
        ]
        settings: dict[str, Any] = {
            "optimizer": {"enabled": self.optimize, "runs": self.runs},
            "remappings": [str(remapping) for remapping in self.remappings],
            "outputSelection": outputs,
        }
        if self.details is not None:
            settings["optimizer"]["details"] = self.details
        metadata = {
            name: self.metadata[key]
            for key, (name, first) in _METADATA.items()
            if key in self.metadata and version >= first
        }
        if metadata:
            settings["metadata"] = metadata
        if self.revert_strings and version >= _FIRST_WITH_REVERT_STRINGS:
            settings["debug"] = {"revertStrings": self.revert_strings}
        if self.via_ir:
            settings["viaIR"] = True
        if self.evm_version:
            settings["evmVersion"] = self.evm_version
        elif self.rules and version >= _FIRST_VERSIONS[self.rules]:
            settings["evmVersion"] = self.rules
        return settings


def with_arguments(settings: SolcSettings, arguments: str) -> SolcSettings:
    """Return `settings` changed by arguments of solc's command line (`solcArgs`).

    Raises:
        UsageError: an argument that is not supported.
    """
    try:
        words = iter(shlex.split(arguments))
    except ValueError as error:
        raise UsageError(f"solcArgs {arguments!r} can't be split: {error}.") from error
    for word in words:
        option, equals, attached = word.partition("=")
        remapping = None if word.startswith("-") else parse_remapping(word)
        if remapping:
            settings = replace(
                settings,
                remappings=(*settings.remappings, remapping),
                # As with solc: whoever names a library here declares it.
                readable=(*settings.readable, *filter(None, [remapping.target])),
            )
        elif option == "--optimize":
            settings = replace(settings, optimize=True)
        elif option == "--via-ir":
            settings = replace(settings, via_ir=True)
        elif option in _VALUED:
            value = attached if equals else next(words, "")
            settings = _with_value(settings, option, value)
        else:
            raise UsageError(
                f"solcArgs holds {word!r}, which is not supported; use {_SUPPORTED}."
            )
    return settings


def _with_value(settings: SolcSettings, option: str, value: str) -> SolcSettings:
    if option in _PATHS:
        paths = filter(None, value.split(","))
        return replace(settings, readable=(*settings.readable, *paths))
    if option == "--evm-version" and value:
        return replace(settings, evm_version=value)
    if option == "--optimize-runs" and value.isdecimal():
        return replace(settings, runs=int(value))
    raise UsageError(f"solcArgs: {option} needs a value, not {value!r}.")


def project_settings(root: Path, fence: Fence) -> SolcSettings:
    """Return what foundry.toml and remappings.txt in `root` ask for.

    Remappings of libraries (`lib/*/remappings.txt`), and those that forge makes up for
    their folders, count where the project has none for that prefix.

    Raises:
        ConfigError: foundry.toml is no TOML, or a setting has the wrong type.
        TargetError: one of the files is too large, or leads out of the project.
    """
    file = root / "foundry.toml"
    profile = _profile(file, fence)
    remappings = [parse_remapping(str(text)) for text in profile.get("remappings", ())]
    remappings += _remappings_file(root / "remappings.txt", fence)
    own = [remapping for remapping in remappings if remapping]
    libraries = _libraries(profile, root, fence)
    if profile.get("auto_detect_remappings", True):
        own += _of_libraries(own, root, libraries, fence, made_up=is_file(file))
    if len(own) > _MOST_REMAPPINGS:
        raise TargetError(
            f"{root} has {len(own)} remappings, more than {_MOST_REMAPPINGS}; "
            "remove those that no import needs."
        )
    return SolcSettings(
        optimize=profile.get("optimizer", False),
        runs=profile.get("optimizer_runs", 200),
        details=profile.get("optimizer_details"),
        metadata={key: profile[key] for key in _METADATA if key in profile},
        revert_strings=profile.get("revert_strings"),
        via_ir=profile.get("via_ir", False),
        evm_version=profile.get("evm_version"),
        remappings=tuple(own),
        sources=(profile.get("src", "src"), profile.get("test", "test")),
        libraries=libraries,
    )


def _libraries(profile: Mapping[str, Any], root: Path, fence: Fence) -> tuple[str, ...]:
    """Return the directories of libraries; packages of npm are found otherwise."""
    stated = map(str, profile.get("libs", _LIBRARIES))
    return tuple(
        name
        for name in stated
        if PurePath(name).name != "node_modules" and fence.holds(root / name)
    )


def _of_libraries(
    own: Sequence[Remapping],
    root: Path,
    libraries: Sequence[str],
    fence: Fence,
    *,
    made_up: bool,
) -> list[Remapping]:
    """Return the remappings for libraries; of several for one prefix the nearest.

    Args:
        own: those of the project.
        made_up: whether there are some for their folders as well.
    """
    found: dict[str, str] = {}

    def add(prefix: str, target: str) -> None:
        if prefix not in found or target.count("/") < found[prefix].count("/"):
            found[prefix] = target

    for place in libraries:
        for file in sorted((root / place).glob("*/remappings.txt")):
            library = _relative(file.parent, root)
            for inner in _remappings_file(file, fence):
                add(inner.prefix, f"{library}/{inner.target}")
    for place in libraries if made_up else ():
        for prefix, sources in find_remappings(root / place, fence).items():
            add(prefix, f"{_relative(sources, root)}/")
    stated = tuple(f"{r.prefix.rstrip('/')}/" for r in own if not r.context)
    return [
        Remapping("", prefix, target)
        for prefix, target in found.items()
        if not f"{prefix.rstrip('/')}/".startswith(stated)
    ]


def _relative(path: Path, root: Path) -> str:
    return Path(os.path.relpath(path, root)).as_posix()


def stated_settings(root: Path, fence: Fence) -> Mapping[str, Any]:
    """Return what foundry.toml in `root` says itself; what it leaves open is absent.

    `solc` is the version that it names, if it names one.

    Raises:
        ConfigError, TargetError: see `project_settings` and `stated_solc`.
    """
    profile = dict(_profile(root / "foundry.toml", fence))
    solc = project_solc(root, fence)
    profile.pop("solc", None)
    return profile | ({"solc": solc.version} if solc and solc.version else {})


def project_solc(root: Path, fence: Fence) -> StatedSolc | None:
    """Return the solc that foundry.toml in `root` names, if it names one.

    Raises:
        ConfigError, TargetError: see `project_settings` and `stated_solc`.
    """
    file = root / "foundry.toml"
    return stated_solc(_profile(file, fence), file)


def _profile(file: Path, fence: Fence) -> Mapping[str, Any]:
    """Return foundry's profile; what we use of it has the right types.

    As with forge, more than no runs turn the optimizer on, unless it is turned off.
    """
    try:
        source = _text(file, fence).decode()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} can't be read: {error}.") from error
    if not source:
        return {}
    profile = dict(profile_of(read_toml(source, file), profile_name(), file))
    for key, kind in _TYPES.items():
        # To Python, true is a number.
        if key in profile and type(profile[key]) is not kind:
            raise ConfigError(f"{file}: {key} must be a {_TOML_NAMES[kind]}.")
    for key, choices in _CHOICES.items():
        if key in profile:
            profile[key] = _chosen(profile[key], choices, f"{file}: {key}")
    if not _is_plain(profile.get("optimizer_details", {})):
        raise ConfigError(f"{file}: optimizer_details must hold flags and texts only.")
    if profile.get("optimizer_runs"):
        profile.setdefault("optimizer", True)
    return profile


def _is_plain(value: object) -> bool:
    """Whether a value of TOML can be handed to solc: no date, no fraction."""
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    return isinstance(value, (bool, int, str))


def _chosen(given: str, choices: Sequence[str], named: str) -> str:
    if given.lower() in choices:  # forge takes IPFS for ipfs
        return given.lower()
    if given not in choices:
        raise ConfigError(f"{named} must be one of {', '.join(choices)}.")
    return given


def _remappings_file(file: Path, fence: Fence) -> list[Remapping]:
    lines = _text(file, fence).decode(errors="replace").splitlines()
    return [found for line in lines if (found := parse_remapping(line))]


def _text(file: Path, fence: Fence) -> bytes:
    """Return what a file of settings holds; nothing if it is not there."""
    if not is_file(file):
        return b""
    fence.check(file, str(file))
    return read_bytes(file, _MOST_BYTES)
