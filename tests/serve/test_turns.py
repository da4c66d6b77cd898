"""Requests that wait: one begins in each round of the event loop."""

from __future__ import annotations

import asyncio

import pytest

from echidna_mcp.server.turns import Turns


async def begin(turns: Turns, names: str, *leaving: str) -> str:
    """Let requests come at once, in this order; return that in which they begin."""
    begun: list[str] = []

    async def request(name: str) -> None:
        await turns.wait()
        begun.append(name)

    tasks = {name: asyncio.create_task(request(name)) for name in names}
    await asyncio.sleep(0)
    assert len(begun) == 1
    for name in leaving:
        tasks[name].cancel()
    await asyncio.gather(*tasks.values(), return_exceptions=True)
    return "".join(begun)


async def test_the_newest_and_the_oldest_begin_by_turns():
    assert await begin(Turns(), "abcdefg") in {"abgcfde", "agbfced"}


async def test_all_begin_but_those_that_have_left():
    assert sorted(await begin(Turns(), "abcdefg", "c", "g", "d")) == list("abef")


async def test_what_came_before_does_not_matter():
    turns = Turns()
    for _ in range(3):
        assert sorted(await begin(turns, "abcd")) == list("abcd")


async def test_who_is_alone_does_not_wait():
    turns = Turns()
    for _ in range(3):
        waiting = turns.wait()
        with pytest.raises(StopIteration):
            waiting.send(None)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
