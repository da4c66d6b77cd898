"""Crash bundles: what is in them, and what is believed of those of others."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from campaigns import started
from native_backends import native

from echidna_mcp.campaign.crash import Crash
from echidna_mcp.campaign.crash_bundle import read_bundle, write_bundle
from echidna_mcp.campaign.crash_replay import fail_again
from echidna_mcp.demo import load_demo
from echidna_mcp.errors import StoreTamperedError, UsageError


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the bundle of a campaign of two rounds whose third one failed."""
    monkeypatch.setenv("ECHIDNA_MCP_TOKEN", "correct-horse")
    monkeypatch.setenv("ECHIDNA_MCP_HOT_CODE", "off")
    monkeypatch.setenv("HOME_OF_SECRETS", "battery-staple")
    with started(tmp_path / "s", load_demo(), backend=native()) as running:
        running.rounds(2)
        crash = Crash(round=3, failures=("Traceback: it broke",))
        return write_bundle(crash, running.campaign.store, None)


def changed(bundle: Path, name: str, change: Callable[[bytes], bytes | None]) -> Path:
    """Return a copy in which one member is another, or is missing."""
    copy = bundle.with_name("changed.zip")
    with zipfile.ZipFile(bundle) as old, zipfile.ZipFile(copy, "w") as new:
        for member in old.namelist():
            content: bytes | None = old.read(member)
            assert content is not None
            if member == name:
                content = change(content)
            if content is not None:
                new.writestr(member, content)
    return copy


def with_about(bundle: Path, **members: Any) -> Path:
    def change(text: bytes) -> bytes:
        return json.dumps({**json.loads(text), **members}).encode()

    return changed(bundle, "about.json", change)


def test_no_secret_is_packed(bundle: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        about = json.loads(archive.read("about.json"))
        assert archive.read("traceback.txt") == b"Traceback: it broke\n"
        contents = b"".join(map(archive.read, archive.namelist()))
    assert about["environment"]["ECHIDNA_MCP_HOT_CODE"] == "off"
    assert not {"ECHIDNA_MCP_TOKEN", "HOME_OF_SECRETS"} & set(about["environment"])
    assert b"correct-horse" not in contents
    assert b"battery-staple" not in contents


def test_it_holds_the_campaign_and_the_round_that_failed(bundle: Path) -> None:
    found = read_bundle(bundle)
    assert found.events[-1].type == "RoundCommitted"
    assert (found.round, found.job, found.worker, found.claim) == (
        3,
        "round",
        None,
        None,
    )
    # Nothing is wrong with that round, so doing it again shows nothing.
    assert fail_again(found, native()) is None


def test_only_variables_of_ours_are_taken_from_one_of_others(bundle: Path) -> None:
    foreign = {
        "PATH": "/elsewhere",
        "LD_PRELOAD": "evil.so",
        "ECHIDNA_MCP_TOKEN": "mine",
        "ECHIDNA_MCP_CACHE": "/elsewhere",
        "ECHIDNA_MCP_HOT_CODE": "at-once",
    }
    found = read_bundle(with_about(bundle, environment=foreign))
    assert found.environment == {"ECHIDNA_MCP_HOT_CODE": "at-once"}


def test_a_changed_store_is_refused(bundle: Path, tmp_path: Path) -> None:
    def tamper(content: bytes) -> bytes:
        file = tmp_path / "tampered.db"
        file.write_bytes(content)
        with closing(sqlite3.connect(file)) as store, store:
            triggers = store.execute(
                "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
            ).fetchall()
            for name, _ in triggers:
                store.execute(f'DROP TRIGGER "{name}"')
            store.execute(
                "UPDATE events SET payload = replace(payload, 'calls', 'call_')"
                " WHERE type = 'RoundCommitted'"
            )
            for _, sql in triggers:
                store.execute(sql)
        return file.read_bytes()

    with pytest.raises(StoreTamperedError):
        read_bundle(changed(bundle, "campaign.db", tamper))


@pytest.mark.parametrize("name", ["about.json", "campaign.db"])
def test_one_without_a_part_is_refused(bundle: Path, name: str) -> None:
    with pytest.raises(UsageError, match="is no crash bundle"):
        read_bundle(changed(bundle, name, lambda _: None))


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.zip"
    file.write_text("no archive")
    with pytest.raises(UsageError, match="is no crash bundle"):
        read_bundle(file)


def test_one_of_another_format_names_who_reads_it(bundle: Path) -> None:
    with pytest.raises(UsageError, match=r"written by echidna-mcp 9\.9\.9"):
        read_bundle(with_about(bundle, format=2, engine="9.9.9"))
