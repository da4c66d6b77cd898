"""Results as JUnit XML, in the form that Jenkins, GitLab and others read.

There is no standard; source of the elements: the schema of Jenkins' xUnit plugin, and
what the Surefire plugin of Maven writes. Nothing of time is in it: equal campaigns give
equal files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from echidna_mcp.cli.ci.results import TestResult


def junit_report(
    results: Sequence[TestResult],
    known: AbstractSet[str],
    path_of: Callable[[str], str],
) -> str:
    """Return the document: a suite for each contract, a case for each test.

    A test that was falsified has failed, one of which two EVMs disagree is an error;
    what was not exercised or skipped is skipped, and so is a finding that is known.

    Args:
        results: all tests.
        known: ids of findings that are not new.
        path_of: gives the path of a source in the repository.
    """
    root = ET.Element("testsuites", name="echidna-mcp")
    contracts = dict.fromkeys(result.contract for result in results)
    totals = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    for contract in contracts:
        suite = ET.SubElement(root, "testsuite", name=_clean(contract))
        own = dict.fromkeys(totals, 0)
        for result in results:
            if result.contract == contract:
                own["tests"] += 1
                counted = _case(suite, result, known, path_of)
                if counted is not None:
                    own[counted] += 1
        for name, number in own.items():
            suite.set(name, str(number))
            totals[name] += number
    for name in ("tests", "failures", "errors"):
        root.set(name, str(totals[name]))
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _case(
    suite: ET.Element,
    result: TestResult,
    known: AbstractSet[str],
    path_of: Callable[[str], str],
) -> str | None:
    """Add a case; return which total counts it besides `tests`."""
    case = ET.SubElement(
        suite, "testcase", name=_clean(result.name), classname=_clean(result.contract)
    )
    if result.place is not None:
        case.set("file", _clean(path_of(result.place.path)))
        case.set("line", str(result.place.line))
    message = _clean(result.reason)
    match result.status:
        case "failed" if result.id in known:
            message = f"known: {message}"
            ET.SubElement(case, "skipped", message=message)
            return "skipped"
        case "failed":
            failure = ET.SubElement(case, "failure", message=message, type=result.kind)
            failure.text = _sequence(result)
            return "failures"
        case "disputed":
            error = ET.SubElement(case, "error", message=message, type=result.kind)
            error.text = _sequence(result)
            return "errors"
        case "not exercised" | "skipped":
            ET.SubElement(case, "skipped", message=message)
            return "skipped"
        case _:
            return None


def _sequence(result: TestResult) -> str:
    return "".join(f"{_clean(step.text)}\n" for step in result.steps)


def _clean(text: str) -> str:
    """Return text of characters that XML 1.0 has (production 2)."""
    return "".join(
        each if _in_xml(ord(each)) else each.encode("unicode_escape").decode("ascii")
        for each in text
    )


def _in_xml(code: int) -> bool:
    return (
        code in (0x9, 0xA, 0xD)
        or 0x20 <= code <= 0xD7FF
        or 0xE000 <= code <= 0xFFFD
        or code >= 0x10000
    )
