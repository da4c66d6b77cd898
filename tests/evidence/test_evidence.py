"""Evidence: sealed, certified on a devnet, verified; what was changed is found."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest
from live_server import command, run_cli

from echidna_mcp.errors import EvidenceError
from echidna_mcp.events.chain import canonical_json
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.evidence.checking import check_evidence
from echidna_mcp.evidence.document import campaign_document, finding_document

TEST = "echidna_solvent"
QUICK = ("--seed", 7, "--test-limit", 20_000)
CHANGES = 50
SALT = "5a" * 16


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    """A campaign on the demo, sealed whole and for its finding, both certified."""
    directory = tmp_path_factory.mktemp("sealed")
    campaign, data = directory / "campaign", directory / "data"
    options = ("--seal", "findings", "--certify", "--data-dir", data)
    done = run_cli("run", *QUICK, "--corpus-dir", campaign, *options)
    assert done.returncode == 1  # A test fails, as without evidence.
    assert "certified on testnet (local-devnet) in block" in done.stderr
    done = run_cli("seal", campaign, "--certify", "--data-dir", data)
    assert done.returncode == 0, done.stderr
    assert not list(campaign.glob("evidence/*.new"))
    return campaign


@pytest.fixture
def campaign(sealed, tmp_path):
    """A copy of it, to be changed."""
    return Path(shutil.copytree(sealed, tmp_path / "campaign"))


def all_evidence_of(campaign):
    return sorted((campaign / "evidence").glob("*.json"))


def evidence_of(campaign):
    """Return what is certified, without the files of what was only sealed before."""
    return [path for path in all_evidence_of(campaign) if held(path)["certification"]]


def held(path):
    return json.loads(path.read_text("utf-8"))


def kinds(campaign):
    with EventStore.read_only(store_path(campaign)) as store:
        return [event.type for event in store.read() if "Evid" in event.type] + [
            event.type for event in store.read() if "Certif" in event.type
        ]


def test_what_is_certified_holds_and_says_where(sealed):
    paths = evidence_of(sealed)
    assert len(paths) == 2
    for path in paths:
        done = run_cli("verify", path)
        assert done.returncode == 0, done.stderr
        assert "holds. It is about" in done.stdout
        assert "Certified on testnet, a chain on one machine, which proves" in (
            done.stdout
        )
    assert run_cli("verify", sealed).returncode == 0


def test_what_is_sealed_has_a_file_beside_that_of_its_certification(sealed):
    certified = evidence_of(sealed)
    plain = [path for path in all_evidence_of(sealed) if path not in certified]
    assert {path.stem for path in plain} == {held(path)["sha256"] for path in certified}
    assert len(plain) == 2
    for path in plain:
        done = run_cli("verify", path)
        assert done.returncode == 0, done.stderr
        assert "It is not certified" in done.stdout


def test_the_steps_are_events_and_the_certified_text_is_the_digest(sealed):
    assert (
        kinds(sealed)
        == ["EvidenceSealed"] * 2
        + [
            "CertificationSubmitted",
            "CertificationExecuted",
        ]
        * 2
    )
    for path in evidence_of(sealed):
        evidence = held(path)
        proof = evidence["certification"]["proof"]
        text = bytes.fromhex(proof["certified_data"]).decode()
        assert text == f"echidna-mcp evidence v1 sha256:{evidence['sha256']}"
        assert path.stem == evidence["certification"]["transaction"]


def test_nothing_but_digests_and_counts_stands_in_a_document(sealed):
    for path in evidence_of(sealed):
        text = path.read_text("utf-8")
        assert TEST not in text
        assert "Vault" not in text
        assert len(json.dumps(held(path)["document"])) < 2000


def test_documents_are_functions_of_the_stored_rows(sealed):
    with EventStore.read_only(store_path(sealed)) as store:
        rows = list(store.stored())
        whole = campaign_document(rows, 40, SALT)
        assert whole == campaign_document(iter(rows), 40, SALT)
        assert whole == campaign_document(rows[:40], 40, SALT)
        assert whole["head"] == rows[39][1].hex()
        finding = finding_document(rows, TEST, SALT)
        assert finding["kind"] == "finding"
        assert finding["events"] == finding["finding"]["event"] < len(rows)


def test_no_digest_of_what_could_be_guessed_stands_in_evidence(sealed):
    """Whoever guesses a name, or the whole of what was stored, can't confirm it."""
    with EventStore.read_only(store_path(sealed)) as store:
        rows = list(store.stored())
    payloads = [json.loads(row.payload) for row, _ in rows]
    [start] = [row for row, _ in rows if row.type == "CampaignStarted"]
    guesses = [TEST, *(row.payload for row, _ in rows)]
    guesses += [canonical_json({"calls": x["calls"]}) for x in payloads if "calls" in x]
    digests = {hashlib.sha256(text.encode()).hexdigest() for text in guesses}
    digests.add(json.loads(start.payload)["programDigest"])
    for path in all_evidence_of(sealed):
        document = json.dumps(held(path)["document"])
        assert digests.isdisjoint(re.findall("[0-9a-f]{64}", document))


def test_each_seal_has_a_salt_of_its_own_which_stays_in_the_store(sealed):
    with EventStore.read_only(store_path(sealed)) as store:
        seals = [event.payload for event in store.read(types=("EvidenceSealed",))]
    salts = [seal["salt"] for seal in seals]
    assert len(set(salts)) == len(salts) == 2
    assert all(re.fullmatch("[0-9a-f]{32}", salt) for salt in salts)
    for path in all_evidence_of(sealed):
        text = path.read_text("utf-8")
        assert not any(salt in text for salt in salts)
        [salt] = [x["salt"] for x in seals if x["sha256"] == held(path)["sha256"]]
        finding = held(path)["document"].get("finding")
        if finding is not None:
            name = hashlib.sha256(f"{salt}{TEST}".encode()).hexdigest()
            assert finding["test"] == name


def test_to_seal_and_certify_again_changes_nothing(sealed, campaign):
    before, data = kinds(campaign), sealed.parent / "data"
    for words in ((), ("--findings",), ("--finding", TEST)):
        done = run_cli("seal", campaign, "--certify", *words, "--data-dir", data)
        assert done.returncode == 0, done.stderr
    assert kinds(campaign) == before
    assert [path.name for path in all_evidence_of(campaign)] == [
        path.name for path in all_evidence_of(sealed)
    ]


def test_a_campaign_goes_on_and_replays_after_it_was_sealed(tmp_path):
    """It is interrupted, sealed, and goes on; its evidence still holds."""
    campaign = tmp_path / "campaign"
    long = ("--seed", 7, "--test-limit", 3_000_000, "--corpus-dir", campaign)
    running = subprocess.Popen(
        command("run", *long), stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    store = store_path(campaign)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if store.exists():
            with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as reader:
                rounds = "SELECT count(*) FROM events WHERE type = 'RoundCommitted'"
                try:
                    if reader.execute(rounds).fetchone()[0] > 2:
                        break
                except sqlite3.OperationalError:
                    pass  # It is just being made.
        time.sleep(0.1)
    os.killpg(running.pid, signal.SIGINT)
    running.communicate(timeout=60)
    assert run_cli("seal", campaign).returncode == 0
    done = run_cli("run", *long)
    assert done.returncode == 1, done.stderr
    with EventStore.read_only(store) as stored:
        types = [event.type for event in stored.read()]
    assert types.index("EvidenceSealed") < types.index("CampaignResumed")
    [path] = all_evidence_of(campaign)
    assert run_cli("verify", path).returncode == 0
    replayed = run_cli("replay", campaign)
    assert replayed.returncode == 0, replayed.stderr
    assert "Reproduced" in replayed.stdout


def test_a_dead_network_stops_no_campaign(tmp_path):
    campaign = tmp_path / "campaign"
    nowhere = {"CIRCULAR_CEP_NAG_DISCOVERY_URL": "http://127.0.0.1:9/getNAG"}
    key = {"CIRCULAR_CEP_TESTNET_PRIVATE_KEY": "11" * 32}
    done = subprocess.run(
        command(
            *("run", *QUICK, "--corpus-dir", campaign, "--format", "json"),
            *("--seal", "campaign", "--certify", "--data-dir", tmp_path / "data"),
        ),
        env={**os.environ, **nowhere, **key},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1
    assert json.loads(done.stdout)["tests"]
    told = "Warning: not all is sealed or certified: certify_data failed"
    assert told in done.stderr
    again = f"echidna-mcp seal {campaign} --certify --data-dir {tmp_path / 'data'}"
    assert f"The evidence is sealed; `{again}` certifies it." in done.stderr
    assert kinds(campaign) == ["EvidenceSealed", "CertificationFailed"]
    [path] = all_evidence_of(campaign)
    assert run_cli("verify", path).returncode == 0
    assert run_cli("verify", campaign).returncode == 0


def test_findings_that_are_not_there_are_told(sealed, tmp_path):
    done = run_cli("seal", sealed, "--finding", "echidna_nothing")
    assert done.returncode == 2
    assert f"No test 'echidna_nothing' was falsified; choose {TEST}." in done.stderr
    done = run_cli("seal", tmp_path)
    assert done.returncode == 2
    assert "There is no campaign in" in done.stderr


@pytest.mark.parametrize(
    ("member", "value", "link"),
    [
        ("sha256", "0" * 64, "seal"),
        ("document.head", "0" * 64, "document"),
        ("document.seed", 8, "document"),
        ("document.corpus.events", 9, "document"),
        ("certification.transaction", "0" * 64, "certification"),
        ("certification.backend", "circular", "certification"),
        ("certification.proof.block_id", "99", "proof"),
        ("certification.proof.certified_data", "00", "proof"),
        ("certification.proof.timestamp", "2020:01:01-00:00:00", "proof"),
        ("more", 1, "file"),
        ("format", 2, "file"),
    ],
)
def test_a_changed_member_of_evidence_is_named(campaign, member, value, link):
    path = evidence_of(campaign)[0]
    evidence = held(path)
    *parents, name = member.split(".")
    inner = evidence
    for each in parents:
        inner = inner[each]
    inner[name] = value
    text = json.dumps(
        evidence, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    path.write_text(f"{text}\n", "utf-8")
    with pytest.raises(EvidenceError) as caught:
        check_evidence(path, campaign)
    assert caught.value.link == link
    done = run_cli("verify", path)
    assert done.returncode == 1
    assert done.stderr.startswith(f"Broken link: {link}. ")


def test_evidence_of_another_campaign_is_told(sealed, tmp_path):
    other = tmp_path / "other"
    run_cli("run", "--seed", 8, "--test-limit", 5000, "--corpus-dir", other)
    done = run_cli("verify", evidence_of(sealed)[0], "--store", other)
    assert done.returncode == 1
    assert "Broken link: seal." in done.stderr
    assert "of another campaign" in done.stderr


@pytest.mark.parametrize("seed", range(CHANGES))
def test_one_changed_byte_of_evidence_or_proof_is_found(campaign, seed):
    chance = random.Random(seed)
    path = chance.choice(evidence_of(campaign))
    data = bytearray(path.read_bytes())
    place = chance.randrange(len(data))
    data[place] ^= 1 << chance.randrange(8)
    path.write_bytes(bytes(data))
    with pytest.raises(EvidenceError) as caught:
        check_evidence(path, campaign)
    assert re.fullmatch("file|document|seal|certification|proof", caught.value.link)


@pytest.mark.parametrize("seed", range(CHANGES))
def test_one_changed_byte_of_a_stored_event_is_found(campaign, seed):
    """What the triggers of the store refuse is done behind their back."""
    chance = random.Random(seed)
    path = evidence_of(campaign)[0]
    with closing(sqlite3.connect(store_path(campaign))) as database:
        events = database.execute("SELECT count(*) FROM events").fetchone()[0]
        seq = chance.randrange(1, events + 1)
        column = chance.choice(["payload", "at", "type", "digest"])
        (value,) = database.execute(
            f"SELECT {column} FROM events WHERE seq = ?", [seq]
        ).fetchone()
        raw = bytearray(value if isinstance(value, bytes) else value.encode())
        raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(7)
        changed = bytes(raw) if isinstance(value, bytes) else raw.decode("latin-1")
        names = database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall()
        saved = database.execute(
            "SELECT sql FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall()
        database.execute("PRAGMA ignore_check_constraints = 1")
        for (name,) in names:
            database.execute(f"DROP TRIGGER {name}")
        database.execute(
            f"UPDATE events SET {column} = ? WHERE seq = ?", [changed, seq]
        )
        for (sql,) in saved:
            database.execute(sql)
        database.commit()
    with pytest.raises(EvidenceError) as caught:
        check_evidence(path, campaign)
    assert caught.value.link == "store"
