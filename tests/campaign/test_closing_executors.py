"""An executor that is closed while tasks wait ends, whatever its threads take."""

from __future__ import annotations

import threading
from queue import SimpleQueue
from typing import Any

from echidna_mcp_plugins.executors.threads import ThreadExecutor

AT_ONCE = 60.0
"""Seconds in which it must be over, on any machine."""


class Taken(SimpleQueue[Any]):
    """A queue whose last item another thread takes as soon as somebody looks."""

    def empty(self) -> bool:
        was_empty = super().empty()
        if not was_empty:
            self.get()
        return was_empty


def test_closing_does_not_wait_for_a_task_that_a_thread_has_just_taken():
    executor = ThreadExecutor(1)
    executor._tasks = Taken()
    executor._tasks.put(None)
    closing = threading.Thread(target=executor.close, daemon=True)
    closing.start()
    closing.join(AT_ONCE)
    assert not closing.is_alive()
