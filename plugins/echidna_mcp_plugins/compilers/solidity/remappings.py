"""Import remappings, exactly as solc applies them.

Source: Solidity documentation, "Import Remapping": `context:prefix=target`; the longest
context wins, then the longest prefix, then the last one given.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from typing import NamedTuple


class Remapping(NamedTuple):
    """Replaces `prefix` by `target` in imports of files whose name has `context`."""

    context: str
    prefix: str
    target: str

    def __str__(self) -> str:
        context = f"{self.context}:" if self.context else ""
        return f"{context}{self.prefix}={self.target}"


def parse_remapping(text: str) -> Remapping | None:
    """Return the remapping that a line describes, or None if it describes none."""
    left, equals, target = text.strip().partition("=")
    context, colon, prefix = left.rpartition(":")
    if not equals or not prefix or left.startswith("#"):
        return None
    return Remapping(context if colon else "", prefix, target)


def resolve_import(path: str, importer: str, remappings: Iterable[Remapping]) -> str:
    """Return the source unit name that `path` means in the source unit `importer`.

    The name starts with `../` where an import leaves the directory that holds the
    outermost known file; solc would silently drop the dots.
    """
    if path.startswith(("./", "../")):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(importer), path))
    best = Remapping("", "", "")
    for remapping in remappings:
        nearer = len(remapping.context) > len(best.context)
        as_near = len(remapping.context) == len(best.context)
        if (
            importer.startswith(remapping.context)
            and path.startswith(remapping.prefix)
            and (nearer or (as_near and len(remapping.prefix) >= len(best.prefix)))
        ):
            best = remapping
    return best.target + path[len(best.prefix) :]
