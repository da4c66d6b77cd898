"""A pure function, computed in a process that has done nothing else.

What went wrong because of what a process had done before, or because of what else it
was doing, does not go wrong here.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, ParamSpec, Protocol, TypeVar

from echidna_mcp.campaign.interrupts import interrupts_blocked
from echidna_mcp.tracebacks import traceback_text

P = ParamSpec("P")
T = TypeVar("T")


class FreshProcessError(Exception):
    """The function failed there as well; its text is the traceback, or how it ended."""


class Elsewhere(Protocol):
    """Computes a function at another place, which shares nothing with this one."""

    def __call__(
        self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Return what it returns.

        Raises:
            FreshProcessError: it failed.
        """
        ...


def in_fresh_process(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what a function of a module returns; all of it must be picklable.

    Raises:
        FreshProcessError: it raised an exception, or the process died.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(
        target=_compute,
        args=(theirs, function, args, kwargs),
        name="echidna-mcp-fresh",
        daemon=True,
    )
    try:
        with interrupts_blocked():
            process.start()
    except (AttributeError, TypeError, pickle.PicklingError) as error:
        raise FreshProcessError(f"no other process can be told: {error}") from error
    finally:
        theirs.close()
    answer: tuple[bool, Any]
    try:
        answer = ours.recv()
    except (EOFError, OSError):
        process.join()
        raise FreshProcessError(
            f"the process ended with code {process.exitcode}"
        ) from None
    finally:
        ours.close()
        process.kill()  # It has answered, or whoever waits for it has been interrupted.
        process.join()
    done, value = answer
    if not done:
        raise FreshProcessError(value)
    result: T = value
    return result


def _compute(
    connection: Connection,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> None:
    """Send the result, or the traceback. Runs in the fresh process."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # Who asked ends us.
    try:
        answer = (True, function(*args, **kwargs))
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is told
        answer = (False, traceback_text(error))
    connection.send(answer)
