"""How many logical workers there are: numbers, and names of usual ones."""

from __future__ import annotations

import pytest

from echidna_mcp.config.campaign import WORKERS
from echidna_mcp.config.projects.loader import load_config
from echidna_mcp.config.readers import WrongValue
from echidna_mcp.config.workers import MOST_WORKERS, PRESETS, read_workers
from echidna_mcp.errors import ConfigError


@pytest.mark.parametrize(
    ("written", "workers"),
    [
        ("small", 8),
        ("medium", 64),
        ("large", 256),
        ("'300'", 300),
        ("255", 255),
        ("256", 256),
        ("4096", MOST_WORKERS),
        ("0", WORKERS),
        ("null", WORKERS),
    ],
)
def test_a_number_stays_one_and_a_name_means_one(tmp_path, written, workers):
    file = tmp_path / "echidna.yaml"
    file.write_text(f"workers: {written}\n")
    assert load_config(file).campaign.workers == workers


def test_the_default_is_the_small_size():
    assert PRESETS["small"] == WORKERS


@pytest.mark.parametrize("wrong", [-1, 4097, "4097", True, 2.5, "", [], {}, "Small"])
def test_anything_else_is_refused_in_one_sentence(wrong):
    with pytest.raises(WrongValue, match=r"0 to 4096, small, medium or large$"):
        read_workers(wrong)


def test_a_name_that_is_misspelt_is_told_with_what_may_be_meant():
    with pytest.raises(ConfigError) as refused:
        load_config(None, {"workers": "lage"})
    assert refused.value.message == (
        "--workers must be a whole number from 0 to 4096, small, medium or large, not "
        "`lage`; did you mean `large`?"
    )
