"""Fuzzing asks the scheduler for less than others."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
import threading

import pytest

from echidna_mcp_plugins.executors.priority import (
    NICENESS,
    SLICE_NANOSECONDS,
    lower_priority,
)

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux has priorities of threads"
)

LAYOUT = struct.Struct("IIQiIQQQ")
SCHED_GETATTR = {"x86_64": 315, "aarch64": 275}
BATCH = 3


def attributes() -> tuple[int, int, int]:
    """Return policy, niceness and slice of this thread."""
    buffer = ctypes.create_string_buffer(LAYOUT.size)
    number = SCHED_GETATTR[platform.machine()]
    assert ctypes.CDLL(None).syscall(number, 0, buffer, LAYOUT.size, 0) == 0
    _, policy, _, niceness, _, runtime, _, _ = LAYOUT.unpack(buffer.raw)
    return policy, niceness, runtime


def lowered(policy: int | None = None) -> tuple[int, int, int]:
    """Return the attributes of a thread that has lowered its priority."""
    found: list[tuple[int, int, int]] = []

    def work() -> None:
        if policy is not None:
            os.sched_setscheduler(0, policy, os.sched_param(0))
        lower_priority()
        found.append(attributes())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return found[0]


def test_a_thread_lowers_its_own_priority_alone():
    policy, niceness, slice_before = attributes()
    assert lowered()[:2] == (policy, min(niceness + NICENESS, 19))
    assert attributes() == (policy, niceness, slice_before)


def test_its_policy_is_left_to_who_has_chosen_it():
    assert lowered(BATCH)[0] == BATCH


def test_it_asks_for_short_slices_where_there_are_such():
    release = tuple(int(part) for part in platform.release().split(".")[:2])
    if release < (6, 12):
        pytest.skip("slices can be chosen from Linux 6.12 on")
    assert lowered()[2] == SLICE_NANOSECONDS
