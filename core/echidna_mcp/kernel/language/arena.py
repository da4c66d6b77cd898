"""Large zeroed memory that costs nothing until it is touched."""

from __future__ import annotations

import mmap
import sys

_LINUX_NORESERVE = 0x4000
"""`MAP_NORESERVE`, which Python's `mmap` does not name everywhere."""


def arena(size: int) -> memoryview:
    """Return `size` bytes of zeros, for records and compiled code.

    The operating system commits pages when they are first written, so a reserve of
    gigabytes is fine. The memory goes back when nothing refers to it any more;
    `.cast("Q")` makes `Words` of it.

    Raises:
        OSError: there is not so much address space.
    """
    if size == 0:
        return memoryview(bytearray())
    if sys.platform == "win32":
        return memoryview(mmap.mmap(-1, size))
    # Private: shared pages would be one memory for all forked processes.
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    if sys.platform == "linux":
        flags |= _LINUX_NORESERVE
    return memoryview(mmap.mmap(-1, size, flags=flags))
