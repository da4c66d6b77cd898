"""Files that were read before, as long as they have not changed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final

from echidna_mcp_plugins.editor.unity.documents import Documents, read_documents
from echidna_mcp_plugins.editor.unity.paths import ProjectFiles, Stamp

_MOST_BYTES: Final = 64 << 20
"""Of files that are kept; what is read from one takes several times its size."""


class DocumentCache:
    """Documents by path, kept while time and size of their file stay the same.

    It may be used by several threads. What was read longest ago is forgotten first.

    Args:
        most: bytes of all files that are kept.
    """

    def __init__(self, files: ProjectFiles, most: int = _MOST_BYTES) -> None:
        self._files = files
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[Stamp, Documents]] = OrderedDict()
        self._size = 0

    def read(self, path: str) -> Documents:
        """Return the documents of an asset.

        Raises:
            UnityProjectError: it does not exist, or is not what Unity writes as text.
        """
        # Before reading: a file that is written meanwhile is read again next time.
        stamp = self._files.stamp(path)
        with self._lock:
            kept = self._kept.get(path)
            if kept is not None and kept[0] == stamp:
                self._kept.move_to_end(path)
                return kept[1]
        documents = read_documents(self._files.read(path), path)
        with self._lock:
            if replaced := self._kept.pop(path, None):
                self._size -= replaced[0].size
            self._kept[path] = stamp, documents
            self._size += stamp.size
            while self._size > self._most:
                _, (dropped, _) = self._kept.popitem(last=False)
                self._size -= dropped.size
        return documents
