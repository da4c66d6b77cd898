"""Which asset has which guid: an index of the `.meta` files of a project."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from echidna_mcp_plugins.editor.unity.errors import UnityProjectError
from echidna_mcp_plugins.editor.unity.paths import ProjectFiles, Stamp

# In this order, the first of two assets with one guid counts.
_FOLDERS: Final = ("Assets", "Packages", "Library/PackageCache")
_OWN: Final = ("Assets/", "Packages/")
_GUID: Final = re.compile(rb"^guid: *([0-9a-f]{32})", re.MULTILINE)
_MOST_META: Final = 1024
"""Bytes of a `.meta` that are read; the guid stands in its second line."""

BUILT_IN: Final[Mapping[str, str]] = {
    "0000000000000000d000000000000000": "Library/unity editor resources",
    "0000000000000000e000000000000000": "Library/unity default resources",
    "0000000000000000f000000000000000": "Resources/unity_builtin_extra",
}
"""Assets that Unity brings: no project has files for them."""


@dataclass(frozen=True, slots=True)
class AssetIndex:
    """The assets of a project at one moment; paths are from its root.

    Attributes:
        by_guid: path of an asset.
        own: paths of the project's own files, sorted; packages that Unity has
            downloaded are left out.
    """

    by_guid: Mapping[str, str]
    own: tuple[str, ...]

    def ending(self, suffix: str) -> list[str]:
        """Return the project's own files whose names end so, sorted."""
        return [path for path in self.own if path.endswith(suffix)]


class GuidReader:
    """Reads the guids of a project; those of files that have not changed only once."""

    def __init__(self, files: ProjectFiles) -> None:
        self._files = files
        self._known: Mapping[str, tuple[Stamp, str]] = {}

    def read(self) -> AssetIndex:
        """Return the assets as they are now.

        Time and size of every `.meta` are looked at each time, so that an answer never
        depends on what was asked before.
        """
        known: dict[str, tuple[Stamp, str]] = {}
        by_guid: dict[str, str] = {}
        own: list[str] = []
        for folder in _FOLDERS:
            entries = dict(self._files.walk(folder))
            for path in sorted(entries):
                if path.endswith(".meta"):
                    continue
                if path.startswith(_OWN):
                    own.append(path)
                meta = entries.get(path + ".meta")
                if meta is None:
                    continue
                try:
                    found = meta.stat(follow_symlinks=False)
                except OSError:  # removed meanwhile
                    continue
                stamp = Stamp(found.st_mtime_ns, found.st_size)
                before = self._known.get(path)
                guid = before[1] if before and before[0] == stamp else self._guid(path)
                known[path] = stamp, guid
                if guid:
                    by_guid.setdefault(guid, path)
        self._known = known
        return AssetIndex(by_guid, tuple(own))

    def _guid(self, path: str) -> str:
        """Return the guid of an asset; empty if its `.meta` can't be read."""
        try:
            found = _GUID.search(self._files.beginning(f"{path}.meta", _MOST_META))
        except UnityProjectError:
            return ""
        return found[1].decode() if found else ""
