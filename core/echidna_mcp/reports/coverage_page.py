"""Coverage as one HTML page that needs nothing but itself.

There is no script in it, and its policy allows none: what sources and reasons say is
text of others. Everything is reached by links, and a link from each gap leads on to the
next one, so that a keyboard is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from importlib.resources import files as resources
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from echidna_mcp.reports.lines import percentage
from echidna_mcp.reports.marks import source_lines
from echidna_mcp.wording import counted

if TYPE_CHECKING:
    from echidna_mcp.reports.coverage_facts import CoverageFacts
    from echidna_mcp.reports.files import BranchCount, FileCoverage
    from echidna_mcp.reports.function_statistics import FunctionStatistics

_MOST_REASONS: Final = 5
"""Of each function; the report of the campaign has more."""

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_FAILURES: Final = {
    "r": "a call reverted here",
    "o": "a call ran out of gas here",
    "e": "a call failed here",
}


def coverage_page(facts: CoverageFacts) -> str:
    """Return the page; equal facts give equal text."""
    style = resources(__package__).joinpath("coverage_page.css").read_text("utf-8")
    title = f"Coverage of {_text(facts.title)}"
    return "".join(
        f"{line}\n"
        for line in (
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            f"<title>{title}</title>",
            f"<style>\n{style}</style>",
            "</head>",
            "<body>",
            '<a class="skip" href="#files">To the files</a>',
            "<header>",
            f"<h1>{title}</h1>",
            *_figures(facts),
            "</header>",
            "<main>",
            *_files(facts),
            *_calls(facts.functions),
            *_legend(facts),
            *_sources(facts),
            "</main>",
            "</body>",
            "</html>",
        )
    )


def _figures(facts: CoverageFacts) -> Iterator[str]:
    every = facts.files.values()
    lines = [count for file in every for count in file.lines.values()]
    functions = [count for file in every for count in file.functions.values()]
    ways = [way for file in every for way in _ways(file)]
    yield '<ul class="figures">'
    for name, counts in (
        ("lines", lines),
        ("functions", functions),
        ("ways of branches", ways),
    ):
        yield f"<li><b>{_share(counts)}</b>{_of(counts)} {name}</li>"
    yield f"<li><b>{facts.points}</b>instructions</li>"
    yield f"<li><b>{facts.calls}</b>calls</li>"
    yield "</ul>"
    if facts.digest:
        yield f'<p class="quiet">State digest {_text(facts.digest)}</p>'


def _files(facts: CoverageFacts) -> Iterator[str]:
    yield '<section aria-labelledby="files"><h2 id="files">Files</h2>'
    yield '<table class="list"><thead><tr><th scope="col">File</th>'
    for name in ("Lines", "Functions", "Branches", "First gap"):
        yield f'<th scope="col" class="number">{name}</th>'
    yield "</tr></thead><tbody>"
    for number, (path, file) in enumerate(sorted(facts.files.items())):
        gaps = _gaps(file)
        gap = f'<a href="#f{number}-{gaps[0]}">line {gaps[0]}</a>' if gaps else "none"
        yield (
            f'<tr><th scope="row"><a href="#f{number}">{_text(path)}</a></th>'
            + _cell("Lines", _told(file.lines.values()))
            + _cell("Functions", _told(file.functions.values()))
            + _cell("Branches", _told(_ways(file)))
            + f'<td class="number" data-label="First gap">{gap}</td></tr>'
        )
    yield "</tbody></table></section>"


def _calls(functions: Sequence[FunctionStatistics]) -> Iterator[str]:
    if not functions:
        return
    yield '<section aria-labelledby="calls"><h2 id="calls">Calls by function</h2>'
    yield '<table class="list"><thead><tr><th scope="col">Function</th>'
    for name in ("Calls", "Reverts", "Gas"):
        yield f'<th scope="col" class="number">{name}</th>'
    yield '<th scope="col">Why it reverted, of a sample</th></tr></thead><tbody>'
    for each in functions:
        idle = ' class="miss"' if each.calls == each.reverts + each.discards else ""
        gas = each.gas
        reasons = "<br>".join(
            f"{calls} &times; {_text(reason)}"
            for reason, calls in each.reasons[:_MOST_REASONS]
        )
        spent = f"{gas.least} to {gas.most}" if gas.calls else "unknown"
        none = "none in the sample" if each.reverts else "none"
        reverts = f"{each.reverts}"
        if each.discards:
            reverts += f", {each.discards} discarded"
        yield (
            f'<tr{idle}><th scope="row">{_text(each.function)}</th>'
            + _cell("Calls", str(each.calls))
            + _cell("Reverts", reverts)
            + _cell("Gas", spent)
            + f'<td data-label="Why it reverted">{reasons or none}</td></tr>'
        )
    yield "</tbody></table></section>"


def _legend(facts: CoverageFacts) -> Iterator[str]:
    hits = facts.hits
    yield '<section aria-labelledby="legend"><h2 id="legend">How to read it</h2><ul>'
    replayed = (
        f"{counted(hits.sequences, 'sequence')} with {counted(hits.calls, 'call')}"
    )
    late = ""
    if hits.left_out:
        late = f"; {counted(hits.left_out, 'later sequence')} were not executed again"
    yield (
        "<li>The number beside a line is that of calls of the corpus that execute it: "
        f"{replayed} have been executed once more for that{late}. It is not how often "
        "the campaign came there, which nobody counts. 1 also stands beside what only "
        "the deployment has executed. 0 was never executed, and what has no number "
        "has no code.</li>"
    )
    yield (
        "<li>A frame such as [on 2, jump 7] stands where a condition is evaluated: how "
        "many calls went on after it, and how many jumped. "
        + (
            "The campaign has collected both ways of each.</li>"
            if facts.edges
            else "Edges were not collected (edges: true), so a jump to what "
            "can be reached in another way, such as the end of an if without else, "
            "counts as taken when that was executed.</li>"
        )
    )
    yield (
        "<li>r, o and e: a call reverted, ran out of gas, or failed otherwise on that "
        "line.</li>"
        "<li>Calls and reverts of functions are those of the whole campaign; gas (of "
        "calls that succeeded) and reasons are those of the calls that it has logged, "
        "a sample.</li></ul></section>"
    )


def _sources(facts: CoverageFacts) -> Iterator[str]:
    yield '<section aria-labelledby="sources"><h2 id="sources">Sources</h2>'
    for number, (path, file) in enumerate(sorted(facts.files.items())):
        shown = " open" if _gaps(file) else ""
        yield (
            f"<details{shown}><summary><b>{_text(path)}</b> "
            f"{_told(file.lines.values())} lines</summary>"
            f'<div id="f{number}">'
        )
        yield from _functions(number, file)
        yield from _source(number, path, file, facts)
        yield "</div></details>"
    yield "</section>"


def _functions(number: int, file: FileCoverage) -> Iterator[str]:
    if not file.functions:
        return
    yield '<table class="list"><thead><tr><th scope="col">Function</th>'
    yield '<th scope="col" class="number">Lines</th>'
    yield '<th scope="col" class="number">Calls of the corpus</th></tr></thead>'
    yield "<tbody>"
    for (line, name), count in sorted(file.functions.items()):
        last = file.ends[line, name]
        within = [hit for at, hit in file.lines.items() if line <= at <= last]
        missed = "" if count else ' class="miss"'
        yield (
            f'<tr{missed}><th scope="row"><a href="#f{number}-{line}">{_text(name)}'
            f"</a></th>{_cell('Lines', _told(within))}"
            f"{_cell('Calls of the corpus', str(count))}</tr>"
        )
    yield "</tbody></table>"


def _source(
    number: int, path: str, file: FileCoverage, facts: CoverageFacts
) -> Iterator[str]:
    gaps = _gaps(file)
    following = dict(pairwise(gaps))
    branches: dict[int, list[BranchCount]] = {}
    for branch in file.ordered_branches():
        branches.setdefault(branch.line, []).append(branch)
    yield f'<table class="source" aria-label="Source of {_text(path)}"><tbody>'
    for line, text in enumerate(source_lines(facts.sources[path]), 1):
        count = file.lines.get(line)
        shown = "" if count is None else str(count)
        if line in following:
            following_gap = following[line]
            shown = (
                f'<a href="#f{number}-{following_gap}" '
                f'aria-label="0, next gap: line {following_gap}">{shown} ↓</a>'
            )
        failures = facts.failures.get((path, line), "")
        for mark in failures:
            shown += f' <abbr title="{_FAILURES[mark]}">{mark}</abbr>'
        here = branches.get(line, ())
        yield (
            f'<tr id="f{number}-{line}"{_class(count, here)}><td class="at">{line}</td>'
            f'<td class="count">{shown}</td><td><code>{_text(text)}</code>'
            f"{''.join(map(_badge, here))}</td></tr>"
        )
    yield "</tbody></table>"


def _class(count: int | None, branches: Iterable[BranchCount]) -> str:
    if count is None:
        return ""
    if not count:
        return ' class="miss"'
    complete = all(each.fell_through and each.jumped for each in branches)
    return ' class="hit"' if complete else ' class="part"'


def _badge(branch: BranchCount) -> str:
    if not branch.reached:
        return '<span class="ways">never evaluated</span>'
    on, jump = branch.fell_through or "never", branch.jumped or "never"
    return f'<span class="ways">on {on}, jump {jump}</span>'


def _gaps(file: FileCoverage) -> list[int]:
    """Return the first line of each run of lines that were not executed."""
    gaps = []
    before: int | None = None
    for line, count in sorted(file.lines.items()):
        if not count and (before is None or before > 0):
            gaps.append(line)
        before = count
    return gaps


def _ways(file: FileCoverage) -> list[int]:
    return [
        way
        for each in file.branches.values()
        for way in (each.fell_through, each.jumped)
    ]


def _share(counts: Iterable[int]) -> str:
    every = list(counts)
    if not every:
        return "none"
    return f"{percentage(sum(count > 0 for count in every), len(every))} %"


def _of(counts: Iterable[int]) -> str:
    every = list(counts)
    return f"{sum(count > 0 for count in every)} of {len(every)}"


def _told(counts: Iterable[int]) -> str:
    every = list(counts)
    return f"{_of(every)} ({_share(every)})" if every else "none"


def _cell(label: str, text: str) -> str:
    return f'<td class="number" data-label="{label}">{text}</td>'


def _text(text: str) -> str:
    """Return text that is no markup, and in which nothing hides."""
    return escape(
        "".join(
            each
            if each.isprintable() or each == "\t"
            else each.encode("unicode_escape").decode("ascii")
            for each in text
        )
    )
