"""Findings as SARIF 2.1.0 (OASIS), which GitHub's code scanning and editors read."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from echidna_mcp import __version__

if TYPE_CHECKING:
    from echidna_mcp.cli.ci.results import Place, TestResult

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_BASE: Final = "%SRCROOT%"
_FINGERPRINT: Final = "echidnaMcpFinding/v1"
_RULES: Final = (
    ("falsified", "A call sequence falsifies a test."),
    ("disputed", "Two EVMs disagree on a test, so one of them has a bug."),
    ("not-exercised", "Nothing has shown that a test can fail."),
)
_RULE_OF: Final = {"failed": 0, "disputed": 1, "not exercised": 2}
_LEVELS: Final = ("error", "error", "warning")


def sarif_report(
    results: Sequence[TestResult],
    known: AbstractSet[str] | None,
    path_of: Callable[[str], str],
) -> str:
    """Return the log, ASCII only; ends with a line feed.

    Each test that is not passed is a result, with the line on which it failed, and the
    calls of its reproducer as its code flow.

    Args:
        results: all tests.
        known: ids of findings that are not new; None if nobody says what is known.
        path_of: gives the path of a source in the repository.
    """
    told = [each for each in results if each.status in _RULE_OF]
    document = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "echidna-mcp",
                        "version": __version__,
                        "rules": [
                            {
                                "id": name,
                                "shortDescription": {"text": text},
                                "defaultConfiguration": {"level": level},
                            }
                            for (name, text), level in zip(_RULES, _LEVELS, strict=True)
                        ],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(each, known, path_of) for each in told],
            }
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _result(
    result: TestResult, known: AbstractSet[str] | None, path_of: Callable[[str], str]
) -> dict[str, Any]:
    rule = _RULE_OF[result.status]
    text = f"{result.title}: {result.status}: {result.reason}"
    document: dict[str, Any] = {
        "ruleId": _RULES[rule][0],
        "ruleIndex": rule,
        "level": _LEVELS[rule],
        "message": {"text": text},
        "partialFingerprints": {_FINGERPRINT: result.id},
        "properties": {"contract": result.contract, "test": result.name},
    }
    if known is not None:
        document["baselineState"] = "unchanged" if result.id in known else "new"
    if result.place is not None:
        document["locations"] = [_location(result.place, path_of)]
    flow = [
        _step(number, step.text, step.place, path_of)
        for number, step in enumerate(result.steps)
    ]
    if flow:
        flow.append(_step(len(flow), result.reason, result.place, path_of))
        document["codeFlows"] = [{"threadFlows": [{"locations": flow}]}]
    return document


def _step(
    number: int, text: str, place: Place | None, path_of: Callable[[str], str]
) -> dict[str, Any]:
    location = {} if place is None else _location(place, path_of)
    return {
        "executionOrder": number + 1,
        "location": {**location, "message": {"text": text}},
    }


def _location(place: Place, path_of: Callable[[str], str]) -> dict[str, Any]:
    path = path_of(place.path)
    artifact = {"uri": quote(path), "uriBaseId": _BASE}
    if path.startswith("/"):
        artifact = {"uri": f"file://{quote(path)}"}
    return {
        "physicalLocation": {
            "artifactLocation": artifact,
            "region": {"startLine": place.line},
        }
    }
