"""Programs that were compiled before, in the user's cache directory.

The name of an entry covers whatever the compiler was given: its identity, settings
and sources, and our own code that makes a `Program` of its answer. A compiler that
looks for files itself tells what it looked for, with what it found: an entry counts
only while each of these look-ups has the same answer, also "there is no such file".
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import echidna_mcp
from echidna_mcp.errors import TargetError
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.model import Program
from echidna_mcp.user_cache import ObjectCache, default_directory
from echidna_mcp_plugins.compilers.files import MOST_SOURCE_BYTES, read_bytes

_log = logging.getLogger(__name__)

_MOST_FILES = 256
_MOST_BYTES = 256 << 20
_OWN_CODE = ("abi", "program")


class Lookup(NamedTuple):
    """What a compiler looked for: the path, where it led, and what was there.

    `real` and `digest` (sha256 of the content) are None if there was nothing; a
    directory has no digest.
    """

    path: str
    real: str | None
    digest: str | None

    @classmethod
    def now(cls, path: str) -> Lookup:
        """Look for `path`.

        Raises:
            TargetError: there is something, but no source file.
        """
        try:
            real = Path(path).resolve(strict=True)
        except (
            OSError,
            RuntimeError,
            ValueError,
        ):  # a loop of links; no name of a file
            return cls(path, None, None)
        if real.is_dir():
            return cls(path, str(real), None)
        content = read_bytes(real, MOST_SOURCE_BYTES)
        return cls(path, str(real), hashlib.sha256(content).hexdigest())

    def still_holds(self) -> bool:
        """Whether the same is there as then."""
        try:
            return Lookup.now(self.path) == self
        except TargetError:
            return False


class Compilation(NamedTuple):
    """A program, and the look-ups on which it depends besides its question.

    `notes` are what the user was told about it, `others` further programs that have
    tests (`CompileRequest.also`).
    """

    program: Program
    lookups: tuple[Lookup, ...] = ()
    notes: tuple[str, ...] = ()
    others: tuple[Program, ...] = ()


def compiled(
    question: Mapping[str, Any],
    request: CompileRequest,
    compile_it: Callable[[CompileRequest], Compilation],
) -> Program:
    """Return the program that answers `question`: the one kept, or a new one.

    The user is told the same about either.

    Args:
        question: JSON values; all that decides the program besides look-ups and which
            contracts are wanted.
        request: says which contracts are wanted.
        compile_it: compiles; `notes` are added to what it returns.

    Raises:
        EchidnaMcpError: of `compile_it`; what fails is not kept.
    """
    wanted = [request.contract, request.others, request.prefix, request.suite]
    text = json.dumps([_own_code(), question, wanted], sort_keys=True)
    key = hashlib.sha256(text.encode()).hexdigest()
    place = _cache_in(default_directory("programs"))
    kept = place.get(key)
    found = None if kept is None else _read(kept)
    if found is None:
        notes: list[str] = []
        found = compile_it(replace(request, tell=notes.append))
        found = found._replace(notes=tuple(notes))
        place.put(key, _entry_of(found))
    for note in found.notes:
        request.tell(note)
    for other in found.others:
        request.also(other)
    return found.program


def digest_of_files(files: Iterable[Path]) -> str:
    """Return the sha256 of names and contents, as hex; of what can't be read, of none.

    For the identity of a compiler.
    """
    digest = hashlib.sha256()
    for file in files:
        try:
            content = hashlib.sha256(read_bytes(file, _MOST_BYTES)).digest()
        except TargetError:
            content = b""
        digest.update(file.name.encode(errors="surrogateescape") + b"\0" + content)
    return digest.hexdigest()


def _entry_of(found: Compilation) -> bytes:
    entry = found._asdict() | {
        "program": found.program.to_json(),
        "others": [other.to_json() for other in found.others],
    }
    return json.dumps(entry).encode()


def _read(kept: bytes) -> Compilation | None:
    """Return what an entry holds; None if it does not count any more."""
    try:
        entry = json.loads(kept)
        lookups = tuple(Lookup(*lookup) for lookup in entry["lookups"])
        if all(lookup.still_holds() for lookup in lookups):
            program = Program.from_json(entry["program"])
            others = tuple(map(Program.from_json, entry["others"]))
            return Compilation(program, lookups, tuple(entry["notes"]), others)
    except (ValueError, TypeError, LookupError):
        _log.debug("An entry of the cache of programs is damaged.", exc_info=True)
    return None


@cache
def _cache_in(directory: Path | None) -> ObjectCache:
    return ObjectCache(
        directory, warn=_log.warning, most_files=_MOST_FILES, most_bytes=_MOST_BYTES
    )


@cache
def _own_code() -> str:
    core = Path(echidna_mcp.__file__).parent
    folders = (*(core / name for name in _OWN_CODE), Path(__file__).parent)
    files = (file for folder in folders for file in sorted(folder.rglob("*.py")))
    return f"{echidna_mcp.__version__} {digest_of_files(files)}"
