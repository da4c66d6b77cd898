"""`contracts check` and `contracts lock`: a linter for authors of tools."""

from __future__ import annotations

import json
from pathlib import Path

from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.contracts.linting import (
    Remark,
    Report,
    against_loaded,
    against_lock,
    lint,
)
from echidna_mcp.contracts.lock import LOCK_NAME, Lock, package_version
from echidna_mcp.errors import UsageError
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import DIALECT_PLUGINS
from echidna_mcp.wording import counted, some


def check_contracts(path: Path, plugins: str, *, strict: bool, as_json: bool) -> bool:
    """Print what is wrong with contract documents.

    Args:
        path: a document, or a directory of them.
        plugins: selection of plugins whose tools have names that are taken.
        strict: a warning is an error.
        as_json: print JSON.

    Returns:
        Whether all is well.

    Raises:
        ContractDocumentError: there is nothing to check.
        PluginError: the selection is wrong.
    """
    loaded, report = _linted(path, plugins)
    taken = {name: tool.spec for name, tool in loaded.tools.items()}
    report.remarks += against_loaded(report, taken)
    report.remarks += _against_lock(path, report)
    if as_json:
        show(json.dumps([remark.to_json() for remark in report.remarks], indent=2))
    else:
        for remark in report.remarks:
            show(printable(_line(remark)))
        show(_summary(report), err=bool(report.remarks))
    return not (report.remarks if strict else report.errors)


def lock_contracts(path: Path, plugins: str, version: str | None) -> None:
    """Write the lock of a directory of contract documents.

    Raises:
        ContractDocumentError: there is no document, or one is wrong.
        UsageError: `path` is no directory, or nothing says the version.
    """
    if not path.is_dir():
        raise UsageError(
            f"{path}: is no directory; a lock is for all documents in one."
        )
    version = version or package_version(path)
    if version is None:
        raise UsageError(
            f"{path}: no pyproject.toml or package.json above it says a version; give "
            "one with --version."
        )
    _, report = _linted(path, plugins)
    if report.errors:
        raise UsageError(
            f"{path}: {counted(report.errors, 'error')} in the documents; repair what "
            "`echidna-mcp contracts check` shows first."
        )
    Lock(version=version, tools=report.hashes).write(path / LOCK_NAME)
    show(f"{path / LOCK_NAME}: {counted(len(report.hashes), 'tool')}, {version}")


def _linted(path: Path, plugins: str) -> tuple[PluginManager, Report]:
    """Return the plugins of a selection, with all dialects, and what they find."""
    loaded = PluginManager.load(f"{plugins},{DIALECT_PLUGINS}")
    return loaded, lint(path, list(loaded.dialects.values()))


def _against_lock(path: Path, report: Report) -> list[Remark]:
    directory = path if path.is_dir() else path.parent
    place = directory / LOCK_NAME
    if not place.exists():
        return []
    lock = Lock.read(place)
    version = package_version(directory) or lock.version
    if path.is_dir():
        return against_lock(report, lock, version, str(place))
    # Of one document, only what became of it is asked.
    own = {name: digest for name, digest in lock.tools.items() if name in report.hashes}
    lock = Lock(version=lock.version, tools=own)
    return against_lock(report, lock, version, str(place))


def _line(remark: Remark) -> str:
    severity = "error" if remark.finding.is_error else "warning"
    return f"{remark.file}: {severity}: {remark.finding}"


def _summary(report: Report) -> str:
    warnings = len(report.remarks) - report.errors
    parts = [
        counted(len(report.files), "file"),
        counted(report.errors, "error"),
        counted(warnings, "warning"),
    ]
    text = f"{', '.join(parts)}."
    if report.others:
        others = counted(len(report.others), "other JSON file")
        names = some([Path(each).name for each in report.others])
        text += f" {others} not looked at: {names}."
    return text
