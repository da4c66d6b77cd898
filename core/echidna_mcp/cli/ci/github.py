"""Results as annotations of GitHub: commands in what a workflow prints.

Source of the rules: GitHub, "Workflow commands", and `@actions/core`, `command.ts`, for
what is escaped. A command is one line; GitHub shows ten annotations of a kind and step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from echidna_mcp.cli.ci.results import TestResult

_LEVELS: Final = {"failed": "error", "disputed": "error", "not exercised": "warning"}


def annotation_lines(
    results: Sequence[TestResult],
    known: AbstractSet[str],
    path_of: Callable[[str], str],
) -> str:
    """Return a command for each test that is not passed; ends with a line feed.

    Args:
        results: all tests.
        known: ids of findings that are not new; they are only notices.
        path_of: gives the path of a source in the repository.
    """
    return "".join(f"{line}\n" for line in _commands(results, known, path_of))


def _commands(
    results: Sequence[TestResult],
    known: AbstractSet[str],
    path_of: Callable[[str], str],
) -> Iterator[str]:
    for result in results:
        level = _LEVELS.get(result.status)
        if level is None:
            continue
        old = result.status == "failed" and result.id in known
        properties = {}
        if result.place is not None:
            properties["file"] = path_of(result.place.path)
            properties["line"] = str(result.place.line)
        state = "failed, as before" if old else result.status
        properties["title"] = f"{result.title}: {state}"
        lines = [result.reason, *(step.text for step in result.steps)]
        written = ",".join(f"{key}={_property(v)}" for key, v in properties.items())
        yield f"::{'notice' if old else level} {written}::{_data(chr(10).join(lines))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
