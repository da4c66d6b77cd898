"""A whole corpus of another fuzzer: read, and extended by new files.

No file that is there is ever changed or removed.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from echidna_mcp.corpora.frontier_files import read_frontiers
from echidna_mcp.corpora.layouts import EntryFile, Layout, recognised
from echidna_mcp.corpora.model import (
    EntryError,
    Interfaces,
    Problem,
    StoredCall,
    StoredSequence,
    without_waits,
)
from echidna_mcp.errors import StoreError

_LARGEST: Final = 16 << 20
"""Bytes of a file that is read; the longest sequences take some hundred thousand."""


@dataclass(frozen=True, slots=True)
class ForeignCorpus:
    """What was read of a directory.

    Attributes:
        formats: those of which it has the folders.
        sequences: reproducers first.
        problems: files that hold no sequence.
    """

    directory: Path
    formats: tuple[Layout, ...]
    sequences: tuple[StoredSequence, ...]
    problems: tuple[Problem, ...]

    @property
    def name(self) -> str:
        """The name of its directory."""
        return self.directory.resolve().name


def read_corpus(directory: Path, interfaces: Interfaces) -> ForeignCorpus | None:
    """Return the corpus of another fuzzer that lies in a directory, if one does.

    Args:
        directory: that of the corpus, or any.
        interfaces: known functions, for what files leave out.
    """
    formats = recognised(directory)
    if not formats:
        return None
    sequences: list[StoredSequence] = []
    problems: list[Problem] = []
    for layout in formats:
        for file in layout.files(directory):
            try:
                found = _sequences(file, layout, interfaces)
            except EntryError as error:
                problems.append(Problem(file.name, str(error)))
                continue
            if not any(found.values()):
                problems.append(Problem(file.name, "it has no calls"))
                continue
            sequences += [
                StoredSequence(
                    file=name,
                    calls=calls,
                    purpose=file.purpose,
                    contract=file.contract,
                    test=file.test,
                )
                for name, calls in found.items()
            ]
    # Of several formats as of one: what was found to fail comes first.
    sequences.sort(key=lambda each: each.purpose != "reproducer")
    return ForeignCorpus(directory, tuple(formats), tuple(sequences), tuple(problems))


def _sequences(
    file: EntryFile, layout: Layout, interfaces: Interfaces
) -> Mapping[str, tuple[StoredCall, ...]]:
    """Return what a file holds, by name.

    Raises:
        EntryError: it is none of its format.
    """
    text = _text(file)
    if not file.has_frontiers:
        return {file.name: layout.read(text, interfaces)}
    found = read_frontiers(text)
    return {f"{file.name}#{number}": calls for number, calls in found.items()}


def _text(file: EntryFile) -> str:
    """Return what a file says, unpacked.

    Raises:
        EntryError: it can't be read, is too large, or is no text.
    """
    opened = gzip.open if file.path.name.endswith(".gz") else open
    try:
        with opened(file.path, "rb") as stream:
            data = stream.read(_LARGEST + 1)
    except (OSError, EOFError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise EntryError(f"it can't be read ({reason or 'damaged'})") from None
    if len(data) > _LARGEST:
        raise EntryError(f"it has more than {_LARGEST >> 20} MiB")
    try:
        return bytes(data).decode("utf-8")
    except UnicodeDecodeError:
        raise EntryError("it is no UTF-8 text") from None


@dataclass(frozen=True, slots=True)
class Written:
    """What was written of a corpus.

    Attributes:
        files: new ones, relative to the corpus.
        known: how many sequences were there already.
        problems: sequences that the format has no form for.
    """

    files: tuple[str, ...]
    known: int
    problems: tuple[Problem, ...]


def extend_corpus(
    directory: Path, layout: Layout, sequences: Iterable[StoredSequence]
) -> Written:
    """Write the sequences that a corpus does not have yet, a file each.

    Raises:
        StoreError: a file can't be written.
    """
    there = {_bytes_of(file.path) for file in layout.files(directory)}
    files: list[str] = []
    problems: list[Problem] = []
    known = 0
    for sequence in sequences:
        calls, seconds = sequence.calls, 0
        if not layout.waits:
            calls, seconds = without_waits(calls)
        try:
            text = layout.write(calls)
        except EntryError as error:
            problems.append(Problem(sequence.file, f"it is not written: {error}"))
            continue
        if seconds:
            what = f"the {seconds} seconds after its last call are not written"
            problems.append(Problem(sequence.file, what))
        data = text.encode("utf-8", "surrogatepass")
        if data in there:
            known += 1
            continue
        there.add(data)
        name = layout.place(replace(sequence, calls=calls), text)
        write_entry(directory / name, data)
        files.append(name)
    return Written(tuple(files), known, tuple(problems))


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def write_entry(path: Path, data: bytes) -> None:
    """Write a file so that whoever reads the corpus meanwhile sees all of it, or none.

    Raises:
        StoreError: it can't be written.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        raise StoreError(
            f"The corpus file {path} can't be written ({error.strerror}); check "
            "permissions and space, or choose another directory."
        ) from None
