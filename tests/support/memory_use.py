"""How much memory a process has, for tests that watch it over time."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

MIB = 1 << 20


def resident_bytes(pid: int | None = None) -> int:
    """Return the resident memory of a process, of this one if none is named."""
    file = Path(f"/proc/{pid or os.getpid()}/statm")
    if not file.exists():
        pytest.skip("reads /proc, which this system lacks")
    return int(file.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
