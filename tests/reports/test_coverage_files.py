"""Coverage as files: counts, Echidna's marks, LCOV for genhtml, the page."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from campaigns import py_evm, views_of
from command_line import Outcome, invoke
from lcov_reader import parse
from native_backends import native
from solc import require_solc

from echidna_mcp.cli.request.place import newest_campaign
from echidna_mcp.errors import UsageError
from echidna_mcp.reports.coverage_facts import CoverageFacts, coverage_facts
from echidna_mcp.reports.coverage_files import coverage_text, write_coverage
from echidna_mcp.reports.function_statistics import function_statistics
from echidna_mcp.reports.globs import common_directory, kept_paths
from echidna_mcp.reports.hits import corpus_hits
from echidna_mcp.reports.lines import CoverageIndex
from echidna_mcp.views.campaign import CampaignViews

pytestmark = pytest.mark.solc

SOURCE = """\
// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

contract Box {
    uint256 total;

    function add(uint256 amount) external {
        if (amount > 1000) {
            total += 1;
        } else {
            total += 2;
        }
    }

    function refuse() external pure {
        revert("<script>alert(1)</script>");
    }

    error TooMuch(uint256 amount, string words);

    function exceed(uint256 amount) external pure {
        revert TooMuch(amount, "a\\nb");
    }

    function burn() external pure {
        assembly { invalid() }
    }

    function hide(uint256 a) external {
        if (a * a == 0x1234567812345678) {
            total = 0; // <script>alert(2)</script>
        }
    }
}
"""


def line_of(text: str) -> int:
    (found,) = (n for n, line in enumerate(SOURCE.split("\n"), 1) if text in line)
    return found


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    require_solc()
    directory = tmp_path_factory.mktemp("covered")
    source = directory / "Box.sol"
    source.write_text(SOURCE, "utf-8")
    corpus = directory / "corpus"
    outcome = invoke(
        *("run", source, "--corpus-dir", corpus, "--test-mode", "exploration"),
        *("--seed", 1, "--test-limit", 3000, "--round-budget", 10_000),
    )
    assert outcome.code == 0, outcome
    return corpus, outcome


@pytest.fixture(scope="module")
def views(run: tuple[Path, Outcome]) -> CampaignViews:
    return views_of(newest_campaign(run[0]))


@pytest.fixture(scope="module")
def facts(views: CampaignViews) -> CoverageFacts:
    return coverage_facts(views, native())


def test_the_end_of_run_writes_all_formats_beside_the_store(
    run: tuple[Path, Outcome], facts: CoverageFacts
):
    corpus, outcome = run
    assert f"Coverage: {corpus}: covered.txt, covered.html, covered.lcov" in outcome.err
    for form in ("txt", "html", "lcov"):
        written = (corpus / f"covered.{form}").read_text("utf-8")
        assert written == coverage_text(facts, form)


def test_both_evms_count_the_same(views: CampaignViews):
    index = CoverageIndex(views.target.program)
    hits = corpus_hits(views, native(), index)
    assert hits.calls == views.corpus.transactions > 0
    assert hits == corpus_hits(views, py_evm(), index)


def test_a_line_is_counted_once_for_each_call_that_executes_it(
    views: CampaignViews, facts: CoverageFacts
):
    calls = [call for entry in views.corpus.entries for call in entry.calls]
    adds = [call for call in calls if call["function"] == "add(uint256)"]
    large = [call for call in adds if int(call["calldata"][10:74], 16) > 1000]
    (file,) = facts.files.values()
    assert file.lines[line_of("if (amount > 1000)")] == len(adds)
    assert file.lines[line_of("total += 1;")] == len(large) > 0
    assert file.functions[line_of("function add"), "add"] == len(adds)
    (branch,) = (b for b in file.ordered_branches() if b.line == line_of("if (amount"))
    assert branch.reached == len(adds)
    assert {branch.fell_through, branch.jumped} == {len(large), len(adds) - len(large)}


def test_what_was_never_executed_has_no_count(facts: CoverageFacts):
    (file,) = facts.files.values()
    assert file.lines[line_of("total = 0;")] == 0


def test_sequences_beyond_the_limit_are_left_out(views: CampaignViews):
    index = CoverageIndex(views.target.program)
    first = len(views.corpus.entries[0].calls)
    hits = corpus_hits(views, native(), index, most=first)
    assert (hits.sequences, hits.calls) == (1, first)
    assert hits.left_out == len(views.corpus) - 1
    assert corpus_hits(views, native(), index, most=first - 1).sequences == 0


def test_text_has_echidnas_marks(facts: CoverageFacts):
    lines = coverage_text(facts, "txt").split("\n")
    path, *rest = lines
    assert path.endswith("Box.sol")
    assert rest[-2:] == ["", ""]
    marked = rest[:-2]
    assert len(marked) == SOURCE.count("\n")
    marks = {}
    for number, (line, text) in enumerate(
        zip(marked, SOURCE.split("\n"), strict=False)
    ):
        match = re.fullmatch(r" ([ \d]{2}) \| ([*eor ]{4})\| (.*)", line)
        assert match, line
        assert int(match[1]) == number + 1
        assert match[3] == text
        marks[number + 1] = match[2].strip()
    assert marks[line_of("total += 1;")] == "*"
    assert marks[line_of("revert(")] == "*r"
    assert marks[line_of("invalid()")] == "*e"
    assert marks[line_of("total = 0;")] == ""
    assert marks[line_of("pragma")] == ""


def test_lcov_is_accepted_by_genhtml(facts: CoverageFacts, tmp_path: Path):
    text = coverage_text(facts, "lcov")
    (record,) = parse(text).values()
    program = shutil.which("genhtml")
    if program is None:
        pytest.skip("genhtml is missing: install the package lcov")
    (path,) = facts.sources
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text(SOURCE, "utf-8")
    (tmp_path / "covered.lcov").write_text(text, "utf-8")
    done = subprocess.run(
        [program, "--branch-coverage", "-o", "page", "covered.lcov"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr.upper()
    totals = record.totals
    for name, hit, found in (
        ("lines", totals["LH"], totals["LF"]),
        ("functions", totals["FNH"], totals["FNF"]),
        ("branches", totals["BRH"], totals["BRF"]),
    ):
        assert re.search(rf"{name}\.+: [\d.]+% \({hit} of {found} ", done.stdout)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_the_page_runs_nothing_asks_nobody_and_leads_everywhere(facts: CoverageFacts):
    page = _Page()
    page.feed(text := coverage_text(facts, "html"))
    names = {tag for tag, _ in page.tags}
    assert names.isdisjoint({"script", "link", "img", "iframe", "object", "form"})
    assert "&lt;script&gt;alert(1)" in text
    assert "&lt;script&gt;alert(2)" in text
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = [attributes["href"] for tag, attributes in page.tags if tag == "a"]
    assert targets
    assert {target for target in targets if target} <= {f"#{each}" for each in ids}
    assert not any(name.startswith("on") for _, a in page.tags for name in a)


def test_the_page_says_which_lines_are_missing(facts: CoverageFacts):
    text = coverage_text(facts, "html")
    missed = re.findall(r'<tr id="f0-(\d+)" class="miss">', text)
    assert missed == [str(line_of("total = 0;"))]
    assert f'<a href="#f0-{missed[0]}">line {missed[0]}</a>' in text


def test_functions_have_exact_calls_and_reverts_and_sampled_reasons(
    views: CampaignViews,
):
    found = {each.function: each for each in function_statistics(views)}
    # Variants that were undone are calls of no function.
    assert sum(each.calls for each in found.values()) <= views.progress.calls
    assert sum(each.reverts for each in found.values()) <= views.progress.reverts
    refuse = found["refuse()"]
    assert refuse.calls == refuse.reverts > 0
    assert [reason for reason, _ in refuse.reasons] == [
        'Error("<script>alert(1)</script>")'
    ]
    # A custom error is one reason, whatever its arguments are.
    assert [reason for reason, _ in found["exceed(uint256)"].reasons] == ["TooMuch(…)"]
    assert refuse.to_json()["gas"] is None
    gas = found["add(uint256)"].gas
    assert 21_000 < gas.least <= gas.total // gas.calls <= gas.most


def test_the_command_writes_what_is_asked_for(
    run: tuple[Path, Outcome], tmp_path: Path
):
    outcome = invoke(
        "coverage", run[0], "--format", "txt", "--output", tmp_path / "out"
    )
    assert outcome.code == 0
    assert outcome.out == f"{tmp_path / 'out' / 'covered.txt'}\n"
    assert [each.name for each in (tmp_path / "out").iterdir()] == ["covered.txt"]
    same = (run[0] / "covered.txt").read_bytes()
    assert (tmp_path / "out" / "covered.txt").read_bytes() == same


def test_excluded_sources_are_left_out(run: tuple[Path, Outcome], tmp_path: Path):
    arguments = ("--format", "txt", "--output", tmp_path, "--exclude", "*.sol")
    assert invoke("coverage", run[0], *arguments).code == 0
    assert (tmp_path / "covered.txt").read_text() == "Coverage map is empty\n"


def test_a_directory_that_cannot_be_made_is_one_sentence(
    facts: CoverageFacts, tmp_path: Path
):
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="choose another directory"):
        write_coverage(facts, tmp_path / "file" / "below", ["txt"])


def test_run_writes_where_and_what_it_is_told(tmp_path: Path):
    arguments = ("--corpus-dir", tmp_path / "corpus", "--test-limit", 100)
    where = ("--coverage-dir", tmp_path / "out", "--coverage-formats", "lcov")
    assert invoke("run", *arguments, *where).code in (0, 1)
    assert [each.name for each in (tmp_path / "out").iterdir()] == ["covered.lcov"]
    assert not (tmp_path / "corpus" / "covered.txt").exists()


def test_no_format_writes_nothing(tmp_path: Path):
    arguments = ("--corpus-dir", tmp_path / "corpus", "--test-limit", 100)
    outcome = invoke("run", *arguments, "--coverage-formats", "")
    assert "Coverage:" not in outcome.err
    assert not list((tmp_path / "corpus").glob("covered.*"))


def test_an_unknown_format_is_refused(tmp_path: Path):
    outcome = invoke(
        "run", "--corpus-dir", tmp_path / "corpus", "--coverage-formats", "pdf"
    )
    assert outcome.code == 2
    assert "some of txt, html, lcov" in outcome.err


PATHS = ("src/A.sol", "src/lib/B.sol", "src/lib/deep/C.sol", "src/test/D.t.sol")


@pytest.mark.parametrize(
    ("pattern", "gone"),
    [
        ("A.sol", "A"),
        ("*.sol", "A"),
        ("**", "ABCD"),
        ("lib/**", "BC"),
        ("lib/*", "B"),
        ("**/*.sol", "ABCD"),
        ("**/deep/*", "C"),
        ("**/?.t.sol", "D"),
        ("lib/[AB].sol", "B"),
        ("lib/[!A].sol", "B"),
        ("./lib/B.sol", "B"),
        ("src/A.sol", ""),
        ("li?/B+.sol", ""),
        ("[", ""),
    ],
)
def test_patterns_are_about_paths_from_the_common_directory_on(pattern, gone):
    kept = kept_paths(PATHS, [pattern])
    letters = {path: path.rpartition("/")[2][0] for path in PATHS}
    assert "".join(letters[p] for p in PATHS if p not in kept) == gone


def test_the_common_directory_ends_between_names():
    assert common_directory(["src/a/A.sol", "src/ab/B.sol"]) == "src/"
    assert common_directory(["/x/A.sol"]) == "/x/"
    assert common_directory(["A.sol", "src/B.sol"]) == ""
