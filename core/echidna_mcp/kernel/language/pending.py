"""Failures of Python, or of checked memory, while compiled code was running.

Compiled code can't carry an exception. It is remembered in the thread that runs the
code, and raised when the call returns (`kernel.library.calling`).
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from operator import index

CALLBACK = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64)
"""The C type of `Callable[[u64], u64]`."""


class Pending(threading.local):
    """What is to be raised in this thread; the first failure counts.

    Attributes:
        failed: whether there is anything.
    """

    failed = False
    _error: BaseException | None = None
    _site: int | None = None

    def put_error(self, error: BaseException) -> None:
        """Remember the exception of a callback."""
        if not self.failed:
            self._error = error
            self.failed = True

    def put_site(self, site: int) -> None:
        """Remember the number of a check that failed (checked mode)."""
        if not self.failed:
            self._site = site
            self.failed = True

    def take(self) -> tuple[BaseException | None, int | None]:
        """Return exception or site, and forget them."""
        found = self._error, self._site
        self.failed, self._error, self._site = False, None, None
        return found


PENDING = Pending()
"""One per process because callbacks from C have no other way to find their caller."""


def guarded(function: Callable[[int], int]) -> Callable[[int], int]:
    """Return `function` for use as a callback: it remembers what it raises.

    After a failure it does nothing and returns 0 until the compiled call has returned.
    """

    def call(value: int) -> int:
        if PENDING.failed:
            return 0
        try:
            return index(function(value))
        except BaseException as error:  # noqa: BLE001 - raised when the call returns
            PENDING.put_error(error)
            return 0

    return call
