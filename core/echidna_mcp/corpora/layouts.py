"""The folders of each format: where entries lie, and where new ones go."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from echidna_mcp.config.campaign import FOREIGN_FORMATS, ForeignFormat
from echidna_mcp.corpora import echidna, foundry, frontier_files, medusa
from echidna_mcp.corpora.model import (
    Interfaces,
    Purpose,
    StoredCall,
    StoredSequence,
)

_FAILURES: Final = ("invariant/failures", "fuzz/failures")
"""Where forge keeps failures, in its cache: by contract and test."""


@dataclass(frozen=True, slots=True)
class EntryFile:
    """A file of a corpus.

    Attributes:
        path: where it is.
        name: relative to the corpus, with slashes.
        purpose, contract, test: as those of `StoredSequence`.
    """

    path: Path
    name: str
    purpose: Purpose
    contract: str = ""
    test: str = ""

    @property
    def has_frontiers(self) -> bool:
        """Whether it is no sequence, but one of `frontier_files`."""
        return self.path.name == frontier_files.FILE


@dataclass(frozen=True, slots=True)
class Layout:
    """A format with its folders.

    Attributes:
        title: whose it is, for people.
        files: yields the entries of a directory, reproducers first, each time by name.
        read: returns the calls of a file that is a sequence; raises `EntryError`.
        write: returns the text of a file; raises `EntryError`.
        waits: whether an entry may pass time and call nothing.
        place: returns where a new entry with a text lies, relative to the corpus. It
            depends on nothing else, so the same entry is never written twice.
    """

    name: ForeignFormat
    title: str
    files: Callable[[Path], Iterator[EntryFile]]
    read: Callable[[str, Interfaces], tuple[StoredCall, ...]]
    write: Callable[[Iterable[StoredCall]], str]
    waits: bool
    place: Callable[[StoredSequence, str], str]


def recognised(directory: Path) -> list[Layout]:
    """Return the formats of which a directory has the folders.

    Echidna's and Medusa's folders are enough; Foundry's hold something.
    """
    return [LAYOUTS[name] for name in FOREIGN_FORMATS if _MARKS[name](directory)]


def _in_folders(
    directory: Path, folders: Iterable[tuple[str, Purpose]], suffix: str
) -> Iterator[EntryFile]:
    for folder, purpose in folders:
        for path in _files(directory / folder, suffix):
            yield EntryFile(path, f"{folder}/{path.name}", purpose)


def _files(folder: Path, suffix: str = "") -> list[Path]:
    """Return the files of a folder by name; none if there is no folder."""
    try:
        found = sorted(folder.iterdir())
    except OSError:
        return []
    return [
        path
        for path in found
        if path.name.endswith(suffix)
        and not path.name.startswith(".")
        and not path.is_dir()
    ]


def _echidna_files(directory: Path) -> Iterator[EntryFile]:
    return _in_folders(
        directory, (("reproducers", "reproducer"), ("coverage", "coverage")), ""
    )


def _medusa_files(directory: Path) -> Iterator[EntryFile]:
    folders: list[tuple[str, Purpose]] = [
        ("test_results", "reproducer"),
        ("call_sequences", "coverage"),
        # Of older versions.
        ("call_sequences/immutable", "coverage"),
        ("call_sequences/mutable", "coverage"),
    ]
    return _in_folders(directory, folders, ".json")


def _foundry_files(directory: Path) -> Iterator[EntryFile]:
    yield from _foundry_failures(directory, "")
    cache = directory.parent / "cache"
    if (directory.parent / "foundry.toml").is_file() and directory.name != cache.name:
        yield from _foundry_failures(cache, f"../{cache.name}/")
    for folder in _foundry_folders(directory):
        contract, test = folder.relative_to(directory).parts[:2]
        for path in _files(folder):
            if path.name.endswith((".json", ".json.gz")):
                name = path.relative_to(directory).as_posix()
                yield EntryFile(path, name, "coverage", contract, test)
    for path in _frontier_files(directory):
        name = path.relative_to(directory).as_posix()
        contract, test = name.split("/")[:2] if "/" in name else ("", "")
        yield EntryFile(path, name, "coverage", contract, test)


def _foundry_failures(home: Path, prefix: str) -> Iterator[EntryFile]:
    for failures in _FAILURES:
        for contract in _folders(home / failures):
            for path in _files(contract):
                name = prefix + path.relative_to(home).as_posix()
                test = path.name.partition("(")[0]
                yield EntryFile(path, name, "reproducer", contract.name, test)


def _foundry_folders(directory: Path) -> list[Path]:
    return sorted(
        each for each in directory.glob("*/*/worker*/corpus") if each.is_dir()
    )


def _frontier_files(directory: Path) -> list[Path]:
    """Return the file that lies there, or those by contract and test."""
    patterns = (frontier_files.FILE, f"*/*/{frontier_files.FILE}")
    found = [each for pattern in patterns for each in directory.glob(pattern)]
    return sorted(each for each in found if each.is_file())


def _folders(directory: Path) -> list[Path]:
    try:
        return sorted(each for each in directory.iterdir() if each.is_dir())
    except OSError:
        return []


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _uuid(text: str) -> uuid.UUID:
    return uuid.UUID(bytes=_digest(text)[:16], version=4)


def _echidna_place(sequence: StoredSequence, text: str) -> str:
    folder = "reproducers" if sequence.purpose == "reproducer" else "coverage"
    number = int.from_bytes(_digest(text)[:8], "big") >> 1
    return f"{folder}/{number}.txt"


def _medusa_place(sequence: StoredSequence, text: str) -> str:
    reproducer = sequence.purpose == "reproducer"
    folder = "test_results" if reproducer else "call_sequences"
    return f"{folder}/{_uuid(text)}.json"


def _foundry_place(sequence: StoredSequence, text: str) -> str:
    # The number is the time at which forge found it; none is as old as this.
    folder = f"{sequence.contract or 'Target'}/{sequence.test or 'test'}"
    return f"{folder}/worker0/corpus/{_uuid(text)}-0.json"


LAYOUTS: Final[dict[ForeignFormat, Layout]] = {
    "echidna": Layout(
        name="echidna",
        title="Echidna",
        files=_echidna_files,
        read=lambda text, _: echidna.read_sequence(text),
        write=echidna.write_sequence,
        waits=True,
        place=_echidna_place,
    ),
    "medusa": Layout(
        name="medusa",
        title="Medusa",
        files=_medusa_files,
        read=medusa.read_sequence,
        write=medusa.write_sequence,
        waits=False,
        place=_medusa_place,
    ),
    "foundry": Layout(
        name="foundry",
        title="Foundry",
        files=_foundry_files,
        read=lambda text, _: foundry.read_sequence(text),
        write=foundry.write_sequence,
        waits=False,
        place=_foundry_place,
    ),
}

_MARKS: Final[dict[ForeignFormat, Callable[[Path], bool]]] = {
    "echidna": lambda at: (at / "reproducers").is_dir() or (at / "coverage").is_dir(),
    "medusa": lambda at: (
        (at / "call_sequences").is_dir() or (at / "test_results").is_dir()
    ),
    "foundry": lambda at: (
        any((at / each).is_dir() for each in _FAILURES)
        or bool(_foundry_folders(at) or _frontier_files(at))
    ),
}
