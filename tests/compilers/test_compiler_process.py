"""A compiler is a process of its own: whoever is interrupted leaves none behind."""

from __future__ import annotations

import subprocess
import sys

import pytest
from live_server import survivors, until

# Python calls a hook as soon as the process has been started, and nobody has it yet.
INTERRUPTED_WHILE_IT_STARTS = """
import os, signal, subprocess, sys, threading
from echidna_mcp_plugins.compilers import process

def interrupt(frame, event, _):
    if event == "return" and frame.f_code is subprocess.Popen._execute_child.__code__:
        print(frame.f_locals["self"].pid, flush=True)
        os.kill(os.getpid(), signal.SIGINT)

sys.setprofile(interrupt)
threading.setprofile(interrupt)
try:
    process.run(["sleep", "600"])
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such signals")
def test_an_interrupt_while_a_compiler_starts_leaves_none():
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_WHILE_IT_STARTS],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    compiler, told = done.stdout.splitlines()
    assert told == "interrupted"
    # It leads a group of its own.
    until(lambda: not survivors(int(compiler)), "the compiler to end")
