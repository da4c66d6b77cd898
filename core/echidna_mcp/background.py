"""Work in a thread that nobody has to wait for."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def begin(action: Callable[[], T], name: str) -> Future[T]:
    """Begin an action in a thread of that name; return where its result will be.

    A process that ends does not wait for it.
    """
    done: Future[T] = Future()

    def work() -> None:
        try:
            done.set_result(action())
        except BaseException as error:  # noqa: BLE001 - raised by who waits
            done.set_exception(error)

    Thread(target=work, name=name, daemon=True).start()
    return done
