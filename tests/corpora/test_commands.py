"""`echidna-mcp corpus`: campaigns and corpora are looked at, and written anew."""

from __future__ import annotations

import json
import shutil
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from campaigns import views_of
from command_line import artifact, files, invoke
from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.corpora.directory import read_corpus
from echidna_mcp.corpora.layouts import FOREIGN_FORMATS, recognised
from echidna_mcp.corpora.minimizing import smallest_cover
from echidna_mcp.corpora.model import Interfaces

RUN = (
    *("run", "--executor", "inline", "--workers", 2, "--round-budget", 60_000),
    *("--test-limit", 8_000),
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two campaigns on the demo, `one` and `two`, and corpora that `one` has become."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        patch.delenv("ECHIDNA_MCP_PLUGINS", raising=False)
        for name, seed in (("one", 5), ("two", 10)):
            done = invoke(*RUN, "--seed", seed, "--corpus-dir", name)
            assert done.code == 1, done
        for form in FOREIGN_FORMATS:
            to = ("--to", form, "--output", form)
            assert invoke("corpus", "convert", "one", *to).code == 0
    return home


@pytest.fixture(autouse=True)
def at_home(home: Path, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(home, here / "home")
    monkeypatch.chdir(here / "home")


def json_of(*words: object, code: int = 0) -> Any:
    done = invoke("corpus", *words, "--format", "json")
    assert done.code == code, done
    return json.loads(done.out)


def sequences_of(place: str) -> set[tuple[str, ...]]:
    corpus = read_corpus(Path(place), Interfaces(()))
    assert corpus is not None
    assert corpus.problems == ()
    return {tuple(x.calldata.hex() for x in each.calls) for each in corpus.sequences}


def own_sequences(place: str) -> set[tuple[str, ...]]:
    views = views_of(place)
    found = [each.calls for each in views.corpus.entries if each.calls]
    found += [each.calls for each in views.properties.falsified]
    return {tuple(x["calldata"][2:] for x in calls) for calls in found}


def test_list_has_reproducers_and_corpus_with_what_each_was_kept_for():
    views = views_of("one")
    told = json_of("list", "one")
    (record,) = views.properties.falsified
    assert told["entries"][0] == {
        "index": 0,
        "name": f"falsified {record.name}",
        "calls": len(record.calls),
        "purpose": "reproducer",
        "keptFor": f"falsifies {record.name}",
    }
    kept = [each for each in views.corpus.entries if each.calls]
    assert [each["name"] for each in told["entries"][1:]] == [
        f"corpus {each.entry}" for each in kept
    ]
    text = invoke("corpus", "list", "one").out.splitlines()
    calls = sum(each["calls"] for each in told["entries"])
    number = len(told["entries"])
    assert text[-1] == f"{number} sequences of {calls} calls, 1 reproducer among them."


@pytest.mark.parametrize("form", FOREIGN_FORMATS)
def test_convert_writes_every_sequence_and_list_reads_it_without_a_target(form):
    assert [layout.name for layout in recognised(Path(form))] == [form]
    assert sequences_of(form) == own_sequences("one")
    assert json_of("list", form)["formats"] == [form]


@pytest.mark.parametrize("form", FOREIGN_FORMATS)
@pytest.mark.parametrize("other", FOREIGN_FORMATS)
def test_a_corpus_is_the_same_after_a_way_through_another_format(
    form, other, tmp_path_factory
):
    vault = target()
    there = ("--to", other, "--output", "there")
    assert invoke("corpus", "convert", form, *there, "--target", vault).code == 0
    back = ("--to", form, "--output", "back")
    assert invoke("corpus", "convert", "there", *back, "--target", vault).code == 0
    assert sequences_of("back") == sequences_of(form)
    if "foundry" not in (form, other):  # It has neither gas nor reproducers.
        assert contents("back", form) == contents(form, form)


def contents(place: str, form: str) -> set[bytes]:
    (layout,) = recognised(Path(place))
    assert layout.name == form
    return {each.path.read_bytes() for each in layout.files(Path(place))}


def target() -> Path:
    """Return a contract with the functions of the demo, as an artifact."""
    demo = views_of("one").target.program.main_contract
    return artifact(Path("Vault.json"), demo.abi, runtime=demo.runtime_code)


def test_show_has_the_calls_as_the_report_has_them():
    views = views_of("one")
    (record,) = views.properties.falsified
    told = json_of("show", "one", 0)
    assert [each["call"] for each in told["transactions"]] == [*record.counterexample]
    assert [each["calldata"] for each in told["transactions"]] == [
        each["calldata"] for each in record.calls
    ]
    lines = invoke("corpus", "show", "one", 0).out.splitlines()
    assert lines[0] == f"falsified {record.name}: falsifies {record.name}"
    assert len(lines) == 1 + len(record.calls)


@pytest.mark.parametrize("number", ["999", "-1"])
def test_show_refuses_a_number_that_there_is_not(number):
    done = invoke("corpus", "show", "one", "--", number)
    assert f"one has no sequence {number}; it has 0 to " in done.refusal()


def test_replay_covers_what_the_campaign_covered_and_falsifies_what_it_did():
    views = views_of("one")
    told = json_of("replay", "one", code=1)
    (record,) = views.properties.falsified
    assert told["falsified"] == [record.name]
    assert [x["test"] for x in told["entries"][0]["falsified"]] == [record.name]
    assert told["entries"][0]["newPoints"] == told["entries"][0]["points"] > 0
    assert sum(each["newPoints"] for each in told["entries"]) == told["points"]
    # Beside that the campaign has what the deployment covers.
    assert 0.5 * views.coverage.points < told["points"] <= views.coverage.points


def test_replay_says_the_same_of_a_corpus_on_either_evm():
    vault = target()
    words = ("replay", "echidna", "--target", vault)
    told = json_of(*words, code=1)
    Path("py.yaml").write_text("backend: py-evm\n")
    assert json_of(*words, "--config", "py.yaml", code=1) == told
    own = json_of("replay", "one", code=1)
    assert told["falsified"] == own["falsified"]


def test_minimize_keeps_all_that_is_covered_in_fewer_sequences():
    before = files(Path("one"))
    done = invoke("corpus", "minimize", "one", "--output", "small")
    assert done.code == 0
    assert files(Path("one")) == before
    whole, small = own_sequences("one"), sequences_of("small")
    assert small < whole
    count = len(json_of("list", "one")["entries"])
    # Two may have the same calldata, by other senders or at other times.
    kept = read_corpus(Path("small"), Interfaces(()))
    assert kept is not None
    last = done.out.splitlines()[-1]
    shares = f"{len(kept.sequences)} of {count} sequences"
    assert last == f"{shares} cover and falsify all that all of them do."
    vault = target()
    again = json_of("replay", "small", "--target", vault, code=1)
    all_of_it = json_of("replay", "echidna", "--target", vault, code=1)
    assert again["points"] == all_of_it["points"]
    assert again["falsified"] == all_of_it["falsified"]
    invoke("corpus", "minimize", "one", "--output", "same")
    assert files(Path("same")) == files(Path("small"))


def test_merge_has_each_sequence_of_either_campaign_once():
    before = [files(Path(place)) for place in ("one", "two")]
    done = invoke("corpus", "merge", "one", "two", "--output", "both", "--to", "medusa")
    assert done.code == 0
    assert sequences_of("both") == own_sequences("one") | own_sequences("two")
    assert [files(Path(place)) for place in ("one", "two")] == before
    again = invoke("corpus", "merge", "one", "one", "--output", "once")
    assert again.code == 0
    assert sequences_of("once") == own_sequences("one")


def test_what_was_written_is_a_seed_of_a_campaign():
    invoke("corpus", "merge", "one", "two", "--output", "both")
    done = invoke(*RUN, "--seed", 1, "--corpus-dir", "both")
    assert "still broken" in done.out
    listed = json_of("list", "both")
    assert listed["formats"] == ["echidna"]
    # The target is that of the campaign that lies there now.
    assert json_of("show", "both", 0)["transactions"]


def test_targets_that_differ_are_not_merged(here):
    artifact(Path("Good.json"))
    invoke(*RUN, "Good.json", "--corpus-dir", "three", "--seed", 1)
    done = invoke("corpus", "merge", "one", "three", "--output", "both")
    assert "one and three are of different programs" in done.refusal()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("list", "nowhere"), "nowhere is no directory"),
        (("show", "medusa", 0), "name it with --target"),
        (("replay", "medusa"), "name it with --target"),
        (("minimize", "medusa", "--output", "x"), "name it with --target"),
        (("list", "one", "--target", "x.sol"), "leave --target out"),
        (("list", "medusa", "--contract", "C"), "--contract is for a target"),
        (("convert", "one", "--to", "medusa", "--output", "two"), "holds something"),
        (("minimize", "one", "--output", "two"), "holds something"),
        (("merge", "one", "--output", "two"), "holds something"),
    ],
)
def test_what_can_not_be_done_is_refused_in_one_sentence(words, says):
    before = files(Path())
    assert says in invoke("corpus", *words).refusal()
    assert files(Path()) == before


FEATURES = st.lists(
    st.frozensets(st.integers(0, 7).map(lambda n: (n,)), max_size=5), max_size=6
)


@given(FEATURES, st.data())
def test_a_cover_is_whole_has_nothing_superfluous_and_is_near_the_smallest(
    features, data
):
    lengths = [data.draw(st.integers(1, 9)) for _ in features]
    chosen = smallest_cover(features, lengths)
    everything = frozenset().union(*features)
    assert cover(chosen, features) == everything
    for number in chosen:
        rest = [each for each in chosen if each != number]
        assert cover(rest, features) != everything
    best = next(
        size
        for size in range(len(features) + 1)
        for some in combinations(range(len(features)), size)
        if cover(some, features) == everything
    )
    # The bound of greedy set cover: the harmonic number of the largest set, here 5.
    assert len(chosen) <= best * 137 / 60
    assert smallest_cover(features, lengths) == chosen


def cover(chosen: Any, features: Any) -> frozenset[Any]:
    return frozenset().union(*(features[each] for each in chosen))
