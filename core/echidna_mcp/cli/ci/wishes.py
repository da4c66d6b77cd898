"""What the command line asks for, beside the report itself, and who writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

from echidna_mcp.cli.ci.baseline import known_findings
from echidna_mcp.cli.ci.github import annotation_lines
from echidna_mcp.cli.ci.junit import junit_report
from echidna_mcp.cli.ci.results import TestResult, in_repository
from echidna_mcp.cli.ci.sarif import sarif_report
from echidna_mcp.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class CiWishes:
    """Files to write, and findings that do not count.

    Attributes:
        junit, sarif: where; None for nowhere.
        baseline: ids of known findings; None if nobody says what is known.
    """

    junit: Path | None = None
    sarif: Path | None = None
    baseline: frozenset[str] | None = None

    @classmethod
    def taken_from(cls, parameters: dict[str, Any]) -> Self:
        """Take the wishes out of the parameters of the command line.

        Raises:
            UsageError: a directory of a file can't be made, or the baseline is none.
            StoreError: a campaign of the baseline can't be read.
        """
        junit, sarif = parameters.pop("junit"), parameters.pop("sarif")
        baseline: Path | None = parameters.pop("baseline")
        for path in filter(None, (junit, sarif)):
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise _unwritable(path, error) from None
        known = None if baseline is None else known_findings(baseline)
        return cls(junit=junit, sarif=sarif, baseline=known)

    @property
    def known(self) -> frozenset[str]:
        """Ids of known findings."""
        return self.baseline or frozenset()

    def new(self, results: Sequence[TestResult]) -> list[TestResult]:
        """Return the tests that have failed, and are not known to."""
        return [
            each
            for each in results
            if each.status == "failed" and each.id not in self.known
        ]

    def annotations(self, results: Sequence[TestResult], root: Path) -> str:
        """Return annotations of GitHub; `root` is the directory of the project."""
        return annotation_lines(results, self.known, partial(in_repository, root=root))

    def known_lines(self, results: Sequence[TestResult]) -> list[str]:
        """Return a line for each finding that is in the baseline."""
        return [
            f"Known, as in the baseline: {each.title}"
            for each in results
            if each.status == "failed" and each.id in self.known
        ]

    def details(
        self, results: Sequence[TestResult], root: Path
    ) -> dict[str, Mapping[str, Any]]:
        """Return what the JSON report says of each test besides, by name."""
        return {
            each.name: {
                "id": each.id,
                "kind": each.kind,
                "location": None
                if each.place is None
                else {
                    "path": in_repository(each.place.path, root),
                    "line": each.place.line,
                },
                **(
                    {}
                    if self.baseline is None
                    else {"known": each.status == "failed" and each.id in self.known}
                ),
            }
            for each in results
        }

    def write(self, results: Sequence[TestResult], root: Path) -> None:
        """Write the files.

        Raises:
            UsageError: one can't be written.
        """
        path_of = partial(in_repository, root=root)
        if self.junit is not None:
            _write(self.junit, junit_report(results, self.known, path_of))
        if self.sarif is not None:
            _write(self.sarif, sarif_report(results, self.baseline, path_of))


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> UsageError:
    return UsageError(f"{path} can't be written ({error.strerror}); name another file.")
