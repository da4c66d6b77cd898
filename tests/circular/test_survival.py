"""Nothing is certified twice, whoever is killed whenever."""

from __future__ import annotations

import asyncio
import random
import socket

from echidna_mcp_plugins.circular.chain_view import ChainTransaction
from echidna_mcp_plugins.circular.devnet.calls import transaction_json
from echidna_mcp_plugins.circular.devnet.store import ChainStore

DOCUMENTS = 140
KILLS = 12
SHARED = 120
SHARED_KILLS = 6


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def certified(directory):
    """Return nonce, id and data of every certificate in a directory of a devnet."""
    store = ChainStore(directory)
    try:
        return certified_on(store)
    finally:
        store.close()


def certified_on(store):
    """Return nonce, id and data of every certificate of a chain."""
    rows = store.open_transactions()
    for block in store.blocks(0, store.block_count()):
        rows += [store.transaction(each) for each in block.transactions]
    found = []
    for row in rows:
        data = ChainTransaction.of(transaction_json(row), row.id).certified()
        if data is not None:
            found.append((row.nonce, row.id, bytes.fromhex(data).decode()))
    return sorted(found)


def assert_complete(found, results, count):
    assert [nonce for nonce, _, _ in found] == list(range(1, count + 1))
    assert sorted(data for _, _, data in found) == sorted(
        f"document {number}" for number in range(count)
    )
    for _, identity, data in found:
        number = data.removeprefix("document ")
        assert (results / number).read_text("ascii") == identity


async def test_kills_of_client_and_devnet_make_nothing_happen_twice(lab, start_program):
    chance = random.Random(20)
    chain, place = lab.directory / "chain", lab.directory / "client"
    port = free_port()
    discovery = f"http://127.0.0.1:{port}/network/getNAG"
    environment = lab.environment(discovery)

    async def started(program, *arguments, variables):
        process = await start_program(program, *arguments, environment=variables)
        assert await process.stdout.readline()
        return process

    async def killed(process):
        process.kill()
        await process.communicate()

    async def devnet():
        return await started("run_devnet.py", chain, port, variables={})

    async def client():
        return await started(
            "certify_all.py", place, discovery, 0, DOCUMENTS, variables=environment
        )

    def done():
        return len([*(place / "results").glob("[0-9]*")])

    node, user = await asyncio.gather(devnet(), client())
    for turn in range(KILLS):
        enough = turn * (DOCUMENTS - 20) // KILLS
        await lab.until(lambda: done() >= enough, f"{enough} results")  # noqa: B023
        await asyncio.sleep(chance.uniform(0.0, 0.02))
        assert done() < DOCUMENTS
        if turn % 3 == 2:
            await killed(node)
            node = await devnet()
        else:
            await killed(user)
            user = await client()
    _, errors = await user.communicate()
    assert user.returncode == 0, errors.decode()
    await killed(node)
    assert_complete(certified(chain), place / "results", DOCUMENTS)


async def test_kills_of_processes_that_share_a_directory_make_nothing_happen_twice(
    lab, devnet, start_program
):
    chance = random.Random(21)
    place = lab.directory / "client"
    environment = lab.environment(devnet.discovery)
    half = SHARED // 2

    async def client(which):
        user = await start_program(
            "certify_all.py",
            *(place, devnet.discovery, which * half, (which + 1) * half),
            environment=environment,
        )
        assert await user.stdout.readline()
        return user

    def done(which):
        own = range(which * half, (which + 1) * half)
        return sum((place / "results" / str(number)).exists() for number in own)

    async def killed_again_and_again(which):
        user = await client(which)
        for turn in range(SHARED_KILLS):
            enough = turn * (half - 20) // SHARED_KILLS
            await lab.until(lambda: done(which) >= enough, f"{enough} results")  # noqa: B023
            await asyncio.sleep(chance.uniform(0.0, 0.02))
            assert done(which) < half
            user.kill()
            await user.communicate()
            user = await client(which)
        _, errors = await user.communicate()
        assert user.returncode == 0, errors.decode()

    await asyncio.gather(killed_again_and_again(0), killed_again_and_again(1))
    found = certified_on(devnet.chain.store)
    assert_complete(found, place / "results", SHARED)


async def test_a_kill_between_acceptance_and_answer_certifies_once(
    lab, devnet, start_program
):
    """The node has it, its answer is lost, and the client dies in its next pause."""
    place = lab.directory / "client"
    environment = lab.environment(devnet.discovery)
    arguments = "certify_all.py", place, devnet.discovery
    async with lab.client(devnet, place="registrar") as session:
        wallet = session.wallet("testnet", None)
        await session.register_on_devnet(session.nag("testnet"), wallet)
    for count in (1, 2):
        await lab.order(devnet, "outage", method="AddTransaction", processed=True)
        await lab.order(devnet, "slow", seconds=600, method="AddTransaction")
        user = await start_program(*arguments, 0, count, environment=environment)
        await lab.until(lambda: devnet.faults.planned == 0, "the second attempt")
        user.kill()
        await user.communicate()
        assert not (place / "results" / str(count - 1)).exists()
        user = await start_program(*arguments, 0, count, environment=environment)
        _, errors = await user.communicate()
        assert user.returncode == 0, errors.decode()
    ids = {(place / "results" / str(number)).read_text() for number in range(2)}
    row = devnet.chain.store.wallet(wallet.address)
    assert row.nonce == len(ids) == 2
