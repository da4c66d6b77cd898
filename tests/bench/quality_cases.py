"""The cases of `bench_quality`: contracts with planted bugs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.config.projects.loader import load_config

_CONTRACT = re.compile(r"^contract (\w+)[^{]*\{", re.MULTILINE)
_PROPERTY = re.compile(r"function (echidna_\w+)\(\)\s*([^{;]*)")


@dataclass(frozen=True)
class Case:
    """A contract with planted bugs.

    Attributes:
        properties: names of its properties, each with whether it is external.
        feasible: names of those that can be broken.
    """

    source: Path
    contract: str
    properties: dict[str, bool]
    feasible: frozenset[str]

    @property
    def name(self) -> str:
        """Return its name in the table."""
        file, _, kind = self.source.name.partition(".")
        return file if kind == "echidna.sol" else self.contract

    @property
    def settings(self) -> Path | None:
        """Return the file that configures it, if there is one."""
        names = (f"echidna-{self.contract}.yaml", "echidna.yaml")
        files = (self.source.parent / name for name in names)
        return next((each for each in files if each.is_file()), None)

    @cached_property
    def config(self) -> CampaignConfig:
        """Return its configuration."""
        return load_config(self.settings).campaign


def cases_in(folder: Path) -> Iterator[Case]:
    """Return the cases of a folder, by name."""
    for source in sorted(folder.rglob("*.sol")):
        if source.name.endswith(".t.sol"):
            continue
        text = source.read_text("utf-8")
        starts = [*_CONTRACT.finditer(text)]
        ends = [*(each.start() for each in starts[1:]), len(text)]
        number = re.search(r"(\d+)", source.name)
        truth = source.parent / f"truth-{number[1] if number else ''}.json"
        for start, end in zip(starts, ends, strict=True):
            found = _PROPERTY.findall(text[start.start() : end])
            properties = {name: "external" in words.split() for name, words in found}
            if not properties:
                continue
            feasible = frozenset(properties)
            if truth.is_file():
                ids = json.loads(truth.read_text("utf-8"))["feasible"]
                feasible = frozenset(f"echidna_{each}" for each in ids)
            yield Case(source, start[1], properties, feasible)
