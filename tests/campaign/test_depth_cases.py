"""The cases of the benchmark of depth break, by the sequences that are known."""

from __future__ import annotations

import re

import pytest
from depth_cases import FOLDER, WITNESSES, configured, play

pytestmark = pytest.mark.solc

_ROW = re.compile(r"^\| `(\w+)` \|.*\| (\d+) \|$", re.MULTILINE)


def test_each_contract_of_the_folder_has_a_witness():
    assert {file.stem for file in FOLDER.glob("*.sol")} == WITNESSES.keys()


def test_the_page_of_the_folder_tells_how_many_calls_a_witness_has():
    rows = _ROW.findall((FOLDER / "README.md").read_text("utf-8"))
    assert [(name, int(count)) for name, count in rows] == [
        (name, len(steps)) for name, steps in WITNESSES.items()
    ]


@pytest.mark.parametrize("name", WITNESSES)
def test_the_property_is_false_after_the_last_call_and_not_before(name: str):
    played = play(name, WITNESSES[name])
    ended = [each and each.status.succeeded for each in played.results]
    assert ended == [True for _ in WITNESSES[name]]
    assert played.verdicts == (*(True for _ in WITNESSES[name]), False)


@pytest.mark.parametrize("name", WITNESSES)
def test_no_call_of_a_witness_is_superfluous(name: str):
    """Without one of them, whose delay the next one has as well, the property holds."""
    steps = WITNESSES[name]
    for gone in range(len(steps)):
        verdicts = play(name, steps, without=gone).verdicts
        assert all(verdicts), f"not needed: call {gone}, {steps[gone].name}"


@pytest.mark.parametrize("name", WITNESSES)
def test_a_witness_is_within_the_limits_of_a_campaign(name: str):
    config = configured(name)
    for step in WITNESSES[name]:
        assert step.wait[0] <= config.max_time_delay
        assert step.value <= min(config.max_value, config.balance_addr)
