"""Settings of solc, from its command-line arguments and from foundry.toml."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from echidna_mcp.errors import ConfigError, UsageError
from echidna_mcp_plugins.compilers.remappings import Remapping, parse_remapping

_SUPPORTED = "--optimize, --optimize-runs N, --via-ir, --evm-version NAME, a=b"
# Sources are handed over as text, so where solc may look for files is no question.
_IGNORED = ("--allow-paths", "--base-path", "--include-path")
_VALUED = ("--optimize-runs", "--evm-version", *_IGNORED)


@dataclass(frozen=True, slots=True, kw_only=True)
class SolcSettings:
    """What may change the code that solc makes; the defaults are solc's.

    Attributes:
        sources: directories of a foundry project that hold its contracts.
    """

    optimize: bool = False
    runs: int = 200
    via_ir: bool = False
    evm_version: str | None = None
    remappings: tuple[Remapping, ...] = ()
    sources: tuple[str, ...] = ("src", "test")

    def to_json(self) -> dict[str, Any]:
        """Return `settings` of solc's standard JSON, with the outputs that we need."""
        code = ["object", "sourceMap", "linkReferences"]
        settings: dict[str, Any] = {
            "optimizer": {"enabled": self.optimize, "runs": self.runs},
            "remappings": [str(remapping) for remapping in self.remappings],
            "outputSelection": {
                "*": {
                    "": ["ast"],
                    "*": [
                        "abi",
                        *(f"evm.bytecode.{name}" for name in code),
                        *(f"evm.deployedBytecode.{name}" for name in code),
                        "evm.deployedBytecode.immutableReferences",
                    ],
                }
            },
        }
        if self.via_ir:
            settings["viaIR"] = True
        if self.evm_version:
            settings["evmVersion"] = self.evm_version
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
            settings = replace(settings, remappings=(*settings.remappings, remapping))
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
    if option in _IGNORED:
        return settings
    if option == "--evm-version" and value:
        return replace(settings, evm_version=value)
    if option == "--optimize-runs" and value.isdecimal():
        return replace(settings, runs=int(value))
    raise UsageError(f"solcArgs: {option} needs a value, not {value!r}.")


def project_settings(root: Path) -> SolcSettings:
    """Return what foundry.toml and remappings.txt in `root` ask for.

    Remappings of libraries (`lib/*/remappings.txt`) count where the project has none
    for that prefix, as with forge.

    Raises:
        ConfigError: foundry.toml is no TOML.
    """
    profile = _profile(root / "foundry.toml")
    remappings = [parse_remapping(str(text)) for text in profile.get("remappings", ())]
    remappings += _remappings_file(root / "remappings.txt")
    known = {r.prefix for r in remappings if r}
    for file in sorted(root.glob("lib/*/remappings.txt")):
        library = file.parent.relative_to(root).as_posix()
        for inner in _remappings_file(file):
            if inner.prefix not in known:
                known.add(inner.prefix)
                target = f"{library}/{inner.target}"
                remappings.append(Remapping("", inner.prefix, target))
    runs = profile.get("optimizer_runs")
    return SolcSettings(
        optimize=bool(profile.get("optimizer", False)),
        runs=runs if isinstance(runs, int) else 200,
        via_ir=bool(profile.get("via_ir", False)),
        evm_version=profile.get("evm_version"),
        remappings=tuple(remapping for remapping in remappings if remapping),
        sources=(str(profile.get("src", "src")), str(profile.get("test", "test"))),
    )


def _profile(file: Path) -> Mapping[str, Any]:
    if not file.is_file():
        return {}
    try:
        config = tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} can't be read: {error}.") from error
    profile = config.get("profile", {}).get("default", {})
    return profile if isinstance(profile, dict) else {}


def _remappings_file(file: Path) -> list[Remapping]:
    if not file.is_file():
        return []
    lines = file.read_text("utf-8", errors="replace").splitlines()
    return [found for line in lines if (found := parse_remapping(line))]
