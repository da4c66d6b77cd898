"""Harnesses, compiled once, and what a campaign on each has to find."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from outside import Outcome, compile_harness, run_harness

Harness = Callable[[str, int], tuple[Path, Outcome]]
"""Gives an artifact, and what so many calls find when nothing runs beside them."""


@pytest.fixture(scope="package")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Harness:
    @cache
    def prepared(name: str, calls: int) -> tuple[Path, Outcome]:
        place = tmp_path_factory.mktemp(name)
        artifact = compile_harness(name, place)
        return artifact, run_harness(artifact, place / "s", calls)

    return prepared
