"""Findings that are sealed while the campaign that found them goes on."""

from __future__ import annotations

import pytest
from evidence_stores import (
    FALSIFIED,
    again,
    kinds,
    recorded,
    store_of,
    until_falsified,
    with_another_finding,
)

from echidna_mcp.errors import UsageError
from echidna_mcp.evidence.checking import check_evidence
from echidna_mcp.evidence.document import finding_document
from echidna_mcp.evidence.file import write_evidence
from echidna_mcp.evidence.sealing import seal_findings

SALT = "5a" * 16


@pytest.fixture(scope="module")
def events(tmp_path_factory):
    return recorded(tmp_path_factory.mktemp("recorded") / "campaign")


def test_evidence_of_a_finding_holds_when_its_reproducer_is_shrunk_later(
    events, tmp_path
):
    end = until_falsified(events)
    assert "ReproducerShrunk" in [event.type for event in events[end:]]
    with store_of(tmp_path, events[:end]) as store:
        [early] = seal_findings(store, [FALSIFIED])
        paths = [write_evidence(tmp_path, early, None)]
        store.append(again(events[end:]))
        [late] = seal_findings(store, [FALSIFIED])
        paths.append(write_evidence(tmp_path, late, None))
    assert early.document["events"] < end < late.document["events"]
    first, second = (check_evidence(path, tmp_path).sealed for path in paths)
    assert (first, second) == (early, late)


def test_a_document_knows_nothing_of_what_came_behind_its_events(events, tmp_path):
    end = until_falsified(events)
    with store_of(tmp_path, events) as store:
        rows = list(store.stored())
    early = finding_document(rows, FALSIFIED, SALT, end)
    assert early == finding_document(rows[:end], FALSIFIED, SALT)
    assert early != finding_document(rows, FALSIFIED, SALT)
    before = [event.type for event in events].index("PropertyFalsified")
    with pytest.raises(UsageError, match="was falsified; none was"):
        finding_document(rows, FALSIFIED, SALT, before)


def test_to_seal_again_gives_the_same_document_with_its_salt(events, tmp_path):
    both = with_another_finding(events, "echidna_other")
    tests = [FALSIFIED, "echidna_other"]
    with store_of(tmp_path, both) as store:
        first = seal_findings(store, tests)
        assert seal_findings(store, tests) == first
    assert len({each.salt for each in first}) == 2
    assert kinds(tmp_path) == ["EvidenceSealed"] * 2


def test_of_findings_of_which_one_is_unknown_none_is_sealed(events, tmp_path):
    with store_of(tmp_path, events) as store, pytest.raises(UsageError):
        seal_findings(store, [FALSIFIED, "echidna_other"])
    assert kinds(tmp_path) == []
