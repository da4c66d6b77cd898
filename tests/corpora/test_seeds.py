"""Corpora of other fuzzers are seeds of real campaigns, and get what those find."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from command_line import Outcome, files, invoke

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.corpora.directory import read_corpus
from echidna_mcp.corpora.fitting import interfaces
from echidna_mcp.corpora.layouts import FOREIGN_FORMATS, recognised
from echidna_mcp.demo import load_demo
from echidna_mcp.events.event import Event
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.program.target import build_target

INLINE = ("--executor", "inline", "--workers", 2, "--round-budget", 60_000)
LONG = (*INLINE, "--seed", 5, "--test-limit", 20_000)
SHORT = (*INLINE, "--seed", 6, "--test-limit", 3000)
FOLDERS = {
    "echidna": ("coverage", "reproducers"),
    "medusa": ("call_sequences", "test_results"),
    "foundry": ("Vault",),
}
SENDER, STRANGER = 0x10000, 0x77
DEPOSIT = "d0e30db0"
SETTINGS = build_target(load_demo(), CampaignConfig(seed=1))
INTERFACES = interfaces(SETTINGS)


def store_of(done: Outcome) -> Path:
    (line,) = [x for x in done.err.splitlines() if x.startswith("Campaign: ")]
    return Path(line.removeprefix("Campaign: "))


def events_of(directory: Path) -> list[Event]:
    with EventStore.read_only(store_path(directory)) as store:
        return list(store.read())


def inherited(directory: Path) -> Any:
    found = [e for e in events_of(directory) if e.type == "CorpusInherited"]
    return found[0].payload if found else None


def echidna_call(
    name: str, *, src: int = SENDER, wei: int = 0, seconds: int = 0
) -> Any:
    def word(number: int) -> str:
        return f"0x{number:064x}"

    return {
        "call": {"contents": [name, []], "tag": "SolCall"},
        "delay": [word(seconds), word(0)],
        "dst": "0x00a329c0648769A73afAc7F9381E08FB43dBEA72",
        "gas": 12500000,
        "gasprice": word(0),
        "src": f"0x{src:040x}",
        "value": word(wei),
    }


def write(path: str, content: Any) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    Path(path).write_text(text, "utf-8")


@pytest.fixture(scope="module", params=FOREIGN_FORMATS)
def written(request, tmp_path_factory) -> tuple[str, Path]:
    """A format, and a directory in which a campaign has written its corpus with it."""
    name, home = request.param, tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        patch.delenv("ECHIDNA_MCP_PLUGINS", raising=False)
        done = invoke("run", "--corpus-dir", "c", "--corpus-format", name, *LONG)
    assert done.code == 1, done
    return name, home / "c"


def test_what_a_campaign_has_found_is_written_in_the_format(written):
    name, directory = written
    assert [layout.name for layout in recognised(directory)] == [name]
    corpus = read_corpus(directory, INTERFACES)
    assert corpus.problems == ()
    events = events_of(directory)
    entries = [e.payload["calls"] for e in events if e.type == "CorpusExtended"]
    shrunk = [e.payload["calls"] for e in events if e.type == "ReproducerShrunk"][-1:]
    assert shrunk
    wanted = {calldata_of(calls) for calls in (*entries, *shrunk) if calls}
    found = {tuple(x.calldata.hex() for x in each.calls) for each in corpus.sequences}
    assert found == wanted
    purposes = [each.purpose for each in corpus.sequences]
    assert purposes.count("reproducer") == (name != "foundry")


def calldata_of(calls: Any) -> tuple[str, ...]:
    return tuple(call["calldata"][2:] for call in calls)


@pytest.fixture
def given(written, here) -> str:
    """The directory `d`, with nothing but what was written in a format."""
    name, directory = written
    for folder in FOLDERS[name]:
        shutil.copytree(directory / folder, here / "d" / folder)
    return name


def test_another_campaign_takes_it_over_and_finds_the_same_at_once(given):
    before = files(Path("d"))
    done = invoke("run", "--corpus-dir", "d", *SHORT)
    assert done.code == 1
    directory = store_of(done)
    assert directory.parent == Path("d")
    assert directory.name.startswith("Vault-")
    payload = inherited(directory)
    assert (payload["corpus"], payload["formats"]) == ("d", [given])
    assert payload["remarks"] == []
    assert payload["droppedCalls"] == 0
    assert "programDigest" not in payload
    taken = {calldata_of(calls) for calls in payload["sequences"]}
    corpus = read_corpus(Path("d"), INTERFACES)
    known = {tuple(x.calldata.hex() for x in each.calls) for each in corpus.sequences}
    assert taken <= known
    falsified = [e for e in events_of(directory) if e.type == "PropertyFalsified"]
    # Foundry's corpus does not tell what failed, so it may come later.
    rounds = [event.round for event in falsified]
    assert rounds == [1] or (given == "foundry" and len(rounds) == 1)
    # Every file is as it was.
    after = files(Path("d"))
    assert before.items() <= after.items()


def test_its_replay_needs_none_of_the_files(given):
    directory = store_of(invoke("run", "--corpus-dir", "d", *SHORT))
    for folder in FOLDERS[given]:
        shutil.rmtree(Path("d") / folder)
    assert invoke("replay", directory).code == 0
    assert invoke("replay", directory, "--backend", "py-evm").code == 0


def test_a_second_campaign_writes_nothing_that_is_there(given):
    invoke("run", "--corpus-dir", "d", *SHORT)
    layout = recognised(Path("d"))[0]
    contents = [x.path.read_bytes() for x in layout.files(Path("d"))]
    invoke("run", "--corpus-dir", "d", *SHORT)
    again = [x.path.read_bytes() for x in layout.files(Path("d"))]
    assert len(set(again)) == len(again)
    assert set(contents) <= set(again)


def test_native_writes_no_files_beside_the_store(given):
    layout = recognised(Path("d"))[0]
    before = [x.name for x in layout.files(Path("d"))]
    invoke("run", "--corpus-dir", "d", "--corpus-format", "native", *LONG)
    assert [x.name for x in layout.files(Path("d"))] == before


def test_what_failed_before_is_still_broken_or_fixed(here):
    write("d/reproducers/harmless.txt", [echidna_call("deposit", wei=1)])
    first = invoke("run", "--corpus-dir", "d", *LONG)
    assert "Failed before: reproducers/harmless.txt: fixed" in first.out.splitlines()
    done = invoke("run", "--corpus-dir", "d", *SHORT)
    lines = [x for x in done.out.splitlines() if x.startswith("Failed before: ")]
    (name,) = [x["property"] for x in map(payload_of, falsified_in(first))]
    (new,) = {x.name for x in Path("d/reproducers").iterdir()} - {"harmless.txt"}
    assert lines == [
        f"Failed before: {name} (reproducers/{new}): still broken",
        "Failed before: reproducers/harmless.txt: fixed",
    ]
    told = invoke("run", "--corpus-dir", "d", *SHORT, "--format", "json")
    broken, fixed = json.loads(told.out)["failedBefore"]
    assert broken == {
        "test": name,
        "name": name,
        "file": f"reproducers/{new}",
        "status": "still broken",
        "breaks": [name],
        "reason": None,
    }
    assert (fixed["test"], fixed["status"], fixed["breaks"]) == (None, "fixed", [])


def falsified_in(done: Outcome) -> list[Event]:
    return [e for e in events_of(store_of(done)) if e.type == "PropertyFalsified"]


def payload_of(event: Event) -> Any:
    return event.payload


def test_a_finding_of_an_own_campaign_is_told_as_well(here):
    first = invoke("run", "--corpus-dir", "c", *LONG)
    assert "Failed before" not in first.out
    (name,) = [x["property"] for x in map(payload_of, falsified_in(first))]
    second = invoke("run", "--corpus-dir", "c", *SHORT)
    assert f"Failed before: {name}: still broken" in second.out.splitlines()


def test_each_file_that_is_not_used_as_it_stands_is_told_in_a_sentence(here):
    write("d/coverage/broken.txt", "[{]")
    write("d/coverage/empty.txt", [])
    write("d/coverage/binary.txt", "[]")
    Path("d/coverage/binary.txt").write_bytes(b"\xff\xfe")
    calls = [
        echidna_call("gone"),
        echidna_call("deposit", src=STRANGER, wei=1 << 200, seconds=10**9),
        echidna_call("gone"),
    ]
    write("d/coverage/other.txt", calls)
    write("d/reproducers/gone.txt", [echidna_call("gone")])
    done = invoke("run", "--corpus-dir", "d", *SHORT)
    payload = inherited(store_of(done))
    unknown = "left out: this campaign calls no function gone()"
    changes = [
        f"2 calls {unknown}",
        f"senders replaced: {STRANGER:#042x} by {SENDER:#042x}",
        "value made smaller in 1 call",
        "delay made shorter in 1 call",
    ]
    assert payload["remarks"] == [
        "coverage/binary.txt: it is no UTF-8 text.",
        "coverage/broken.txt: it is no JSON.",
        "coverage/empty.txt: it has no calls.",
        f"reproducers/gone.txt: 1 call {unknown}.",
        f"coverage/other.txt: {'; '.join(changes)}.",
    ]
    for remark in payload["remarks"]:
        assert remark in done.err.splitlines()
    assert (payload["droppedCalls"], payload["droppedSequences"]) == (3, 1)
    ((call,),) = payload["sequences"]
    assert call["calldata"] == f"0x{DEPOSIT}"
    assert call["timeDelay"] == SETTINGS.config.max_time_delay
    assert int(call["value"]) == SETTINGS.config.max_value
    gone = (
        "Failed before: reproducers/gone.txt: not replayed, this campaign makes none "
    )
    assert f"{gone}of its calls" in done.out.splitlines()
    report = json.loads(
        invoke("run", "--corpus-dir", "d", *SHORT, "--format", "json").out
    )
    assert report["corpus"]["remarks"] == payload["remarks"]


def test_a_corpus_of_nothing_but_rubbish_is_told_of_too(here):
    write("d/coverage/broken.txt", "[{]")
    done = invoke("run", "--corpus-dir", "d", *SHORT)
    payload = inherited(store_of(done))
    assert payload["sequences"] == []
    assert payload["remarks"] == ["coverage/broken.txt: it is no JSON."]
    assert invoke("replay", store_of(done)).code == 0


def test_the_directory_may_be_named_in_the_files_of_either_tool(here):
    write("d/coverage/one.txt", [echidna_call("deposit", wei=1)])
    write("conf/echidna.yaml", "corpusDir: d\ncorpusFormat: native\n")
    done = invoke("run", "--config", "conf/echidna.yaml", *SHORT)
    assert inherited(store_of(done))["corpus"] == "d"
    write("conf/medusa.json", {"fuzzing": {"corpusDirectory": "d"}})
    done = invoke("run", "--config", "conf/medusa.json", *SHORT)
    assert inherited(store_of(done))["corpus"] == "d"


def test_time_that_passes_alone_is_a_delay_of_the_next_call(here):
    wait = {**echidna_call("deposit", seconds=40), "call": {"tag": "NoCall"}}
    late = echidna_call("deposit", seconds=2)
    write("d/coverage/one.txt", [wait, late, wait])
    payload = inherited(store_of(invoke("run", "--corpus-dir", "d", *SHORT)))
    (calls,) = payload["sequences"]
    assert [call["timeDelay"] for call in calls] == [42]
    assert payload["remarks"] == [
        "coverage/one.txt: 40 seconds after the last call left out."
    ]


def test_what_can_not_be_written_is_told_and_changes_no_exit_code(here):
    Path("c").mkdir()
    Path("c/reproducers").write_text("a file where a folder should be")
    done = invoke("run", "--corpus-dir", "c", "--corpus-format", "echidna", *LONG)
    assert done.code == 1
    assert "The corpus file c/reproducers/" in done.err
    assert "Traceback" not in done.err
