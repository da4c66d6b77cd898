"""Directories of sources that say nothing about fuzzing: no preset, nothing is read."""

from __future__ import annotations

from typing import Final

from echidna_mcp.config.project_files import HARDHAT_FILES
from echidna_mcp.config.projects.kind import Kind

HARDHAT: Final = Kind(
    name="hardhat",
    title="Hardhat",
    # They are programs, which only Hardhat can run.
    files=HARDHAT_FILES,
    preset={},
)

PLAIN: Final = Kind(name="plain", title="plain sources", preset={})
