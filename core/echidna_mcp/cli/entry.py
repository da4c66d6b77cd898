"""The console script: it loads the commands, and a ctrl-C meanwhile is no traceback.

This module is imported again in every process that is spawned, so it imports nothing
but what Python itself has imported before.
"""

from __future__ import annotations

import _thread
import gc
import sys
import time

_AGAIN_SECONDS = 0.01
_NEW_OBJECTS = 100_000
"""How many come before the collector looks for cycles again. Modules and syntax trees
make hundreds of thousands that stay: with Python's 700, to look through them over and
over takes a seventh of the time until a campaign begins."""


def main() -> None:
    """Run the command line."""
    _hear_every_interrupt()
    gc.set_threshold(_NEW_OBJECTS)
    try:
        from echidna_mcp.cli.main import main as run  # noqa: PLC0415

        run()
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted.\n")
        sys.exit(130)


def _hear_every_interrupt() -> None:
    """Interrupt again if what a signal raised was swallowed where nothing may raise.

    A signal is heard between any two instructions, such as in a callback of a weak
    reference, of which every import makes some. Python prints there what was raised,
    and goes on; the program could not be ended by a signal any more.
    """
    before = sys.unraisablehook

    def swallowed(unraisable: sys.UnraisableHookArgs) -> None:
        if unraisable.exc_type is KeyboardInterrupt:
            _thread.start_new_thread(_interrupt_soon, ())
        else:
            before(unraisable)

    sys.unraisablehook = swallowed


def _interrupt_soon() -> None:
    import signal  # noqa: PLC0415 - once in a life

    time.sleep(_AGAIN_SECONDS)  # Out of the callback.
    for number in (signal.SIGINT, signal.SIGTERM):
        if callable(signal.getsignal(number)):
            _thread.interrupt_main(number)
            return
