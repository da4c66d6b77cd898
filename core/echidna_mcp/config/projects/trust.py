"""What a project may not decide about the machine on which it is fuzzed.

A file that was found in a project says how that is fuzzed. What else may be read, what
is run and where is written, only the user decides: on the command line, or by naming
the file (`--config`), which then is the user's own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from echidna_mcp.config.document import Entry
from echidna_mcp.config.projects.kind import Remark
from echidna_mcp.errors import ConfigError

UNHEARD: Final = ("allowFFI",)
"""What a project may wish for in vain: many do that need it nowhere."""
_NEVER: Final = ("allowPaths", "plugins")
_PATHS: Final = ("corpusDir", "target")
_ARGUMENTS: Final = ("solcArgs", "cryticArgs")
_BETWEEN_PATHS: Final = re.compile(r"[\s=,:;\"']+")


def refuse_link(file: Path, project: Path) -> None:
    """Refuse a file that leads out of its project.

    Raises:
        ConfigError: it does.
    """
    if _leads_out(file.name, project):
        raise ConfigError(
            f"{file} leads to {os.path.realpath(file)}, outside of the project; if it "
            f"may be read, give --config {file}."
        )


def distrusted(entries: Iterable[Entry], project: Path) -> Iterator[Remark]:
    """Yield a remark on each setting that a file in `project` may not make."""
    for entry in entries:
        if entry.value in (None, [], "", False):
            continue
        if entry.key in UNHEARD:
            text = (
                f"{entry.where}: `{entry.key}` is for you to decide, and does nothing "
                "here: --allow-ffi lets tests run programs."
            )
            yield Remark("idle", text, entry.key, unless=entry.key)
        elif entry.key in _NEVER:
            yield _remark(entry, "is for you to decide", unless=entry.key)
        elif entry.key in _PATHS:
            if _leads_out(str(entry.value), project):
                yield _remark(entry, "leads out of the project", unless=entry.key)
        elif entry.key in _ARGUMENTS:
            words = entry.value if isinstance(entry.value, list) else [entry.value]
            text = " ".join(map(str, words))
            if any(_leads_out(word, project) for word in _BETWEEN_PATHS.split(text)):
                yield _remark(entry, "names a path outside of the project")


def _remark(entry: Entry, why: str, unless: str = "") -> Remark:
    file = entry.where.partition(", ")[0]
    text = (
        f"{entry.where}: `{entry.key}` {why}; it counts if you name the file: "
        f"--config {file}."
    )
    return Remark("wrong", text, entry.key, unless)


def _leads_out(path: str, project: Path) -> bool:
    """Whether a path that is relative to a project leads, links followed, out of it."""
    root = os.path.realpath(project)
    try:
        real = os.path.realpath(os.path.join(root, path))  # noqa: PTH118
    except ValueError:  # a NUL: there is no such file
        return False
    return real != root and not real.startswith(os.path.join(root, ""))  # noqa: PTH118
