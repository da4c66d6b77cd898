"""Which kind of project it is, and which file is read.

What the command line says decides: `--config`, whose format shows in its name and
content, and `--as`. Else, if a directory is fuzzed, the first kind of `KINDS` of which
it holds a file: a fuzzer's own configuration says the most about fuzzing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from echidna_mcp.config.campaign import FOUNDRY_MODE
from echidna_mcp.config.document import read_text
from echidna_mcp.config.project_files import files_in
from echidna_mcp.config.projects import foundry, medusa
from echidna_mcp.config.projects.echidna import ECHIDNA
from echidna_mcp.config.projects.foundry import FOUNDRY
from echidna_mcp.config.projects.kind import Kind, Read, Reading
from echidna_mcp.config.projects.medusa import MEDUSA
from echidna_mcp.config.projects.plain import HARDHAT, PLAIN
from echidna_mcp.config.projects.trust import UNHEARD, distrusted, refuse_link
from echidna_mcp.wording import listed

KINDS: Final = (ECHIDNA, MEDUSA, FOUNDRY, HARDHAT, PLAIN)
"""In the order in which a directory is asked."""

_MOST_BYTES: Final = 128 << 10
_MOST_TOML_BYTES: Final = 1 << 20  # what compilers take of the same file

_OF_MEDUSA: Final = re.compile(
    rf'\s*\{{.*"({"|".join(medusa.SECTIONS)})"\s*:', re.DOTALL
)
_OF_FOUNDRY: Final = re.compile(
    rf"^\s*\[({'|'.join(foundry.SECTIONS)})[.\]]", re.MULTILINE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A kind of project, and the file that is read.

    Attributes:
        kind: its preset holds.
        file: what is read; None for nothing.
        source: what it holds.
        format: reads that.
        project: the directory in which `file` was found, if nobody named it. It does
            not decide what only the user may.
        others: names of further files there by which it is of a kind.
        chosen: whether there was something to choose from, or the user chose a kind.
    """

    kind: Kind
    file: Path | None = None
    source: str = ""
    format: Read | None = None
    project: Path | None = None
    others: tuple[str, ...] = ()
    chosen: bool = False

    @property
    def told(self) -> str | None:
        """The line that says what was chosen; None if there is nothing to tell."""
        if not self.chosen:
            return None
        others = listed(self.others, "or")
        if self.file is None:
            what = f"does not read {others}" if others else "reads no configuration"
        else:
            what = f"reads {self.file}" + (f", not {others}" if others else "")
        hint = " (--as or --config chooses)" if others else ""
        return f"Project: {self.kind.title}; {what}{hint}."

    def following_its_mode(self) -> Choice:
        """Return the same with Foundry's presets if the file asks for Foundry's tests.

        Their rules are Foundry's, whoever asks for them: so `testMode: foundry` in a
        file means what `--test-mode foundry` does.

        Raises:
            ConfigError: the file is not what it should be.
        """
        if FOUNDRY_MODE not in self.source:  # Nearly always; the rest reads it twice.
            return self
        asked = (each.value for each in self.read().entries if each.key == "testMode")
        words = next(asked, None)
        if isinstance(words, list) and len(words) == 1:
            words = words[0]
        if not isinstance(words, str) or words.strip() != FOUNDRY_MODE:
            return self
        return replace(self, kind=FOUNDRY, chosen=True)

    def read(self) -> Reading:
        """Return what the file says; nothing if there is none.

        Raises:
            ConfigError: it is not what it should be.
        """
        if self.file is None or self.format is None:
            return Reading()
        reading = self.format(self.source, self.file)
        if self.project is None:
            return reading
        remarks = distrusted(reading.entries, self.project)
        heard = tuple(each for each in reading.entries if each.key not in UNHEARD)
        return Reading(heard, (*reading.remarks, *remarks))


NO_CHOICE: Final = Choice(kind=PLAIN)


def choose(
    directory: Path | None, config: Path | None = None, name: str | None = None
) -> Choice:
    """Decide what a project is, and read the file of its configuration.

    Args:
        directory: what is fuzzed, if that is a directory.
        config: the file that the user names (`--config`).
        name: the kind that the user names (`--as`).

    Raises:
        ConfigError: the file can't be read, or is a link out of the project.
    """
    kind = next((kind for kind in KINDS if kind.name == name), None)
    there = _files_by_kind(directory)
    every = [file for files in there.values() for file in files]
    if config is not None:
        source = _text(config)
        found = format_of(config, source)
        return Choice(
            kind=kind or found,
            file=config,
            source=source,
            format=found.read,
            others=tuple(file for file in every if file != config.name),
            chosen=bool(every) or kind is not None,
        )
    found = kind or next((each for each in KINDS if there.get(each.name)), PLAIN)
    chosen = bool(every) or kind is not None
    if directory is None or found.read is None or not there[found.name]:
        return Choice(kind=found, others=tuple(every), chosen=chosen)
    read = there[found.name][0]
    refuse_link(directory / read, directory)
    return Choice(
        kind=found,
        file=directory / read,
        source=_text(directory / read),
        format=found.read,
        project=directory,
        others=tuple(file for file in every if file != read),
        chosen=chosen,
    )


def format_of(file: Path, source: str) -> Kind:
    """Return the kind of project whose file this is, by its name, else by its content.

    A `.json` without a section of Medusa is YAML, as all JSON.
    """
    match file.suffix.lower():
        case ".yaml" | ".yml":
            return ECHIDNA
        case ".toml":
            return FOUNDRY
        case _ if file.name in MEDUSA.files or _OF_MEDUSA.match(source):
            return MEDUSA
        case ".json":
            return ECHIDNA
        case _:
            return FOUNDRY if _OF_FOUNDRY.search(source) else ECHIDNA


def _files_by_kind(directory: Path | None) -> Mapping[str, tuple[str, ...]]:
    """Return the names of the files in a directory by which it is of a kind."""
    if directory is None:
        return {}
    return {kind.name: files_in(directory, kind.files) for kind in KINDS}


def _text(file: Path) -> str:
    toml = file.suffix.lower() == ".toml"
    return read_text(file, _MOST_TOML_BYTES if toml else _MOST_BYTES)
