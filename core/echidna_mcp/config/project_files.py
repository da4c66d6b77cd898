"""The files by which a directory is known to be a project."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

BUILD_FILES: Final = (
    "foundry.toml",
    "remappings.txt",
    "hardhat.config.js",
    "hardhat.config.cjs",
    "hardhat.config.mjs",
    "hardhat.config.ts",
    "hardhat.config.cts",
    "hardhat.config.mts",
    "truffle-config.js",
    "brownie-config.yaml",
    "ape-config.yaml",
)
"""Configurations of build tools: sources are looked for from where they lie."""
FUZZING_FILES: Final = ("medusa.json", "echidna.yaml", "echidna.yml")
"""Configurations of fuzzers. They may lie anywhere in a project."""


def is_project(directory: Path) -> bool:
    """Whether a directory is a project of any tool."""
    names = (*BUILD_FILES, *FUZZING_FILES)
    # Path.is_file raises where a name can't be looked up.
    return any(os.path.isfile(directory / name) for name in names)  # noqa: PTH113
