"""Settings in comments beside tests: `/// forge-config: default.fuzz.runs = 9`.

Source: Foundry, `crates/config` (`inline`). They stand in the comments right before a
test contract or one of its tests; those of a test win. Each is a line of TOML, and its
key begins with the name of the profile for which it holds, `default` for all of them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final

from echidna_mcp.config.projects.foundry import DEFAULT_PROFILE, merged
from echidna_mcp.errors import TargetError
from echidna_mcp.program.model import Contract, Program
from echidna_mcp.wording import listed

_LINE: Final = re.compile(r"forge-config:\s*(.*?)\s*(?:\*/)?\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Profiles:
    """The profile that holds, and the names of all of them."""

    name: str = DEFAULT_PROFILE
    known: Collection[str] = (DEFAULT_PROFILE,)


ONE_PROFILE: Final = Profiles()


def inline_config(
    program: Program, contract: Contract, profiles: Profiles
) -> tuple[Mapping[str, Any], Mapping[str, Mapping[str, Any]]]:
    """Return the settings beside a contract, and those beside its functions by name.

    Both are as a profile of foundry.toml holds them.

    Args:
        program: it has the sources.
        contract: one of its contracts.
        profiles: which of the settings hold.

    Raises:
        TargetError: a comment is no TOML, or has no profile that there is.
    """
    sources = (s.content for s in program.sources if s.path == contract.source)
    text = next(sources, "")
    if "forge-config:" not in text:
        return {}, {}
    start = re.search(rf"\b(?:contract)\s+{re.escape(contract.name)}\b", text)
    if start is None:
        return {}, {}
    where = contract.qualified_name
    of_functions = {
        match[1]: found
        for match in re.finditer(r"\bfunction\s+(\w+)\s*\(", text[start.end() :])
        if (found := _settings(text, start.end() + match.start(), profiles, where))
    }
    return _settings(text, start.start(), profiles, where), of_functions


def _settings(text: str, end: int, profiles: Profiles, where: str) -> dict[str, Any]:
    """Return what the comments right before byte `end` of a source say."""
    lines = [
        _table(match[1], profiles, where)
        for line in _comment_lines(text[:end])
        if (match := _LINE.search(line))
    ]
    lines.reverse()
    names = dict.fromkeys((DEFAULT_PROFILE, profiles.name))
    return reduce(merged, (line.get(n, {}) for n in names for line in lines), {})


def _table(line: str, profiles: Profiles, where: str) -> dict[str, Any]:
    """Return what a line sets, by profile.

    Raises:
        TargetError: see `inline_config`.
    """
    said = f"{where}: a comment says `forge-config: {line[:120]}`, "
    try:
        table = tomllib.loads(line)
    except tomllib.TOMLDecodeError as error:
        raise TargetError(f"{said}which is no line of TOML: {error}.") from None
    for name, settings in table.items():
        if name not in profiles.known or not isinstance(settings, dict):
            raise TargetError(
                f"{said}which does not begin with a profile: "
                f"{listed(sorted(profiles.known), 'or')}; write "
                f"`{DEFAULT_PROFILE}.{line[:120]}` if it is for all of them."
            )
    return table


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
