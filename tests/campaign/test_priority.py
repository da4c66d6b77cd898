"""Fuzzing that is asked to be nice asks the scheduler for less than others."""

from __future__ import annotations

import ctypes
import os
import platform
import struct

import pytest
from rivals import in_thread, needs_linux

from echidna_mcp.kernel.language.processor import is_polite
from echidna_mcp_plugins.executors.priority import SLICE_NANOSECONDS, lower_priority

pytestmark = needs_linux

NICE = 3
LAYOUT = struct.Struct("IIQiIQQQ")
SCHED_GETATTR = {"x86_64": 315, "aarch64": 275}


def attributes() -> tuple[int, int, int]:
    """Return policy, niceness and slice of this thread."""
    buffer = ctypes.create_string_buffer(LAYOUT.size)
    number = SCHED_GETATTR[platform.machine()]
    assert ctypes.CDLL(None).syscall(number, 0, buffer, LAYOUT.size, 0) == 0
    _, policy, _, niceness, _, runtime, _, _ = LAYOUT.unpack(buffer.raw)
    return policy, niceness, runtime


def lowered(policy: int | None = None) -> tuple[int, int, int]:
    """Return the attributes of a thread that has lowered its priority."""

    def work() -> tuple[int, int, int]:
        if policy is not None:
            os.sched_setscheduler(0, policy, os.sched_param(0))
        lower_priority(NICE)
        return attributes()

    return in_thread(work)


def test_a_thread_lowers_its_own_priority_alone():
    policy, niceness, slice_before = attributes()
    assert lowered()[:2] == (policy, min(niceness + NICE, 19))
    assert attributes() == (policy, niceness, slice_before)


def test_who_is_not_asked_to_be_nice_is_not():
    def work() -> tuple[tuple[int, int, int], tuple[int, int, int], bool]:
        before = attributes()
        lower_priority(0)
        return before, attributes(), is_polite()

    before, after, polite = in_thread(work)
    assert before == after
    assert polite == (before[1] > 0)


def test_a_thread_knows_that_it_is_nice():
    def work() -> bool:
        lower_priority(NICE)
        return is_polite()

    assert in_thread(work)


def test_its_policy_is_left_to_who_has_chosen_it():
    assert lowered(os.SCHED_BATCH)[0] == os.SCHED_BATCH


def test_it_asks_for_short_slices_where_there_are_such():
    release = tuple(int(part) for part in platform.release().split(".")[:2])
    if release < (6, 12):
        pytest.skip("slices can be chosen from Linux 6.12 on")
    assert lowered()[2] == SLICE_NANOSECONDS
