"""Edges in the coverage map: what is stored of them, and stores without any."""

from __future__ import annotations

from typing import Any

import pytest

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.config.projects.loader import load_config
from echidna_mcp.demo import load_demo
from echidna_mcp.events.event import NewEvent
from echidna_mcp.program.identity import runtime_key
from echidna_mcp.program.target import build_target
from echidna_mcp.reports.coverage_reports import CoverageReports
from echidna_mcp.reports.lines import CoverageIndex
from echidna_mcp.views.coverage import CoverageDelta, CoverageView, bits_of

PLAIN = CoverageDelta((("a", 0, bits_of([0, 2])),), (("a", 2, 3),))
EDGES = CoverageDelta(edges=(("a", 2, 7), ("a", 2, 3), ("b", 2, 3)))


def increased(delta: CoverageDelta, points: int = 0, total: int = 0) -> NewEvent:
    payload: dict[str, Any] = {"points": points, "total": total, **delta.to_json()}
    return NewEvent(type="CoverageIncreased", round=1, payload=payload, worker=0)


def test_an_event_tells_edges_only_if_there_are_any():
    assert "edges" not in PLAIN.to_json()
    told = [["a", 2, 7], ["a", 2, 3], ["b", 2, 3]]
    assert EDGES.to_json() == {"visited": [], "results": [], "edges": told}


def test_the_text_of_a_delta_without_edges_is_that_of_before_there_were_any():
    """Digests of stored rounds are made of it."""
    text = "CoverageDelta(visited=[('a', 0, '0x10001')], endings=(('a', 2, 3),))"
    assert repr(PLAIN) == text
    assert "edges=(('a', 2, 7)," in repr(EDGES)


def test_events_with_and_without_edges_are_folded():
    view = CoverageView()
    view.apply(increased(PLAIN, 2, 2))
    assert not view.map.edges
    assert view.jumps() == {}
    view.apply(increased(EDGES, 0, 2))
    assert tuple(view.map.edges) == EDGES.edges
    assert view.jumps() == {"a": {(2, 7), (2, 3)}, "b": {(2, 3)}}
    assert view.points == 2


def test_an_edge_is_new_once_for_each_code():
    view = CoverageView()
    assert EDGES
    assert EDGES.minus(view.map) == EDGES
    view.apply(increased(CoverageDelta(edges=(("a", 2, 3),))))
    assert EDGES.minus(view.map).edges == (("a", 2, 7), ("b", 2, 3))
    view.apply(increased(EDGES))
    assert not EDGES.minus(view.map)
    copied = view.map.copy()
    copied.edges["c", 0, 1] = None
    assert ("c", 0, 1) not in view.map.edges


def test_reports_change_with_edges_alone():
    program = load_demo()
    main, view = program.main_contract, CoverageView()
    key, reports = (
        runtime_key(main),
        CoverageReports(build_target(program, CampaignConfig())),
    )
    everything = list(range(len(main.runtime_code)))
    delta = CoverageDelta(((key, 0, bits_of(everything)),))
    view.apply(increased(delta, len(everything), len(everything)))
    assert reports.contract(main, view).branch_percent == 100.0
    assert "BRDA" in reports.lcov(view)
    site = CoverageIndex(program).map(main).branches[0].sites[0]
    delta = CoverageDelta(edges=((key, site.jump, site.target),))
    view.apply(increased(delta, 0, len(everything)))
    assert 0.0 < reports.contract(main, view).branch_percent < 50.0
    assert reports.lcov(view).count("BRDA") > reports.lcov(view).count(",1\nBRDA")


def test_campaigns_from_before_there_were_edges_have_none():
    stored = CampaignConfig(edges=True, climbing=True).to_json()
    assert CampaignConfig.from_json(stored).edges
    del stored["edges"], stored["climbing"]
    assert not CampaignConfig.from_json(stored).edges


@pytest.mark.parametrize("value", [True, False])
def test_the_configuration_switches_edges(value):
    assert load_config(None, {"edges": value}).campaign.edges is value
    assert not load_config(None).campaign.edges
