"""The user's cache directory, for what was built before, such as machine code.

A file is named after everything that went into it and begins with a digest of what
follows, so one that is stale is never looked at and one that is damaged is noticed. Two
processes may write the same file: each writes a temporary one and renames it.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

_log = logging.getLogger(__name__)

_SUFFIX = ".obj"
_TEMPORARY = ".part"
_DIGEST_BYTES = 32


def default_directory(kind: str = "kernels") -> Path | None:
    """Return where objects of a kind are kept; None if the environment names no place.

    `ECHIDNA_MCP_CACHE` comes first, then what the platform says.
    """
    if chosen := os.environ.get("ECHIDNA_MCP_CACHE"):
        return Path(chosen) / kind
    try:
        return _user_cache(Path.home()) / "echidna-mcp" / kind
    except RuntimeError:  # nobody's home is known
        return None


def _user_cache(home: Path) -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    if sys.platform == "darwin":
        return home / "Library" / "Caches"
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG specification wants relative paths ignored.
    return Path(chosen) if Path(chosen).is_absolute() else home / ".cache"


class ObjectCache:
    """Objects by key. It never fails: without a disk there are just no hits."""

    def __init__(
        self,
        directory: Path | None,
        *,
        warn: Callable[[str], None] = lambda _sentence: None,
        most_files: int = 256,
        most_bytes: int = 512 << 20,
    ) -> None:
        """Use `directory`, which need not exist; None means to keep nothing.

        Args:
            warn: told in one sentence, once, that nothing can be kept.
            most_files, most_bytes: what remains after a write, newest first.
        """
        self._directory = directory
        self._warn = warn
        self._warned = False
        self._most_files = most_files
        self._most_bytes = most_bytes
        self._used: set[str] = set()
        self.made: list[str] = []
        """The keys of what was made and put here, in order, some of them again."""

    @property
    def used(self) -> dict[str, bytes]:
        """What was found or kept here so far by this object, and still stands there.

        Another machine with the same processor can use it as well.
        """
        found = {key: self.get(key) for key in sorted(self._used)}
        return {key: content for key, content in found.items() if content is not None}

    def get(self, key: str) -> bytes | None:
        """Return the object that was put under `key`; None if there is none."""
        if self._directory is None:
            return None
        path = self._path(self._directory, key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        content = data[_DIGEST_BYTES:]
        if hashlib.sha256(content).digest() != data[:_DIGEST_BYTES]:
            return None
        # Pruning goes by last use.
        _quietly(lambda: os.utime(path))
        self._used.add(key)
        return content

    def put(self, key: str, content: bytes, *, made_here: bool = True) -> None:
        """Keep an object, replacing what stands under `key`.

        Args:
            key: names it.
            content: it.
            made_here: whether it is among `made`.
        """
        if self._directory is None:
            self._give_up("no cache directory is known; set ECHIDNA_MCP_CACHE")
            return
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._write(self._directory, key, content)
            self._used.add(key)
            if made_here:
                self.made.append(key)
            self._prune(self._directory)
        except OSError as error:
            self._give_up(f"{self._directory}: {error.strerror or error}")

    def _write(self, directory: Path, key: str, content: bytes) -> None:
        handle, name = tempfile.mkstemp(_TEMPORARY, dir=directory)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(content).digest())
                file.write(content)
            Path(name).replace(self._path(directory, key))
        except OSError:
            _quietly(Path(name).unlink)
            raise

    def _prune(self, directory: Path) -> None:
        """Delete what was not used for longest, and what a crash left behind."""
        found = []
        for path in directory.iterdir():
            if path.suffix in (_SUFFIX, _TEMPORARY):
                try:
                    status = path.stat()
                except OSError:  # another process was faster
                    continue
                found.append((status.st_mtime_ns, status.st_size, path))
        total = 0
        for number, (_, size, path) in enumerate(sorted(found, reverse=True), 1):
            total += size
            # The newest stays whatever its size: it was asked for just now.
            if number > self._most_files or (number > 1 and total > self._most_bytes):
                _quietly(path.unlink)

    def _path(self, directory: Path, key: str) -> Path:
        return directory / (key + _SUFFIX)

    def _give_up(self, reason: str) -> None:
        if not self._warned:
            self._warned = True
            self._warn(f"Compiled code is not kept for the next start ({reason}).")


@cache
def user_cache() -> ObjectCache:
    """Return the cache of the user; what it can't keep, it logs once a process."""
    return ObjectCache(default_directory(), warn=_log.warning)


def _quietly(action: Callable[[], object]) -> None:
    try:
        action()
    except OSError:
        return
