"""The files by which a directory is known to be a project, and kinds of projects."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

HARDHAT_FILES: Final = (
    "hardhat.config.js",
    "hardhat.config.cjs",
    "hardhat.config.mjs",
    "hardhat.config.ts",
    "hardhat.config.cts",
    "hardhat.config.mts",
)
BUILD_FILES: Final = (
    "foundry.toml",
    "remappings.txt",
    *HARDHAT_FILES,
    "truffle-config.js",
    "brownie-config.yaml",
    "ape-config.yaml",
)
"""Configurations of build tools: sources are looked for from where they lie."""
ECHIDNA_FILES: Final = (
    "echidna.yaml",
    "echidna.yml",
    "echidna.config.yaml",
    "echidna.config.yml",
    "echidna-config.yaml",
    "echidna-config.yml",
)
FUZZING_FILES: Final = ("medusa.json", *ECHIDNA_FILES)
"""Configurations of fuzzers. They may lie anywhere in a project."""

KIND_NAMES: Final = ("echidna", "medusa", "foundry", "hardhat", "plain")
"""Kinds of projects, as `--as` takes them and in the order in which they are tried."""

EXPORT_DIRECTORY: Final = "crytic-export"
"""Where crytic-compile puts what it exports."""
_SOURCE_DIRECTORIES: Final = ("", "src", "contracts", "test")
_SOURCES: Final = (".sol", ".vy")


def project_root(target: Path) -> Path:
    """Return the project that a file or directory belongs to.

    That is the nearest directory upwards with a configuration file, else the directory
    itself, or that of the file.
    """
    start = Path(os.path.realpath(target))
    if not os.path.isdir(start):  # noqa: PTH112 - as below
        start = start.parent
    for directory in (start, *start.parents):
        if files_in(directory, (*BUILD_FILES, *FUZZING_FILES)):
            return directory
    return start


def is_project(directory: Path) -> bool:
    """Whether a directory is a project of any tool, or has contracts where such lie."""
    places = [(below, ending) for below in _SOURCE_DIRECTORIES for ending in _SOURCES]
    places.append((EXPORT_DIRECTORY, ".json"))
    return bool(files_in(directory, (*BUILD_FILES, *FUZZING_FILES))) or any(
        name.endswith(ending)
        for below, ending in places
        for name in _names_in(directory / below)
    )


def files_in(directory: Path, names: Iterable[str]) -> tuple[str, ...]:
    """Return those of some names that are files in a directory, in their order."""
    # Path.is_file raises where a name can't be looked up.
    return tuple(n for n in names if os.path.isfile(directory / n))  # noqa: PTH113


def _names_in(directory: Path) -> list[str]:
    """Return the names in a directory; none if it can't be read."""
    try:
        return [path.name for path in directory.iterdir()]
    except OSError:
        return []
