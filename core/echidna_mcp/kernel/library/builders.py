"""Building several objects at the same time.

LLVM works for one thread of a process at a time (llvmlite sees to that), so all objects
but the first are built in processes of their own. One that fails does no harm: its
object is built here.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from typing import Final

from echidna_mcp.background import begin
from echidna_mcp.kernel.library.build import BuildOptions, build

COMMAND: Final = (sys.executable, "-P", "-m", "echidna_mcp.kernel.library.builders")
MOST_SECONDS: Final = 60


def build_all(texts: Sequence[str], options: BuildOptions) -> list[bytes]:
    """Return an object file for each text of IR.

    Raises:
        KernelBuildError: LLVM refuses the IR.
    """
    first, *others = texts
    begun = [
        begin(partial(_build_elsewhere, text, options), "kernel-builder")
        for text in others
    ]
    objects = [build(first, options)]
    for text, future in zip(others, begun, strict=True):
        objects.append(future.result() or build(text, options))
    return objects


def _build_elsewhere(text: str, options: BuildOptions) -> bytes:
    """Return an object that another process has built; nothing if that fails."""
    try:
        # A session of its own: a ctrl-C in the terminal is not for it.
        child = subprocess.run(  # noqa: S603 - our own module
            COMMAND,
            input=pickle.dumps((text, options)),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=MOST_SECONDS,
            check=True,
            start_new_session=True,
        )
    except (OSError, subprocess.SubprocessError):
        return b""
    return child.stdout


def main() -> None:
    """Read IR and options, write the object."""
    text, options = pickle.load(sys.stdin.buffer)  # noqa: S301 - of our parent
    sys.stdout.buffer.write(build(text, options))


if __name__ == "__main__":
    main()
