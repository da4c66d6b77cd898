"""`seal` and `verify`: where they look, and what they refuse."""

from __future__ import annotations

import pytest
from command_line import invoke
from evidence_stores import FALSIFIED, evidence_files, kinds, recorded, store_of


@pytest.fixture(scope="module")
def events(tmp_path_factory):
    return recorded(tmp_path_factory.mktemp("recorded") / "campaign")


@pytest.fixture
def sealed(events, tmp_path):
    """A campaign, and the file of its evidence."""
    directory = tmp_path / "campaign"
    store_of(directory, events).close()
    assert invoke("seal", directory).code == 0
    [path] = evidence_files(directory)
    return directory, path


def test_evidence_is_found_by_its_bare_name(sealed, monkeypatch):
    _, path = sealed
    monkeypatch.chdir(path.parent)
    assert "holds. It is about" in invoke("verify", path.name).out


def test_evidence_may_have_any_name_and_lie_anywhere(sealed, tmp_path):
    campaign, path = sealed
    other = path.rename(tmp_path / "evidence of 25 November")
    assert invoke("verify", other, "--store", campaign).code == 0
    done = invoke("verify", other)
    assert done.code == 2
    assert "There is no campaign in" in done.err


def test_a_directory_with_the_name_of_a_file_is_one_of_campaigns(sealed, tmp_path):
    campaign, _ = sealed
    other = campaign.rename(tmp_path / "campaign.json")
    done = invoke("verify", other)
    assert done.code == 0
    assert "the chain is intact" in done.out


@pytest.mark.parametrize("words", [(), ("--store", "campaign")])
def test_a_file_that_is_not_there_is_no_broken_evidence(sealed, tmp_path, words):
    done = invoke("verify", tmp_path / "campaign" / "evidence" / "none.json", *words)
    assert done.code == 2
    assert "none.json; check its name." in done.err
    assert "Broken link" not in done.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--network", "mainnet"), "--network is for what is certified; add --certify"),
        (("--data-dir", "data"), "--data-dir is for what is certified; add --certify"),
        (("--plugins", "all"), "--plugins is for what is certified; add --certify"),
        (
            ("--findings", "--finding", FALSIFIED),
            "--findings seals all findings; leave --finding out",
        ),
    ],
)
def test_options_of_seal_that_would_have_no_effect_are_refused(
    events, tmp_path, words, told
):
    store_of(tmp_path, events).close()
    done = invoke("seal", tmp_path, *words)
    assert done.code == 2
    assert told in done.err
    assert kinds(tmp_path) == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("run", "--seal", "campaign", "--dry-run"), "--dry-run fuzzes nothing that"),
        (("run", "--network", "mainnet"), "--network is for what is certified"),
        (("run", "--data-dir", "data"), "--data-dir is for what is certified"),
        (("serve", "--network", "mainnet"), "--network is for what is certified"),
    ],
)
def test_options_of_campaigns_that_would_have_no_effect_are_refused(
    tmp_path, monkeypatch, words, told
):
    monkeypatch.chdir(tmp_path)
    done = invoke(*words)
    assert done.code == 2
    assert told in done.err
    assert not list(tmp_path.iterdir())
