"""Directories of what crytic-compile has exported (`crytic-export`).

Such a directory is a target, and so is a project that holds nothing else to compile.
"""

from __future__ import annotations

from pathlib import Path

from echidna_mcp.config.project_files import EXPORT_DIRECTORY
from echidna_mcp.program.main_contract import is_dependency
from echidna_mcp_plugins.compilers.artifacts.combined import is_combined, read_combined
from echidna_mcp_plugins.compilers.artifacts.sources import SourcesBeside
from echidna_mcp_plugins.compilers.bounded_json import read_json
from echidna_mcp_plugins.compilers.files import has_source_files
from echidna_mcp_plugins.compilers.solidity.choice import Part
from echidna_mcp_plugins.compilers.solidity.standard_json import build_of


def exported_files(target: Path) -> list[Path]:
    """Return the files of JSON in an export, in order; none if a target is no export.

    Args:
        target: a directory.
    """
    if target.absolute().name == EXPORT_DIRECTORY:
        return sorted(target.glob("*.json"))
    found = sorted((target / EXPORT_DIRECTORY).glob("*.json"))
    if found and any(has_source_files(target, each) for each in (".sol", ".vy")):
        return []
    return found


def read_exported(files: list[Path], beside: SourcesBeside) -> list[Part]:
    """Return the compilations in an export; what is something else is passed over.

    Raises:
        TargetError: a file can't be read, or a source lies outside the project.
    """
    parts = []
    for file in files:
        data = read_json(file)
        if is_combined(data):
            build = build_of(read_combined(data, file, beside), file)
            own = {c.source for c in build.contracts if not is_dependency(c.source)}
            parts.append(Part(build, frozenset(own)))
    return parts
