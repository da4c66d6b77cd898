"""The page: its parts, joined into one document that loads nothing."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

_PARTS: Final = "page"

SCRIPTS: Final = (
    *("dom.js", "format.js", "syntax.js", "calls.js", "trace.js", "chart.js"),
    *("server.js", "host.js", "feed.js"),
    *("header.js", "overview.js", "tests.js", "functions.js", "coverage.js"),
    *("source.js", "corpus.js", "events.js"),
    *("choices.js", "draw.js", "actions.js", "tabs.js", "main.js"),
)
"""Parts of one script, what is used before what uses it; the last starts it all."""

_STYLE: Final = ("<style>", "</style>")
_SCRIPT: Final = ('<script type="module">', "</script>")


@dataclass(frozen=True, slots=True)
class Page:
    """The page as it is sent.

    Attributes:
        html: a whole document (HTML5).
        policy: its Content-Security-Policy where it is served by us. It names script
            and style by their hashes, so that nothing else can run, and keeps the page
            from turning text into markup.
    """

    html: str
    policy: str


def read_page() -> Page:
    """Return the page, from the files of this package."""
    folder = files(__package__).joinpath(_PARTS)

    def part(name: str) -> str:
        return folder.joinpath(name).read_text("utf-8")

    style = part("style.css")
    script = "\n".join(part(name) for name in SCRIPTS)
    html = _filled(_filled(part("page.html"), _STYLE, style), _SCRIPT, script)
    policy = (
        "default-src 'none'",
        f"script-src {_hash(script)}",
        f"style-src {_hash(style)}",
        "img-src data:",
        "connect-src 'self'",
        *("base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"),
        *("require-trusted-types-for 'script'", "trusted-types 'none'"),
    )
    return Page(html, "; ".join(policy))


def _filled(html: str, element: tuple[str, str], content: str) -> str:
    begin, end = element
    before, found, after = html.partition(begin + end)
    assert found, f"page.html lacks an empty {begin}"
    assert end not in content, f"{end} would end the element too early"
    return f"{before}{begin}{content}{end}{after}"


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
