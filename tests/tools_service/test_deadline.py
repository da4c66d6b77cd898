"""Work that waits too long, and work that does not even wait."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from handmade_campaign import HandmadeCampaign

from echidna_mcp._generated.tools import get_corpus_size_tool, read_logs_tool
from echidna_mcp.tools import deadline
from echidna_mcp.tools.deadline import DeadlineExceededError, within
from echidna_mcp.tools.service import ToolService
from echidna_mcp.tools.stage import Stage

LONG = 60.0


@pytest.fixture
def hasty(monkeypatch):
    """Little time for a step; on a busy machine, too little for an innocent one."""
    monkeypatch.setattr(deadline, "STEP_SECONDS", 0.1)


@pytest.fixture(autouse=True)
def signals_are_left_as_they_were():
    yield
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


async def loop_for_ever() -> None:
    while True:
        pass


async def sleep_in_the_loop() -> None:
    time.sleep(LONG)  # noqa: ASYNC251


async def loop_after_a_wait() -> None:
    await asyncio.sleep(0)
    await loop_for_ever()


async def shrug_off_every_exception() -> None:
    while True:
        with suppress(Exception):
            await loop_for_ever()


async def shrug_off_the_first_interruption() -> None:
    with suppress(BaseException):
        await loop_for_ever()
    await loop_for_ever()


def loop_before_there_is_anything_to_await() -> Any:
    while True:
        pass


async def wait_and_tell(ended: asyncio.Event) -> None:
    try:
        await asyncio.sleep(LONG)
    finally:
        ended.set()


@pytest.mark.parametrize(
    "work",
    [
        loop_for_ever,
        sleep_in_the_loop,
        loop_after_a_wait,
        shrug_off_every_exception,
        shrug_off_the_first_interruption,
        loop_before_there_is_anything_to_await,
    ],
)
async def test_work_that_keeps_the_event_loop_is_interrupted(hasty, work):
    start = time.monotonic()
    with pytest.raises(DeadlineExceededError):
        await within(LONG, work)
    assert time.monotonic() - start < LONG / 2


async def test_work_that_waits_is_cancelled_at_its_deadline():
    ended = asyncio.Event()
    wait = partial(wait_and_tell, ended)
    with pytest.raises(DeadlineExceededError):
        await within(0.02, wait)
    assert ended.is_set()


async def test_work_that_is_late_but_done_keeps_its_result():
    async def compute() -> str:
        time.sleep(0.03)  # noqa: ASYNC251
        return "done"

    assert await within(0.01, compute) == "done"


async def test_what_work_waits_for_and_what_it_raises_arrive():
    future: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def add() -> int:
        await asyncio.sleep(0)
        with pytest.raises(LookupError):
            await asyncio.wait_for(failing(), 1)
        return 1 + await future

    async def failing() -> None:
        await asyncio.sleep(0.001)
        raise LookupError

    asyncio.get_running_loop().call_later(0.01, future.set_result, 41)
    assert await within(LONG, add) == 42
    with pytest.raises(LookupError):
        await within(LONG, failing)


async def test_a_timeout_of_the_work_itself_is_its_own():
    async def wait() -> None:
        async with asyncio.timeout(0.001):
            await asyncio.sleep(LONG)

    with pytest.raises(TimeoutError):
        await within(LONG, wait)


async def test_who_cancels_the_call_cancels_the_work():
    ended = asyncio.Event()
    wait = partial(wait_and_tell, ended)
    task = asyncio.create_task(within(LONG, wait))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()


async def test_many_at_once_are_told_apart():
    async def answer(number: int) -> int:
        for _ in range(number % 7):
            await asyncio.sleep(0.001)
        return number

    async def call(number: int) -> int:
        return await within(LONG, lambda: answer(number))

    assert await asyncio.gather(*map(call, range(50))) == list(range(50))


def test_beside_the_main_thread_work_is_done_without_an_eye_on_it(hasty):
    found = []

    async def compute() -> str:
        time.sleep(0.15)  # noqa: ASYNC251
        return "done"

    def run() -> None:
        found.append(asyncio.run(within(LONG, compute)))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == ["done"]


async def test_a_tool_that_hangs_ends_and_the_others_go_on(hasty, tmp_path):
    async def hang(_args: Any, _context: Any) -> None:
        await loop_for_ever()

    async def answer(_args: Any, _context: Any) -> dict[str, int]:
        return {"size": 1}

    tools = [read_logs_tool(hang), get_corpus_size_tool(answer)]
    context = HandmadeCampaign().context(tmp_path)
    service = ToolService(tools, Stage(context))
    hanging, other = await asyncio.gather(
        service.call("read_logs", {}), service.call("get_corpus_size", {})
    )
    assert hanging.error is not None
    assert hanging.error["error"]["code"] == "EXECUTION_TIMEOUT"
    assert other.content == {"size": 1}
    assert [each.error for each in service.executions.recent()].count(None) == 1
