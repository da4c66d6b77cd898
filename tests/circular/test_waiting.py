"""Waiting for a transaction: when it looks, what it tells, how it ends."""

from __future__ import annotations

import asyncio

import pytest

from echidna_mcp_plugins.circular.errors import CircularError, ErrorType
from echidna_mcp_plugins.circular.tools.certify_data import certify_data
from echidna_mcp_plugins.circular.tools.get_certification_proof import (
    get_certification_proof,
)
from echidna_mcp_plugins.circular.tools.get_transaction_status import (
    get_transaction_status,
)
from echidna_mcp_plugins.circular.tools.session import POLL_SECONDS, POLLS

TESTNET = {"network": "testnet"}
NOBODY = "ab" * 32


class Clock:
    """A clock that goes on when somebody sleeps."""

    def __init__(self):
        self.now = 0.0
        self.slept = []

    def __call__(self):
        return self.now

    async def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    def timing(self, lab):
        return lab.timing(
            clock=self, sleep=self.sleep, poll_seconds=POLL_SECONDS, polls=POLLS
        )


async def certified(session, data="data"):
    return (await certify_data(session, data=data, **TESTNET)).result["transaction_id"]


async def test_it_looks_twelve_times_for_one_minute(lab):
    clock, told = Clock(), []

    async def progress(done, total, text):
        told.append((done, total, clock.now, text.rpartition(": ")[2]))

    async with (
        lab.devnet(block_seconds=None) as devnet,
        lab.client(devnet, timing=clock.timing(lab)) as session,
    ):
        identity = await certified(session)
        with pytest.raises(CircularError, match="within 60 s") as caught:
            await get_transaction_status(
                session, transaction_id=identity, progress=progress, **TESTNET
            )
    assert caught.value.type is ErrorType.TRANSACTION_TIMEOUT
    assert told == [(look + 1, 12, 5.0 * look, "Pending") for look in range(12)]
    assert clock.now == 60.0


async def test_the_time_of_a_look_counts(lab):
    clock = Clock()

    async def progress(_done, _total, _text):
        clock.now += 2.0

    async with (
        lab.devnet(block_seconds=None) as devnet,
        lab.client(devnet, timing=clock.timing(lab)) as session,
    ):
        identity = await certified(session)
        with pytest.raises(CircularError):
            await get_transaction_status(
                session, transaction_id=identity, progress=progress, **TESTNET
            )
    assert clock.slept == [3.0] * 12


async def test_looks_that_take_their_time_do_not_make_it_wait_longer(lab):
    clock = Clock()

    async def progress(_done, _total, _text):
        clock.now += 7.0

    async with (
        lab.devnet(block_seconds=None) as devnet,
        lab.client(devnet, timing=clock.timing(lab)) as session,
    ):
        identity = await certified(session)
        with pytest.raises(CircularError):
            await get_transaction_status(
                session, transaction_id=identity, progress=progress, **TESTNET
            )
    assert 60.0 <= clock.now < 68.0


async def test_it_returns_as_soon_as_the_transaction_is_executed(lab):
    clock = Clock()
    async with (
        lab.devnet(block_seconds=None) as devnet,
        lab.client(devnet, timing=clock.timing(lab)) as session,
    ):
        identity = await certified(session)

        async def progress(done, _total, _text):
            if done == 3:
                devnet.chain.mine()

        answer = await get_transaction_status(
            session, transaction_id=identity, progress=progress, **TESTNET
        )
    assert answer.result["status"] == "Executed"
    assert clock.slept == [5.0, 5.0, 5.0]


async def test_blocks_that_are_mined_meanwhile_hide_nothing(lab):
    """A look-up sees the newest ten blocks; forty are mined between two looks."""
    clock = Clock()
    async with (
        lab.devnet(block_seconds=None) as devnet,
        lab.client(devnet, timing=clock.timing(lab)) as session,
    ):
        await lab.order(devnet, "mine", blocks=30)
        identity = await certified(session)

        async def progress(done, _total, _text):
            if done == 2:
                await lab.order(devnet, "mine", blocks=40)

        answer = await get_transaction_status(
            session, transaction_id=identity, progress=progress, **TESTNET
        )
    assert answer.result["block_id"] == "31"
    assert answer.result["confirmations"] == 40


async def test_a_transaction_that_appears_late_is_seen(lab):
    clock = Clock()
    async with (
        lab.devnet(block_seconds=None) as devnet,
        lab.client(devnet, timing=clock.timing(lab)) as session,
    ):
        await certified(session)
        await lab.order(devnet, "outage", calls=4, method="AddTransaction")
        with pytest.raises(CircularError):
            await certified(session, "late")
        late = lab.begun(session, "late")
        seen = []

        async def progress(done, _total, text):
            seen.append(text.rpartition(": ")[2])
            if done == 2:
                await lab.call(devnet, "AddTransaction", **late.body())
                devnet.chain.mine()

        answer = await get_transaction_status(
            session, transaction_id=late.id, progress=progress, **TESTNET
        )
    assert seen == ["not seen yet"] * 2
    assert answer.result["status"] == "Executed"


async def test_what_was_sent_from_here_and_is_not_visible_ends_as_a_timeout(lab):
    clock = Clock()
    async with lab.devnet() as devnet, lab.client(devnet) as session:
        identity = await certified(session)
    for file in (lab.directory / "chain").iterdir():
        file.unlink()
    async with (
        lab.devnet() as devnet,
        lab.client(devnet, timing=clock.timing(lab)) as session,
    ):
        with pytest.raises(CircularError) as caught:
            await get_transaction_status(session, transaction_id=identity, **TESTNET)
        assert caught.value.type is ErrorType.TRANSACTION_TIMEOUT
        with pytest.raises(CircularError) as caught:
            await get_transaction_status(session, transaction_id=NOBODY, **TESTNET)
        assert caught.value.type is ErrorType.INVALID_INPUT


async def test_waiting_can_be_cancelled_and_leaves_nothing_behind(lab):
    async with (
        lab.devnet(block_seconds=None) as devnet,
        lab.client(devnet, timing=lab.timing(poll_seconds=600)) as session,
    ):
        identity = await certified(session)
        before = asyncio.all_tasks()
        looked = asyncio.Event()

        async def progress(_done, _total, _text):
            looked.set()

        waiting = asyncio.create_task(
            get_transaction_status(
                session, transaction_id=identity, progress=progress, **TESTNET
            )
        )
        await looked.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert asyncio.all_tasks() <= before
        await lab.order(devnet, "mine")
        answer = await get_transaction_status(
            session, transaction_id=identity, **TESTNET
        )
    assert answer.result["status"] == "Executed"


async def test_a_chain_that_verifies_shows_it_before_it_executes(lab):
    async with (
        lab.devnet(block_seconds=None, verify=True) as devnet,
        lab.client(devnet) as session,
    ):
        identity = await certified(session)
        found = []
        for _ in range(3):
            answer = await get_transaction_status(
                session, transaction_id=identity, wait_for_execution=False, **TESTNET
            )
            found.append(answer.result["status"])
            devnet.chain.mine()
        with pytest.raises(CircularError, match="no transaction"):
            await get_certification_proof(session, transaction_id=NOBODY, **TESTNET)
    assert found == ["Pending", "Verified", "Executed"]


async def test_time_and_confirmations_are_those_of_the_block(lab):
    async with (
        lab.devnet(block_seconds=None) as devnet,
        lab.client(devnet) as session,
    ):
        identity = await certified(session)
        await lab.order(devnet, "mine", blocks=3)
        answer = await get_transaction_status(
            session, transaction_id=identity.upper(), **TESTNET
        )
        (block,) = devnet.chain.store.blocks(1, 1)
    assert answer.result["transaction_id"] == identity.upper()
    assert answer.result["block_id"] == "1"
    assert answer.result["confirmations"] == 3
    assert answer.result["timestamp"] == block.timestamp
    day, time = block.timestamp.split("-")
    assert answer.result["executed_at"] == f"{day.replace(':', '-')}T{time}Z"
