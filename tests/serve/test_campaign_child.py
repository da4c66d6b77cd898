"""The campaign process is started before it is known what it shall do."""

from __future__ import annotations

import subprocess

from campaigns import small_config
from live_server import STOP_SECONDS, command, survivors, until

from echidna_mcp.demo import load_demo
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.server.campaign_child import CampaignChild
from echidna_mcp.server.campaign_messages import CampaignSpec, Committed, Opened


def test_it_runs_the_campaign_that_it_is_told(tmp_path):
    spec = CampaignSpec(
        store=store_path(tmp_path),
        plugins="default",
        backend="native",
        executor="inline",
        keep_going=False,
        program=load_demo(),
        config=small_config(test_limit=100),
    )
    with CampaignChild() as child:
        child.begin(spec)
        assert child.connection.recv() == Opened(spec.store)
        assert isinstance(child.connection.recv(), Committed)
        child.process.join(STOP_SECONDS)
        assert child.process.exitcode == 0
    with EventStore.read_only(spec.store) as store:
        last = store.last()
    assert last is not None
    assert last.type == "CampaignStopped"


def test_it_leaves_when_it_is_told_nothing():
    with CampaignChild() as child:
        child.connection.close()
        child.process.join(STOP_SECONDS)
        assert child.process.exitcode == 0


def test_it_is_ended_with_its_context():
    with CampaignChild() as child:
        assert child.process.is_alive()
    assert not child.process.is_alive()


def test_a_campaign_that_is_refused_leaves_no_process_behind(tmp_path):
    refused = subprocess.Popen(
        command("serve", "--workers", 4097, "--corpus-dir", tmp_path / "campaign"),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    _, errors = refused.communicate(timeout=STOP_SECONDS)
    assert refused.returncode == 2
    assert errors.startswith("Error: --workers must be")
    assert errors.count("\n") == 1
    until(lambda: not survivors(refused.pid), "the campaign process to end")
    assert not (tmp_path / "campaign").exists()
