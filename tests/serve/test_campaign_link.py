"""The server's end of the pipe: followers see every event once."""

from __future__ import annotations

import asyncio

from campaigns import small_config, started

from echidna_mcp.demo import load_demo
from echidna_mcp.events.store import store_path
from echidna_mcp.server.campaign_link import CampaignLink
from echidna_mcp.server.campaign_messages import CampaignSpec, Committed


def test_a_follower_sees_every_event_once_though_the_store_runs_ahead(tmp_path):
    spec = CampaignSpec(
        store=store_path(tmp_path),
        plugins="default",
        backend="py-evm",
        executor="inline",
        keep_going=False,
    )

    async def follow_a_store_that_grows() -> list[int]:
        link = CampaignLink(spec)
        seen: list[int] = []
        with started(tmp_path, load_demo(), small_config()) as running:
            link._on_message(Committed(running.events[-1].seq))
            running.rounds(1)  # The server has not heard of it yet.
            link.follow(lambda events: seen.extend(event.seq for event in events))
            running.rounds(1)
            link._on_message(Committed(running.events[-1].seq))
            assert seen == [event.seq for event in running.events]
        assert link._store is not None
        link._store.close()
        return seen

    assert asyncio.run(follow_a_store_that_grows())
