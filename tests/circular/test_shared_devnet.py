"""The devnet of a directory is served by one of those who use it."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest

from echidna_mcp_plugins.circular.devnet.address import read_address, write_address
from echidna_mcp_plugins.circular.devnet.options import FOLDER, DevnetOptions
from echidna_mcp_plugins.circular.devnet.server import serving
from echidna_mcp_plugins.circular.devnet.shared import SharedDevnet
from echidna_mcp_plugins.circular.devnet.store import ChainStore
from echidna_mcp_plugins.circular.errors import CircularError, ErrorType
from echidna_mcp_plugins.circular.settings import Settings
from echidna_mcp_plugins.circular.tools.certify_data import certify_data
from echidna_mcp_plugins.circular.tools.session import open_session

FAST = DevnetOptions(block_seconds=0.05)
NOTHING = Settings.from_environment({})


async def certify(session, data):
    await session.follow_devnet()
    return await certify_data(session, data=data, network="testnet")


async def test_a_second_session_uses_the_devnet_of_the_first(lab):
    async with (
        open_session(NOTHING, lab.directory, devnet=FAST) as one,
        open_session(NOTHING, lab.directory, devnet=FAST) as two,
    ):
        assert one.settings.discovery == two.settings.discovery
        found = await asyncio.gather(
            *(certify(each, f"data {n}") for n, each in enumerate([one, two] * 5))
        )
    assert sorted(meta["nonce"] for _, meta in found) == list(range(1, 11))
    assert len({result["sender"] for result, _ in found}) == 1
    assert all(meta["backend"] == "local-devnet" for _, meta in found)


async def test_many_that_begin_at_once_find_one_devnet_and_one_key(lab):
    async with AsyncExitStack() as stack:

        async def begun():
            opened = open_session(NOTHING, lab.directory, devnet=FAST)
            return await stack.enter_async_context(opened)

        sessions = await asyncio.gather(*(begun() for _ in range(6)))
        assert len({each.settings.discovery for each in sessions}) == 1
        assert len({each.wallet("testnet", None).address for each in sessions}) == 1


async def test_who_is_left_takes_over_where_the_first_one_was(lab):
    async with AsyncExitStack() as stack:
        first = open_session(NOTHING, lab.directory, devnet=FAST)
        one = await first.__aenter__()
        opened = open_session(NOTHING, lab.directory, devnet=FAST)
        two = await stack.enter_async_context(opened)
        await certify(one, "first")
        await certify(two, "second")
        await first.__aexit__(None, None, None)
        before = two.settings.discovery
        _, about = await certify(two, "third")
        assert about["nonce"] == 3
        assert two.settings.discovery == before


async def test_a_port_that_somebody_else_has_by_now_is_left_to_them(lab, client):
    place = lab.directory / FOLDER
    async with open_session(NOTHING, lab.directory, devnet=FAST) as session:
        await certify(session, "first")
    old = read_address(place)
    other = serving(lab.directory / "other", port=old.port, options=FAST)
    async with other as stranger, SharedDevnet(place, client, FAST) as shared:
        # It answers as a devnet, but is another one.
        assert stranger.discovery == old.discovery
        assert await shared.discovery() != old.discovery
        assert read_address(place).discovery == await shared.discovery()


async def test_another_that_has_it_and_does_not_answer_is_told_of(lab, client):
    place = lab.directory / FOLDER
    store = ChainStore(place)
    try:
        async with SharedDevnet(place, client, FAST, seconds=0.1) as shared:
            with pytest.raises(CircularError, match="does not answer") as caught:
                await shared.discovery()
            assert caught.value.type is ErrorType.API_UNAVAILABLE
    finally:
        store.close()


async def test_an_address_that_makes_no_sense_is_as_none(lab, client):
    place = lab.directory / FOLDER
    async with SharedDevnet(place, client, FAST) as shared:
        await shared.discovery()
    address = read_address(place)
    for text in ("", "[]", "{}", '{"discovery": "x", "port": "y", "instance": ""}'):
        (place / "address.json").write_text(text)
        assert read_address(place) is None
    write_address(place, address)
    assert read_address(place) == address
