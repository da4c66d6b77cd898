"""The documentation as data: pages, links, code blocks, tables, headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

_FENCE = re.compile(r"^(```+)(\w*)\n(.*?)^\1$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^(#{1,6}) (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Page:
    """One Markdown file."""

    path: Path
    text: str

    @property
    def name(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @property
    def prose(self) -> str:
        """The text without code blocks."""
        return _FENCE.sub("", self.text)

    def blocks(self, language: str) -> list[str]:
        """Code blocks of a language, in order."""
        return [code for _, kind, code in _FENCE.findall(self.text) if kind == language]

    def links(self) -> list[str]:
        return _LINK.findall(self.prose)

    def anchors(self) -> set[str]:
        """What links to headings look like, by GitHub's rule."""
        titles = [title for _, title in _HEADING.findall(self.prose)]
        plain = [re.sub(r"[^\w\- ]", "", title.lower()) for title in titles]
        return {title.replace(" ", "-") for title in plain}

    def section(self, title: str) -> Page:
        """The part under a heading, down to the next of its level or above."""
        for match in _HEADING.finditer(self.text):
            if match[2] == title:
                rest = self.text[match.end() :]
                end = re.search(rf"^#{{1,{len(match[1])}}} ", rest, re.MULTILINE)
                return Page(self.path, rest[: end.start()] if end else rest)
        raise AssertionError(f"{self.name} has no section {title!r}")

    def rows(self, first: str) -> list[list[str]]:
        """Rows of the first table whose first column is headed `first`."""
        lines = iter(self.prose.splitlines())
        for line in lines:
            if _cells(line)[:1] == [first]:
                next(lines)
                return [*_table(lines)]
        raise AssertionError(f"{self.name} has no table of {first!r}")


def pages() -> list[Page]:
    found = [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("examples/*/*.md"),
    ]
    return [Page(path, path.read_text(encoding="utf-8")) for path in sorted(found)]


def page(name: str) -> Page:
    path = ROOT / name
    return Page(path, path.read_text(encoding="utf-8"))


def code(cell: str) -> str:
    """What stands between back-ticks; the cell has nothing else."""
    match = re.fullmatch(r"`([^`]+)`", cell)
    assert match, f"{cell!r} is not code"
    return match[1]


def _table(lines: Iterator[str]) -> Iterator[list[str]]:
    for line in lines:
        if not line.startswith("|"):
            return
        yield _cells(line)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
