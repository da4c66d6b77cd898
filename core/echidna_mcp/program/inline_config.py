"""Settings in comments beside tests: `/// forge-config: default.fuzz.runs = 9`.

Source: Foundry, `crates/config` (`inline`). They stand in the comments right before a
test contract or one of its tests; those of a test win. A key begins with the name of
the profile for which it holds, `default` for all of them, or with none.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from echidna_mcp.program.model import Contract, Program

_LINE: Final = re.compile(r"forge-config:\s*([\w.\-]+)\s*=\s*(.*?)\s*(?:\*/)?\s*$")
_SECTIONS: Final = ("fuzz", "invariant")
DEFAULT: Final = "default"


def inline_config(
    program: Program, contract: Contract, profile: str
) -> tuple[Mapping[str, Any], Mapping[str, Mapping[str, Any]]]:
    """Return the settings beside a contract, and those beside its functions by name.

    Keys are those of foundry.toml without a profile, such as `invariant.runs`.

    Args:
        program: it has the sources.
        contract: one of its contracts.
        profile: the one that holds.
    """
    sources = (s.content for s in program.sources if s.path == contract.source)
    text = next(sources, "")
    if "forge-config:" not in text:
        return {}, {}
    start = re.search(rf"\b(?:contract)\s+{re.escape(contract.name)}\b", text)
    if start is None:
        return {}, {}
    of_functions = {
        match[1]: found
        for match in re.finditer(r"\bfunction\s+(\w+)\s*\(", text[start.end() :])
        if (found := _settings(text, start.end() + match.start(), profile))
    }
    return _settings(text, start.start(), profile), of_functions


def _settings(text: str, end: int, profile: str) -> dict[str, Any]:
    """Return what the comments right before byte `end` of a source say."""
    everywhere: dict[str, Any] = {}
    here: dict[str, Any] = {}
    for line in _comment_lines(text[:end]):
        if match := _LINE.search(line):
            head, _, rest = match[1].replace("-", "_").partition(".")
            value = _value(match[2])
            if not rest or head in _SECTIONS:
                everywhere[f"{head}.{rest}" if rest else head] = value
            elif head == DEFAULT:
                everywhere[rest] = value
            elif head == profile:
                here[rest] = value
    return {**everywhere, **here}


def _comment_lines(text: str) -> Iterator[str]:
    """Yield the lines of the comments with which a text ends, the last one first."""
    text = text.rstrip().removesuffix("abstract").rstrip()
    while text:
        if text.endswith("*/"):
            begin = text.rfind("/*")
            yield from reversed(text[begin:].splitlines())
        else:
            begin = text.rfind("\n") + 1
            line = text[begin:]
            if not line.lstrip().startswith("//"):
                return
            yield line
        text = text[:begin].rstrip()


def _value(written: str) -> Any:
    """Return a value as TOML has it, or the text itself if it is none."""
    try:
        return tomllib.loads(f"value = {written}")["value"]
    except tomllib.TOMLDecodeError:
        return written
