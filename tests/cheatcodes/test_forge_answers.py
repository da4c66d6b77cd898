"""Texts, keys, JSON and the like against what forge 1.7.1 has answered.

`tests/support/record_cheat_answers.py` asks forge; nothing of it is needed here.
"""

from __future__ import annotations

import pytest
from cheat_answers import STRUCTS, Case, ask, cases, grouped, new_cheats

GROUPS = grouped(cases())


def test_there_are_answers_of_every_kind():
    assert len(cases()) > 2000
    assert {case.results is None for case in cases()} == {True, False}
    assert len({case.signature for case in cases()}) > 130


@pytest.mark.parametrize("group", GROUPS)
def test_cheatcodes_answer_as_forge_does(group):
    cheats = new_cheats(structs=STRUCTS)
    found = [
        Case(group, signature, arguments, ask(cheats, signature, *arguments))
        for _, signature, arguments, _ in GROUPS[group]
    ]
    assert [
        pair for pair in zip(found, GROUPS[group], strict=True) if pair[0] != pair[1]
    ] == []
