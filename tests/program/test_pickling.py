"""What worker processes get of a target."""

from __future__ import annotations

import pickle

from campaigns import small_config

from echidna_mcp.demo import load_demo
from echidna_mcp.program.target import build_target


def test_what_a_target_has_derived_stays_behind():
    target = build_target(load_demo(), small_config())
    assert target.function_index
    assert target.program.named
    again = pickle.loads(pickle.dumps(target))
    assert "function_index" not in vars(again)
    assert "named" not in vars(again.program)
    assert again == target
    assert again.function_index == target.function_index
