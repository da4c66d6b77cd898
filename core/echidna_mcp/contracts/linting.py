"""All that can be said about contract documents without running their tools.

`echidna-mcp contracts check` shows it: the rules of each document's dialect, names that
two tools have, and definitions that changed without a new version.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from echidna_mcp.contracts.dialect import Dialect, Finding, dialect_of
from echidna_mcp.contracts.document import read_document
from echidna_mcp.contracts.lock import Lock, definition_hash
from echidna_mcp.contracts.shared import self_contained, shared_definitions
from echidna_mcp.contracts.toolspec import ToolSpec
from echidna_mcp.errors import ContractDocumentError
from echidna_mcp.wording import listed

_NO_TOOLS = ("schema", "events", "_generated", "node_modules")
"""Folders with documents that are none of tools."""
_ERROR = "error.json"
_MARK = re.compile(
    rb'"(inputs|outputs|inputSchema|outputSchema|safetyLevel|status_code)"\s*:'
)
"""A key that contract documents have, and few other files."""
_NAMES = ("id", "name", "title")
"""Where the dialects have the name of a tool, in this order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A finding in a file.

    Attributes:
        file: path of the document, or of the lock.
        finding: what is wrong there.
        dialect: name of the document's dialect; empty if it has none.
    """

    file: str
    finding: Finding
    dialect: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values, for `contracts check --json`."""
        return {
            "file": self.file,
            "pointer": self.finding.pointer,
            "severity": "error" if self.finding.is_error else "warning",
            "message": self.finding.message,
            "dialect": self.dialect,
        }


@dataclass(slots=True)
class Report:
    """What was found.

    Attributes:
        remarks: in order of file and document.
        tools: what the documents without errors describe, by file.
        hashes: of every definition that has a name, by that name.
        files: contract documents that were checked.
        others: JSON files that are no contract documents of tools.
    """

    remarks: list[Remark] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    tools: dict[str, ToolSpec] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)

    @property
    def errors(self) -> int:
        """How many of the remarks are errors."""
        return sum(remark.finding.is_error for remark in self.remarks)


def lint(path: Path, dialects: Sequence[Dialect]) -> Report:
    """Check a document, or all documents in a directory and below.

    Args:
        path: a file, or a directory.
        dialects: those that documents can be in; each names its own.

    Raises:
        ContractDocumentError: there is nothing to check at `path`.
    """
    if not path.exists():
        raise ContractDocumentError(f"{path}: no such file or directory.")
    report = Report()
    if path.is_dir():
        found = sorted(path.rglob("*.json"))
        files = [each for each in found if _is_candidate(each.relative_to(path))]
    else:
        files = [path]
    for file in files:
        _lint_file(file, dialects, report, asked=file == path)
    if not report.files:
        known = listed([dialect.title for dialect in dialects], "or")
        raise ContractDocumentError(
            f"{path}: holds no contract document; one is a JSON object in the form of "
            f"{known}."
        )
    report.remarks += _twice(report.tools)
    return report


def against_loaded(report: Report, loaded: Mapping[str, ToolSpec]) -> Iterator[Remark]:
    """Yield names that tools of loaded packages have as well, and are other tools.

    Args:
        report: of the documents.
        loaded: what plugins offer, by name.
    """
    answering = {
        name: other
        for other in loaded.values()
        for name in (*other.aliases, other.name)
    }
    for file, spec in report.tools.items():
        names = (spec.name, *spec.aliases)
        other = next((answering[name] for name in names if name in answering), None)
        if other is not None and other != spec:
            yield Remark(
                file=file,
                finding=Finding(
                    pointer="",
                    message=f"{spec.name!r} is also a tool of an enabled plugin "
                    f"({other.title!r}), with another definition; rename it, or "
                    "generate that plugin's code again if it is this one.",
                ),
            )


def against_lock(report: Report, lock: Lock, version: str, file: str) -> list[Remark]:
    """Return definitions that changed or vanished although the version did not.

    Args:
        report: of the documents.
        lock: what they were.
        version: of the package now.
        file: where the lock stands.
    """
    if lock.version != version:
        return []
    remarks = []
    for name, before in lock.tools.items():
        now = report.hashes.get(name)
        if now == before:
            continue
        what = "is gone or renamed" if now is None else "has changed"
        remarks.append(
            Remark(
                file=file,
                finding=Finding(
                    pointer="",
                    message=f"{name!r} {what} since version {lock.version}; give the "
                    "package a new version and run `contracts lock`.",
                    is_error=False,
                ),
            )
        )
    return remarks


def _looks_like_one(path: Path) -> bool:
    """Whether a file in a directory is meant as a contract document, be it broken.

    Other files of a project are JSON as well, or nearly.
    """
    try:
        return _MARK.search(path.read_bytes()) is not None
    except OSError:
        return True  # It is told why.


def _is_candidate(path: Path) -> bool:
    return path.name != _ERROR and not any(part in _NO_TOOLS for part in path.parts)


def _lint_file(
    path: Path, dialects: Sequence[Dialect], report: Report, *, asked: bool
) -> None:
    def refuse(message: str) -> None:
        report.files.append(str(path))
        finding = Finding(pointer="", message=message)
        report.remarks.append(Remark(file=str(path), finding=finding))

    if not asked and not _looks_like_one(path):
        report.others.append(str(path))
        return
    try:
        document = read_document(path)
        shared = shared_definitions(path.parent)
        document = self_contained(document, shared, str(path))
    except ContractDocumentError as error:
        refuse(error.message.removeprefix(f"{path}: "))
        return
    dialect = dialect_of(document, dialects)
    if dialect is None:
        known = listed([each.title for each in dialects], "or")
        refuse(f"is in no known dialect; write it as {known}.")
        return
    report.files.append(str(path))
    findings = list(dialect.check(document))
    report.remarks += [
        Remark(file=str(path), finding=each, dialect=dialect.name) for each in findings
    ]
    for key in _NAMES:
        if isinstance(document.get(key), str):
            report.hashes[document[key]] = definition_hash(document)
            break
    if not any(each.is_error for each in findings):
        report.tools[str(path)] = dialect.read(document)


def _twice(tools: Mapping[str, ToolSpec]) -> Iterator[Remark]:
    """Yield names and aliases that two documents give."""
    first: dict[str, str] = {}
    for file, spec in tools.items():
        for name in (spec.name, *spec.aliases):
            if name not in first:
                first[name] = file
            elif first[name] != file:
                message = f"{name!r} is already that of {first[name]}; rename one."
                yield Remark(file=file, finding=Finding(pointer="", message=message))
                break
