"""Coverage as plain text in Echidna's marks.

Source of the format and the marks: Echidna 2.3.3, `Echidna.Output.Source`. `*` stands
before a line that was executed, `r`, `o` and `e` before one on which a call ended with
a revert, for want of gas, or in another way that failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from echidna_mcp.evm.backend import Status
from echidna_mcp.program.identity import creation_key, runtime_key

if TYPE_CHECKING:
    from echidna_mcp.reports.files import FileCoverage
    from echidna_mcp.reports.lines import CoverageIndex
    from echidna_mcp.views.coverage import Ending

EMPTY: Final = "Coverage map is empty"
"""All that Echidna writes if nothing was executed."""

_EXECUTED: Final = "*"
_MARKS: Final = {Status.REVERT: "r", Status.OUT_OF_GAS: "o"}
_OTHER: Final = "e"

Failures = Mapping[tuple[str, int], str]
"""Marks of failed calls by (path, line) on which they ended, in order of character."""


def failure_marks(index: CoverageIndex, endings: Iterable[Ending]) -> Failures:
    """Return where calls ended that failed.

    Args:
        index: of the program.
        endings: (code key, program counter, status) of the last instructions of calls.
    """
    tables = {}
    for contract in index.program.contracts:
        static = index.map(contract)
        tables[runtime_key(contract)] = static.runtime, static.units
        tables[creation_key(contract)] = static.creation, static.units
    paths = [source.path for source in index.program.sources]
    found: dict[tuple[str, int], set[str]] = {}
    for key, counter, number in endings:
        table, units = tables.get(key, ((), ()))
        status = Status(number)
        if status.succeeded or counter >= len(table) or table[counter] < 0:
            continue
        unit = units[table[counter]]
        mark = _MARKS.get(status, _OTHER)
        found.setdefault((paths[unit.file], unit.line), set()).add(mark)
    return {place: "".join(sorted(marks)) for place, marks in found.items()}


def marked_text(
    files: Mapping[str, FileCoverage], sources: Mapping[str, str], failures: Failures
) -> str:
    """Return each file with a mark for each line, in order of path.

    Args:
        files: what is covered, by path.
        sources: texts, by path.
        failures: where calls ended that failed.
    """
    if not any(any(file.lines.values()) for file in files.values()):
        return f"{EMPTY}\n"
    return "".join(
        f"{line}\n"
        for path in sorted(files)
        for line in (path, *_marked(path, files[path], sources[path], failures), "")
    )


def _marked(
    path: str, file: FileCoverage, source: str, failures: Failures
) -> Iterable[str]:
    lines = source_lines(source)
    width = len(str(len(lines) + 1))
    for number, text in enumerate(lines, 1):
        marks = _EXECUTED if file.lines.get(number) else ""
        marks += failures.get((path, number), "")
        yield f" {number:>{width}} | {marks:<4}| {text}"


def source_lines(source: str) -> list[str]:
    """Return the lines of a source as source maps count them, without line feeds."""
    lines = [line.removesuffix("\r") for line in source.split("\n")]
    return lines[:-1] if lines[-1] == "" else lines
