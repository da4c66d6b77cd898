"""Results for machines: annotations, JUnit, SARIF, the JSON schema, baselines."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import xmlschema
from command_line import Outcome, invoke
from jsonschema import Draft4Validator, Draft7Validator
from solc import require_solc

from echidna_mcp.cli.ci.github import annotation_lines
from echidna_mcp.cli.ci.junit import junit_report
from echidna_mcp.cli.ci.results import Place, Step, finding_id
from echidna_mcp.cli.ci.results import TestResult as Result
from echidna_mcp.cli.ci.sarif import sarif_report
from echidna_mcp.cli.ci.wishes import CiWishes

pytestmark = pytest.mark.solc

SOURCE = """\
// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

contract Pot {
    uint256 total;

    function put(uint256 amount) external {
        total = amount;
    }

    function check() external view {
        assert(total < 1000);
    }

    function never() external pure {
        revert("closed: 100%, always");
    }

    function echidna_small() external view returns (bool) {
        return total < 1000;
    }

    function echidna_true() external pure returns (bool) {
        return true;
    }
}
"""
SUITE = """\
// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

contract PotTest {
    function test_Fails() external pure {
        assert(false);
    }

    function test_Holds() external pure {}
}
"""
XSD = Path(__file__).with_name("junit.xsd")
SARIF = (
    Path(__file__).parents[1]
    / "node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"
)
OPTIONS = ("--seed", 1, "--test-limit", 3000, "--round-budget", 100_000)
BOTH = ("--test-mode", "property,assertion")


def line_of(text: str, source: str = SOURCE) -> int:
    (found,) = (n for n, line in enumerate(source.split("\n"), 1) if text in line)
    return found


def report_schema() -> dict[str, Any]:
    """The schema as it is shipped, but without room for members that it lacks."""
    text = files("echidna_mcp.cli.display").joinpath("report.schema.json")
    schema: dict[str, Any] = json.loads(text.read_text("utf-8"))

    def close(part: Any) -> None:
        if isinstance(part, dict):
            if "properties" in part:
                part["additionalProperties"] = False
            for each in part.values():
                close(each)
        elif isinstance(part, list):
            for each in part:
                close(each)

    close(schema)
    return schema


def valid_sarif(text: str) -> Mapping[str, Any]:
    if not SARIF.is_file():
        pytest.skip("the schema of SARIF is missing: npm install --prefix tests")
    document: Mapping[str, Any] = json.loads(text)
    schema = json.loads(SARIF.read_text("utf-8"))
    assert list(Draft4Validator(schema).iter_errors(document)) == []
    return document


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_solc()
    directory = tmp_path_factory.mktemp("ci")
    (directory / "contracts").mkdir()
    (directory / "contracts" / "Pot.sol").write_text(SOURCE, "utf-8")
    return directory


@pytest.fixture(scope="module")
def done(project: Path) -> Outcome:
    """One run that writes everything; its report is that for GitHub."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GITHUB_WORKSPACE", str(project))
        return invoke(
            *("run", project / "contracts" / "Pot.sol", *OPTIONS, *BOTH),
            *("--corpus-dir", project / "corpus", "--format", "github"),
            *("--sarif", project / "out" / "pot.sarif"),
            *("--junit", project / "out" / "pot.xml"),
        )


def annotations_of(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Read commands as the runner of GitHub does (`ActionCommand.TryParseV2`)."""
    found = []
    for line in text.splitlines():
        if not line.startswith("::"):
            continue
        head, _, data = line[2:].partition("::")
        command, _, written = head.partition(" ")
        properties = {}
        for part in written.split(","):
            name, _, value = part.partition("=")
            properties[name] = _unescaped(value)
        found.append((command, properties, _unescaped(data)))
    return found


def _unescaped(text: str) -> str:
    assert set(re.findall(r"%(..)", text)) <= {"25", "0D", "0A", "3A", "2C"}
    return unquote(text)


def test_each_failing_test_is_annotated_where_it_failed(done: Outcome):
    assert done.code == 1
    found = {each[1]["title"]: each for each in annotations_of(done.out)}
    level, properties, text = found["Pot.check(): failed"]
    assert level == "error"
    assert properties["file"] == "contracts/Pot.sol"
    assert int(properties["line"]) == line_of("assert(total")
    assert "Pot.put(1000)" in text.splitlines()
    # A property that returns false fails nowhere: the line is its own.
    _, properties, _ = found["Pot.echidna_small: failed"]
    assert int(properties["line"]) == line_of("function echidna_small")


def test_a_test_that_was_not_exercised_is_a_warning_with_its_reason(done: Outcome):
    found = {each[1]["title"]: each for each in annotations_of(done.out)}
    level, properties, text = found["Pot.never(): not exercised"]
    assert level == "warning"
    assert int(properties["line"]) == line_of("function never")
    assert 'Error("closed: 100%, always")' in text
    assert set(found) == {
        *("Pot.check(): failed", "Pot.echidna_small: failed"),
        "Pot.never(): not exercised",
    }


def test_the_last_line_says_what_was_not_covered_and_why(done: Outcome):
    last = done.out.splitlines()[-1]
    assert last.startswith("Not covered: nothing of ")
    assert "not exercised: never() (all calls of never() failed" in last
    assert "closed: 100%, always" in last


def test_lines_that_were_missed_are_told(tmp_path: Path):
    require_solc()
    source = tmp_path / "Gap.sol"
    source.write_text(
        "contract Gap {\n  uint256 x;\n  function f(uint256 a) external {\n"
        "    if (a * a == 0x1234567812345678) {\n      x = 1;\n      x = 2;\n"
        "    }\n  }\n}\n"
    )
    outcome = invoke(
        *("run", source, "--test-mode", "exploration", *OPTIONS),
        *("--corpus-dir", tmp_path / "corpus", "--format", "text"),
    )
    last = outcome.out.splitlines()[-1]
    assert re.fullmatch(r"Not covered: 2 of \d+ lines: \S*Gap\.sol:5-6", last)


def test_the_text_has_echidnas_lines(done: Outcome):
    lines = done.out.splitlines()
    assert "echidna_small: failed!💥  " in lines
    assert "echidna_true: passing" in lines
    for name in (
        *("Unique instructions", "Unique codehashes", "Corpus size", "Seed"),
        "Total calls",
    ):
        (line,) = (line for line in lines if line.startswith(f"{name}: "))
        assert re.fullmatch(rf"{name}: \d+", line)


def test_sarif_is_valid_and_has_lines_and_a_code_flow(project: Path, done: Outcome):
    assert done.code == 1
    document = valid_sarif((project / "out" / "pot.sarif").read_text("utf-8"))
    (run,) = document["runs"]
    results = {each["properties"]["test"]: each for each in run["results"]}
    assert set(results) == {"check()", "echidna_small", "never()"}
    check = results["check()"]
    (location,) = check["locations"]
    physical = location["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "contracts/Pot.sol"
    assert physical["region"]["startLine"] == line_of("assert(total")
    (flow,) = check["codeFlows"]
    steps = flow["threadFlows"][0]["locations"]
    texts = [step["location"]["message"]["text"] for step in steps]
    assert texts[:2] == ["Pot.put(1000)", "Pot.check()"]
    lines = [
        step["location"]["physicalLocation"]["region"]["startLine"] for step in steps
    ]
    functions = [line_of("function put"), line_of("function check")]
    assert lines == [*functions, line_of("assert(total")]
    rules = run["tool"]["driver"]["rules"]
    assert all(rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in run["results"])


def test_junit_is_valid_and_counts_what_it_has(project: Path, done: Outcome):
    assert done.code == 1
    text = (project / "out" / "pot.xml").read_text("utf-8")
    document = xmlschema.XMLSchema(str(XSD)).to_dict(text)
    (suite,) = document["testsuite"]
    cases = {case["@name"]: case for case in suite["testcase"]}
    assert suite["@tests"] == document["@tests"] == len(cases)
    failed = {name for name, case in cases.items() if "failure" in case}
    skipped = {name for name, case in cases.items() if "skipped" in case}
    assert failed == {"check()", "echidna_small"}
    assert skipped == {"never()"}
    assert (suite["@failures"], suite["@errors"], suite["@skipped"]) == (2, 0, 1)
    assert cases["check()"]["failure"]["$"] == "Pot.put(1000)\nPot.check()\n"
    assert cases["check()"]["@line"] == line_of("assert(total")


@pytest.fixture(scope="module")
def reported(project: Path) -> Outcome:
    return invoke(
        *("run", project / "contracts" / "Pot.sol", *OPTIONS, *BOTH),
        *("--corpus-dir", project / "json", "--format", "json", "--trace", "failures"),
    )


def test_the_json_report_is_what_its_schema_says(reported: Outcome):
    document = json.loads(reported.out)
    validator = Draft7Validator(report_schema())
    Draft7Validator.check_schema(validator.schema)
    assert [error.message for error in validator.iter_errors(document)] == []
    assert document["version"] == 1
    assert document["gas"] > 21_000 * document["calls"]
    (check,) = (test for test in document["tests"] if test["name"] == "check()")
    assert check["location"]["line"] == line_of("assert(total")
    assert check["site"]["text"].startswith("assert(total")
    # Other findings of an assertion test have other ids than that of its name.
    assert check["id"] != finding_id("elsewhere/Pot.sol:Pot", "check()")
    for test in document["tests"]:
        assert ("confirmation" in test) is (test["status"] == "falsified")
    confirmation = check["confirmation"]
    assert confirmation["reason"] == check["reason"]
    assert confirmation["text"].endswith(f"fails the assertion: {check['reason']}")
    assert len(confirmation["calls"]) == len(check["transactions"])
    names = [test for test in document["tests"] if "site" not in test]
    assert names
    for test in names:
        assert test["id"] == finding_id("elsewhere/Pot.sol:Pot", test["name"])
    never = [f for f in document["functions"] if f["function"] == "never()"]
    assert never[0]["calls"] == never[0]["reverts"] > 0


def test_what_was_taken_over_is_in_the_schema_as_well(project: Path, tmp_path: Path):
    target = (project / "contracts" / "Pot.sol", *OPTIONS, *BOTH)
    words = ("--corpus-dir", tmp_path / "corpus", "--format", "json")
    (tmp_path / "corpus" / "reproducers").mkdir(parents=True)
    (tmp_path / "corpus" / "reproducers" / "1.txt").write_text("no sequence")
    first = json.loads(invoke("run", *target, *words).out)
    again = json.loads(invoke("run", *target, *words, "--seed", 2).out)
    validator = Draft7Validator(report_schema())
    for document in (first, again):
        assert [error.message for error in validator.iter_errors(document)] == []
    assert "failedBefore" not in first
    (remark,) = first["corpus"]["remarks"]
    assert remark.startswith("reproducers/1.txt: ")
    broken = {each["name"] for each in again["failedBefore"]}
    assert {"check()", "echidna_small"} <= broken
    assert {each["status"] for each in again["failedBefore"]} == {"still broken"}


def test_the_schema_says_nothing_twice():
    text = files("echidna_mcp.cli.display").joinpath("report.schema.json")
    definitions = json.loads(text.read_text("utf-8"))["definitions"]
    assert set(definitions["suiteCampaign"]) == {"allOf"}
    wholes = [json.dumps(each, sort_keys=True) for each in definitions.values()]
    inner = json.dumps(
        [each.get("properties", {}) for each in definitions.values()], sort_keys=True
    )
    assert [each for each in wholes if each in inner] == []


def test_a_finding_of_the_baseline_does_not_fail_again(
    project: Path, done: Outcome, reported: Outcome, tmp_path: Path
):
    assert done.code == 1
    (tmp_path / "old.json").write_text(reported.out, "utf-8")
    for baseline in (tmp_path / "old.json", project / "corpus"):
        outcome = invoke(
            *("run", project / "contracts" / "Pot.sol", *OPTIONS, *BOTH),
            *("--corpus-dir", tmp_path / baseline.stem, "--format", "github"),
            *("--baseline", baseline, "--sarif", tmp_path / "new.sarif"),
            *("--allow-not-exercised", "never"),
        )
        assert outcome.code == 0
        assert "Known, as in the baseline: Pot.check()" in outcome.out
        levels = {each[0] for each in annotations_of(outcome.out)}
        assert levels == {"notice", "warning"}
        document = valid_sarif((tmp_path / "new.sarif").read_text("utf-8"))
        states = {
            each["properties"]["test"]: each["baselineState"]
            for each in document["runs"][0]["results"]
        }
        assert states["check()"] == states["echidna_small"] == "unchanged"


def test_a_finding_that_the_baseline_lacks_fails(
    project: Path, reported: Outcome, tmp_path: Path
):
    document = json.loads(reported.out)
    document["tests"] = [t for t in document["tests"] if t["name"] != "check()"]
    (tmp_path / "old.json").write_text(json.dumps(document), "utf-8")
    outcome = invoke(
        *("run", project / "contracts" / "Pot.sol", *OPTIONS, *BOTH),
        *("--corpus-dir", tmp_path / "corpus", "--format", "json"),
        *("--baseline", tmp_path / "old.json"),
    )
    assert outcome.code == 1
    known = {t["name"]: t["known"] for t in json.loads(outcome.out)["tests"]}
    assert known["echidna_small"]
    assert not known["check()"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "can't be read"),
        ("[1]", "is no report of `run --format json`"),
        ("{", "is no report of `run --format json`"),
        ('{"tests": [{"name": 1}]}', "is no report of `run --format json`"),
    ],
)
def test_a_baseline_that_is_none_is_one_sentence(content, message, tmp_path: Path):
    if content is not None:
        (tmp_path / "old.json").write_text(content)
    outcome = invoke("run", "--baseline", tmp_path / "old.json")
    assert outcome.code == 2
    assert message in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_a_directory_without_campaigns_is_no_baseline(tmp_path: Path):
    outcome = invoke("run", "--baseline", tmp_path)
    assert (outcome.code, "has no campaign" in outcome.err) == (2, True)


def test_a_suite_of_foundry_has_the_same_reports(tmp_path: Path):
    require_solc()
    (tmp_path / "test").mkdir()
    (tmp_path / "foundry.toml").write_text("[profile.default]\n")
    (tmp_path / "test" / "Pot.t.sol").write_text(SUITE, "utf-8")
    words = ("--seed", 1, "--corpus-dir", tmp_path / "corpus")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        outcome = invoke(
            *("run", *words, "--format", "json"),
            *("--junit", "out.xml", "--sarif", "out.sarif"),
        )
        assert outcome.code == 1
        document = json.loads(outcome.out)
        errors = Draft7Validator(report_schema()).iter_errors(document)
        assert [error.message for error in errors] == []
        tests = {test["name"]: test for test in document["tests"]}
        failing = line_of("assert(false)", SUITE)
        assert tests["test_Fails()"]["location"] == {
            "path": "test/Pot.t.sol",
            "line": failing,
        }
        xmlschema.validate("out.xml", str(XSD))
        (run,) = valid_sarif(Path("out.sarif").read_text("utf-8"))["runs"]
        assert [each["properties"]["test"] for each in run["results"]] == [
            "test_Fails()"
        ]
        Path("old.json").write_text(outcome.out, "utf-8")
        again = invoke("run", *words, "--format", "github", "--baseline", "old.json")
        assert again.code == 0
        assert "Known, as in the baseline: PotTest.test_Fails()" in again.out
        assert again.out.splitlines()[-1].startswith("Not covered: ")


HOSTILE = Result(
    id="0badcafe",
    contract="a b,c:%/x.sol:C",
    name="f(string)",
    kind="assertion",
    status="failed",
    reason='100%, "a:b"\r\n\x00\x1b[31m<x>&\ufffe',
    steps=(Step('C.f("::error::,%0A")', None),),
    place=Place("a b,c:%/x.sol", 7),
)


def test_no_text_escapes_from_an_annotation():
    text = annotation_lines([HOSTILE], frozenset(), lambda path: path)
    assert text.count("\n") == 1
    ((level, properties, data),) = annotations_of(text)
    assert level == "error"
    assert properties == {
        "file": "a b,c:%/x.sol",
        "line": "7",
        "title": "C.f(string): failed",
    }
    assert data == HOSTILE.reason + "\n" + HOSTILE.steps[0].text


def test_no_text_breaks_xml_or_sarif():
    text = junit_report([HOSTILE], frozenset(), lambda path: path)
    document = xmlschema.XMLSchema(str(XSD)).to_dict(text)
    message = document["testsuite"][0]["testcase"][0]["failure"]["@message"]
    assert "\\x00\\x1b[31m<x>&\\ufffe" in message
    document = valid_sarif(sarif_report([HOSTILE], None, lambda path: path))
    location = document["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "a%20b%2Cc%3A%25/x.sol"


def test_a_finding_keeps_its_id_when_its_file_moves():
    one, other = finding_id("src/A.sol:A", "f()"), finding_id("lib/B.sol:A", "f()")
    assert one == other
    assert one != finding_id("src/A.sol:A", "g()")
    assert one != finding_id("src/A.sol:B", "f()")


def test_a_file_that_cannot_be_written_is_refused_before_the_campaign(tmp_path: Path):
    (tmp_path / "file").touch()
    outcome = invoke("run", "--sarif", tmp_path / "file" / "x.sarif")
    assert outcome.code == 2
    assert "name another file" in outcome.err


def test_without_a_baseline_nothing_is_known():
    assert CiWishes().new([HOSTILE]) == [HOSTILE]
    assert CiWishes(baseline=frozenset({HOSTILE.id})).new([HOSTILE]) == []
