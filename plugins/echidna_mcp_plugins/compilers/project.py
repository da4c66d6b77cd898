"""The Solidity sources that a target consists of, read with everything they import."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from echidna_mcp.errors import CompilationError, TargetError
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp_plugins.compilers.files import read_source, source_files
from echidna_mcp_plugins.compilers.remappings import resolve_import
from echidna_mcp_plugins.compilers.settings import (
    SolcSettings,
    project_settings,
    with_arguments,
)
from echidna_mcp_plugins.compilers.solidity_source import (
    Import,
    imports_of,
    pragmas_of,
)
from echidna_mcp_plugins.compilers.version_range import Version, satisfies

_MARKERS = (
    "foundry.toml",
    "remappings.txt",
    "hardhat.config.js",
    "hardhat.config.cjs",
    "hardhat.config.ts",
    "truffle-config.js",
    "brownie-config.yaml",
    "ape-config.yaml",
)
_LIBRARY_FOLDERS = ("src", "contracts")


@dataclass(frozen=True, slots=True, kw_only=True)
class SolidityProject:
    """Sources by unit name, which is the path relative to the root of the project.

    Attributes:
        entries: units of the target itself; the others are imported.
        pragmas: version ranges of all units.
    """

    sources: Mapping[str, str]
    entries: tuple[str, ...]
    settings: SolcSettings
    pragmas: tuple[str, ...]

    def allows(self, version: Version) -> bool:
        """Whether all pragmas allow this version of solc."""
        return all(satisfies(version, pragma) for pragma in self.pragmas)

    @property
    def wanted(self) -> str:
        """The pragmas as text for messages."""
        return " and ".join(f"`{pragma}`" for pragma in self.pragmas) or "any version"


def load_project(request: CompileRequest) -> SolidityProject:
    """Read the target and everything it imports.

    Raises:
        TargetError: a file can't be read, or the directory holds no Solidity.
        CompilationError: an import can't be found.
        ConfigError, UsageError: settings that can't be understood.
    """
    target = Path(os.path.abspath(request.target))  # noqa: PTH100 - keep symlinks
    base = _project_root(target)
    settings = with_arguments(project_settings(base), request.solc_args)
    files = _entry_files(target, settings)
    root = base
    reader = _Reader(root, base, settings)
    # An import can leave the directory that we took for the root: then its parent is.
    while not reader.read(files):
        root = root.parent
        reader = _Reader(root, base, settings)
    return SolidityProject(
        sources=dict(sorted(reader.sources.items())),
        entries=tuple(file.relative_to(root).as_posix() for file in files),
        settings=settings,
        pragmas=tuple(
            sorted({p for text in reader.sources.values() for p in pragmas_of(text)})
        ),
    )


def _project_root(target: Path) -> Path:
    start = target if target.is_dir() else target.parent
    for directory in (start, *start.parents):
        if any((directory / marker).is_file() for marker in _MARKERS):
            return directory
    return start


def _entry_files(target: Path, settings: SolcSettings) -> list[Path]:
    if not target.is_dir():
        return [target]
    files: list[Path] = []
    if (target / "foundry.toml").is_file():
        for folder in dict.fromkeys(settings.sources):
            files += source_files(target / folder, ".sol")
    files = files or source_files(target, ".sol")
    if not files:
        raise TargetError(f"There is no .sol file in the directory {target}.")
    return files


class _Reader:
    """Follows imports from some files."""

    def __init__(self, root: Path, base: Path, settings: SolcSettings) -> None:
        self.sources: dict[str, str] = {}
        self._root = root
        self._base = base
        self._remappings = settings.remappings

    def read(self, files: Sequence[Path]) -> bool:
        """Read `files` and their imports. False if an import leaves the root."""
        queue = []
        for file in files:
            unit = file.relative_to(self._root).as_posix()
            self.sources[unit] = read_source(file)
            queue.append(unit)
        while queue:
            importer = queue.pop()
            for statement in imports_of(self.sources[importer]):
                unit = resolve_import(statement.path, importer, self._remappings)
                if unit.startswith("../") and self._root != self._root.parent:
                    return False
                if unit not in self.sources:
                    file = self._find(unit, importer, statement)
                    self.sources[unit] = read_source(file)
                    queue.append(unit)
        return True

    def _find(self, unit: str, importer: str, statement: Import) -> Path:
        for candidate in self._candidates(unit):
            if candidate.is_file():
                return candidate
        raise CompilationError(
            f"{importer}:{statement.line}: the import {statement.path!r} can't be "
            "found; install it below node_modules or lib, or add a remapping to "
            "remappings.txt."
        )

    def _candidates(self, unit: str) -> Iterator[Path]:
        yield self._root / unit
        yield self._base / unit
        for directory in (self._base, *self._base.parents):
            yield directory / "node_modules" / unit
        library, _, rest = unit.partition("/")
        yield self._base / "lib" / unit
        for folder in _LIBRARY_FOLDERS:
            yield self._base / "lib" / library / folder / rest
