"""Building hot code in a process of its own, which may die without harm."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import cast

from echidna_mcp.errors import KernelBuildError
from echidna_mcp_plugins.native.hot.build import HotObject, HotRequest, build_hot

MOST_SECONDS = 300
LENGTH_BYTES = 8
COMMAND = (sys.executable, "-P", "-m", "echidna_mcp_plugins.native.hot.child")


def build_elsewhere(requests: Sequence[HotRequest]) -> list[HotObject]:
    """Return what `build_hot` returns for each request, from another process.

    Raises:
        KernelBuildError: it has failed, or was ended by LLVM.
        OSError: no process can be started.
    """
    data = pickle.dumps(requests)
    # A session of its own: a ctrl-C in the terminal is not for it.
    with subprocess.Popen(  # noqa: S603 - our own module
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as child:
        assert child.stdin
        assert child.stdout
        assert child.stderr
        limit = threading.Timer(MOST_SECONDS, child.kill)
        limit.daemon = True
        limit.start()
        try:
            # Its input stays open: at the end of it, the child knows us gone.
            child.stdin.write(len(data).to_bytes(LENGTH_BYTES, "little") + data)
            child.stdin.flush()
            answer = child.stdout.read()
            complaint = child.stderr.read().decode(errors="replace")
        except BrokenPipeError:
            with suppress(BrokenPipeError):  # What it did not take is still in here.
                child.stdin.close()
            answer, complaint = b"", child.stderr.read().decode(errors="replace")
        finally:
            limit.cancel()
    if child.returncode == 0:
        return cast("list[HotObject]", pickle.loads(answer))  # noqa: S301 - of our own child
    lines = complaint.strip().splitlines() or ["it said nothing"]
    raise KernelBuildError(
        f"The compiler ended with status {child.returncode}: {lines[-1]}."
    )


def main() -> None:
    """Read requests, write the objects."""
    size = int.from_bytes(_read(LENGTH_BYTES), "little")
    requests: Sequence[HotRequest] = pickle.loads(_read(size))  # noqa: S301 - of our parent
    threading.Thread(target=_follow, daemon=True).start()
    sys.stdout.buffer.write(pickle.dumps([build_hot(each) for each in requests]))
    sys.stdout.buffer.flush()
    os._exit(0)  # Python would wait for the thread.


def _read(size: int) -> bytes:
    """Return so many bytes of the input, or what there is."""
    found = b""
    while len(found) < size and (
        more := os.read(sys.stdin.fileno(), size - len(found))
    ):
        found += more
    return found


def _follow() -> None:
    """End with the parent."""
    os.read(sys.stdin.fileno(), 1)
    os._exit(1)


if __name__ == "__main__":
    main()
