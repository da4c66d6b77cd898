"""Work in a thread, which nobody has to wait for."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def begin(action: Callable[[], T], name: str, *, awaited: bool = False) -> Future[T]:
    """Begin an action in a thread of that name; return where its result will be.

    A process that ends does not wait for it, unless it is to be `awaited`.
    """
    done: Future[T] = Future()
    # It runs from now on, so nobody can cancel it who only stops waiting.
    done.set_running_or_notify_cancel()

    def work() -> None:
        try:
            done.set_result(action())
        except BaseException as error:  # noqa: BLE001 - raised by who waits
            done.set_exception(error)

    Thread(target=work, name=name, daemon=not awaited).start()
    return done
