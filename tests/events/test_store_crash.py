"""A writer can be killed at any moment, and there is only one."""

from __future__ import annotations

import contextlib
import random
import subprocess
import sys
import time

import pytest

from echidna_mcp.campaign.verification import verify
from echidna_mcp.errors import StoreError
from echidna_mcp.events.event import NewEvent
from echidna_mcp.events.store import EventStore, store_path

STOPPED = NewEvent(type="CampaignStopped", round=1, payload={})
WRITER = """
import os, sys
from pathlib import Path
from echidna_mcp.events.event import NewEvent
from echidna_mcp.events.store import EventStore

path, batch, durable = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "durable"
store = EventStore.open(path) if path.exists() else EventStore.create(path)
event = NewEvent(type="RoundCommitted", round=1, payload={"pad": "x" * 150})
while True:
    last = store.append([event] * batch, durable=durable)[-1]
    os.write(1, b"%d\\n" % last.seq)
"""


@contextlib.contextmanager
def writing(path, batch, mode="normal"):
    """A process that appends for ever, and prints the seq of each finished append."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(batch), mode],
        stdout=subprocess.PIPE,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def test_kill_9_loses_no_acknowledged_event(tmp_path):
    path = store_path(tmp_path)
    rng = random.Random(7)
    count = 0
    for mode, batch in [
        ("normal", 1),
        ("normal", 200),
        ("durable", 1),
        ("durable", 20),
    ]:
        with writing(path, batch, mode) as process:
            lines = [process.stdout.readline() for _ in range(rng.randrange(5, 120))]
            process.kill()
            lines += [line for line in process.stdout if line.endswith(b"\n")]
        verified = verify(path)
        assert verified.events >= int(lines[-1]) > count
        assert (verified.events - count) % batch == 0
        count = verified.events
    with EventStore.open(path) as store:
        (event,) = store.append([STOPPED])
        assert event.seq == count + 1


@pytest.mark.parametrize("delay", [0, 1, 2, 5])
def test_a_writer_killed_while_it_makes_the_store_is_not_in_the_way(tmp_path, delay):
    path = store_path(tmp_path)
    with writing(path, 1) as process:
        while not path.exists():
            assert process.poll() is None
        time.sleep(delay / 1000)
    with contextlib.suppress(StoreError):  # There are no events yet, or there are.
        EventStore.create(path).close()
    with EventStore.open(path) as store:
        (event,) = store.append([STOPPED])
    assert verify(path).events == event.seq


def test_a_second_writer_is_refused_until_the_first_is_gone(tmp_path):
    path = store_path(tmp_path)
    with writing(path, 1) as process:
        process.stdout.readline()
        who = rf"in use by another campaign \(process {process.pid}\)"
        for opener in (EventStore.open, EventStore.create):
            with pytest.raises(StoreError, match=who):
                opener(path)
        with EventStore.read_only(path) as reader:
            assert reader.count >= 1
    with EventStore.open(path), pytest.raises(StoreError, match="in use by another"):
        EventStore.open(path)
    EventStore.open(path).close()


def test_readers_in_another_process_see_a_dense_log_while_it_grows(tmp_path):
    path = store_path(tmp_path)
    with writing(path, 7) as process:
        process.stdout.readline()
        with EventStore.read_only(path) as reader:
            seen = 0
            while seen < 2000:
                acknowledged = int(process.stdout.readline())
                fresh = [event.seq for event in reader.read(after=seen)]
                assert fresh == list(range(seen + 1, seen + len(fresh) + 1))
                seen += len(fresh)
                assert seen >= acknowledged
                assert seen % 7 == 0
            assert verify(path).events >= seen
