"""The priority of fuzzing that steps back: every free core, but others go first."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from types import MappingProxyType
from typing import Final

SLICE_NANOSECONDS: Final = 500_000
"""What Linux grants at a time, from 6.12 on. Who gives way gives up its slice
(`kernel.language.processor`): with the usual one of some milliseconds, fuzzing beside
other programs would have a third of the processor time that its niceness promises. With
one shorter than those of others it would be served before them."""

_SCHED_SETATTR: Final = MappingProxyType({"x86_64": 314, "aarch64": 274})
"""Number of the system call; the C library has no function for it."""
_SCHED_ATTR: Final = struct.Struct("IIQiIQQQ")
"""`struct sched_attr` in its first version: size, policy, flags, niceness, priority,
runtime, deadline, period. Of an ordinary thread the runtime is the slice."""
_KEEP_POLICY: Final = 0x08


def lower_priority(nice: int) -> None:
    """Let others go first, from now on: before this thread on Linux, else the process.

    A system that can't do a part of it does without.

    Args:
        nice: by how much; 0 changes nothing.
    """
    if not nice or not hasattr(os, "nice"):
        return
    niceness = os.nice(nice)
    number = _SCHED_SETATTR.get(platform.machine())
    if sys.platform == "linux" and number is not None:
        attributes = _SCHED_ATTR.pack(
            _SCHED_ATTR.size, 0, _KEEP_POLICY, niceness, 0, SLICE_NANOSECONDS, 0, 0
        )
        ctypes.CDLL(None).syscall(number, 0, attributes, 0)
