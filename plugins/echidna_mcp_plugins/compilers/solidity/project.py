"""The Solidity sources that a target consists of, read with everything they import."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from echidna_mcp.errors import CompilationError, EchidnaMcpError, TargetError
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp_plugins.compilers.fence import (
    Fence,
    is_file,
    marked_root,
    source_root,
)
from echidna_mcp_plugins.compilers.files import (
    MOST_SOURCES,
    MOST_TOTAL_BYTES,
    read_source,
    source_files,
)
from echidna_mcp_plugins.compilers.solidity.remappings import resolve_import
from echidna_mcp_plugins.compilers.solidity.settings import (
    SolcSettings,
    project_settings,
    project_solc,
    with_arguments,
)
from echidna_mcp_plugins.compilers.solidity.source_text import (
    Import,
    imports_of,
    pragmas_of,
)
from echidna_mcp_plugins.compilers.solidity.stated_solc import StatedSolc

_LIBRARY_FOLDERS = ("src", "contracts")


@dataclass(frozen=True, slots=True, kw_only=True)
class SolidityProject:
    """Sources by unit name, which is the path relative to the root of the project.

    Attributes:
        entries: units of the target itself; the others are imported.
        imports: the units that each unit imports.
        pragmas: the version ranges that each unit states.
        solc: what the project wants to be compiled with, whatever the pragmas say.
        broken: units that can't be compiled because of what they import, with the
            reasons, in the order in which they were found.
        whole: whether the target is the one entry, so that it has to compile.
    """

    sources: Mapping[str, str]
    entries: tuple[str, ...]
    settings: SolcSettings
    imports: Mapping[str, tuple[str, ...]]
    pragmas: Mapping[str, tuple[str, ...]]
    solc: StatedSolc | None
    broken: Mapping[str, EchidnaMcpError]
    whole: bool

    def closure(self, units: Iterable[str]) -> frozenset[str]:
        """Return some units with everything that they import."""
        found = set(units)
        queue = list(found)
        while queue:
            new = set(self.imports.get(queue.pop(), ())) - found
            found |= new
            queue += new
        return frozenset(found)

    def ranges(self, units: Iterable[str]) -> tuple[str, ...]:
        """Return the version ranges of some units, in order."""
        if self.solc and self.solc.version:
            return (f"={self.solc.version}",)
        stated = {text for unit in units for text in self.pragmas.get(unit, ())}
        return tuple(sorted(stated))

    def failure(self, units: Collection[str]) -> EchidnaMcpError | None:
        """Return why one of some units can't be compiled, if so."""
        return next((e for unit, e in self.broken.items() if unit in units), None)


def own_solc(request: CompileRequest) -> Path | None:
    """Return the binary of solc that the project of a target names, if it names one.

    Raises:
        ConfigError, TargetError: see `load_project`.
    """
    target = Path(os.path.abspath(request.target))  # noqa: PTH100 - keep symlinks
    start = target if target.is_dir() else target.parent
    stated = project_solc(
        marked_root(start) or start, Fence(source_root(start), request.allow_paths)
    )
    return stated.binary if stated else None


def load_project(request: CompileRequest) -> SolidityProject:
    """Read the target and everything it imports.

    In a directory, files that can't be compiled because of what they import are
    `broken`, unless there are no others.

    Raises:
        TargetError: a file can't be read or lies outside the project, or the directory
            holds no Solidity.
        CompilationError: an import can't be found.
        ConfigError, UsageError: settings that can't be understood.
    """
    target = Path(os.path.abspath(request.target))  # noqa: PTH100 - keep symlinks
    start = target if target.is_dir() else target.parent
    base = marked_root(start) or start
    wanted = with_arguments(SolcSettings(), request.solc_args)
    fence = Fence(
        source_root(start),
        [*request.allow_paths, *(base / path for path in wanted.readable)],
    )
    settings = project_settings(base, fence)
    if request.evm_version:
        settings = replace(settings, evm_version=None, rules=request.evm_version)
    settings = with_arguments(settings, request.solc_args)
    files = entry_files(target, settings, fence)
    root = base
    reader = _Reader(root, base, settings, fence)
    # An import can leave the directory that we took for the root: then its parent is.
    while not reader.read(files):
        root = root.parent
        reader = _Reader(root, base, settings, fence)
    project = SolidityProject(
        sources=dict(sorted(reader.sources.items())),
        entries=tuple(file.relative_to(root).as_posix() for file in files),
        settings=settings,
        imports=reader.imports,
        pragmas={unit: tuple(pragmas_of(t)) for unit, t in reader.sources.items()},
        solc=None if request.solc else project_solc(base, fence),
        broken=reader.broken,
        whole=not target.is_dir(),
    )
    failures = [project.failure(project.closure([each])) for each in project.entries]
    if all(failures) and failures[0]:
        raise failures[0]
    return project


def entry_files(target: Path, settings: SolcSettings, fence: Fence) -> list[Path]:
    """Return the files that a target consists of.

    Of a foundry project these are what lies in its folders for sources and tests.

    Raises:
        TargetError: there is none, or one lies outside the project.
    """
    files: list[Path] = [] if target.is_dir() else [target]
    if is_file(target / "foundry.toml"):
        for folder in dict.fromkeys(settings.sources):
            fence.check(target / folder, f"{target}/foundry.toml: {folder!r}")
            files += source_files(target / folder, ".sol")
    files = files or source_files(target, ".sol")
    if not files:
        raise TargetError(f"There is no .sol file in the directory {target}.")
    for file in files:
        fence.check(file, str(file))
    return files


class _RootLeftError(Exception):
    """An import leads above the directory that was taken for the root."""


class _TooMuchError(TargetError):
    """The sources are more than any project has."""


class _Reader:
    """Follows imports from some files.

    Attributes:
        sources, imports, broken: as in `SolidityProject`.
    """

    def __init__(
        self, root: Path, base: Path, settings: SolcSettings, fence: Fence
    ) -> None:
        self.sources: dict[str, str] = {}
        self.imports: dict[str, tuple[str, ...]] = {}
        self.broken: dict[str, EchidnaMcpError] = {}
        self._root = root
        self._base = base
        self._remappings = settings.remappings
        self._libraries = settings.libraries
        self._fence = fence
        self._bytes = 0

    def read(self, files: Sequence[Path]) -> bool:
        """Read `files` and their imports. False if an import leaves the root."""
        queue = []
        for file in files:
            unit = file.relative_to(self._root).as_posix()
            with self._noted(unit):
                self._add(unit, file)
                queue.append(unit)
        try:
            while queue:
                queue += self._follow(queue.pop())
        except _RootLeftError:
            return False
        return True

    @contextmanager
    def _noted(self, unit: str) -> Iterator[None]:
        """Note why a unit can't be compiled."""
        try:
            yield
        except _TooMuchError:
            raise
        except (TargetError, CompilationError) as error:
            self.broken[unit] = error

    def _follow(self, importer: str) -> list[str]:
        """Read what a unit imports; return what was not known yet."""
        found: dict[str, None] = {}
        new = []
        with self._noted(importer):
            for statement in imports_of(self.sources[importer]):
                unit = resolve_import(statement.path, importer, self._remappings)
                if unit.startswith("../") and self._root != self._root.parent:
                    self._check(unit, importer, statement)
                    raise _RootLeftError
                if unit not in self.sources:
                    self._add(unit, self._find(unit, importer, statement))
                    new.append(unit)
                found[unit] = None
        self.imports[importer] = tuple(found)
        return new

    def _add(self, unit: str, file: Path) -> None:
        text = self.sources[unit] = read_source(file)
        self._bytes += len(text)
        if len(self.sources) > MOST_SOURCES or self._bytes > MOST_TOTAL_BYTES:
            raise _TooMuchError(
                f"The target and its imports are more than {MOST_SOURCES} files or "
                f"{MOST_TOTAL_BYTES >> 20} MiB; name one file of it."
            )

    def _check(self, unit: str, importer: str, statement: Import) -> None:
        self._fence.check(self._root / unit, _named(importer, statement))

    def _find(self, unit: str, importer: str, statement: Import) -> Path:
        outside = None
        for candidate in self._candidates(unit):
            if self._fence.holds(candidate):
                if is_file(candidate):
                    return candidate
            # What lies outside is refused by its name alone, so that nothing is told
            # about it, or where a link of the project leads there.
            elif _leaves(unit) or is_file(candidate):
                outside = outside or candidate
        if outside is not None and "\0" not in unit:
            raise self._fence.refusal(outside, _named(importer, statement))
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
        for place in self._libraries:
            yield self._base / place / unit
            for folder in _LIBRARY_FOLDERS:
                yield self._base / place / library / folder / rest


def _leaves(unit: str) -> bool:
    return unit.startswith("/") or ".." in unit.split("/")


def _named(importer: str, statement: Import) -> str:
    return f"{importer}:{statement.line}: the import {statement.path!r}"
