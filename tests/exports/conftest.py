"""Exports of all campaigns, and what forge says of them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from command_line import invoke
from exported_campaigns import CASES, PROJECT, Case, run_case
from exported_statuses import HERE, SESSION, exported_statuses
from forge_verdicts import write_compiler
from node_packages import require_package


@pytest.fixture(scope="session")
def compiler() -> Iterator[None]:
    """Let campaigns compile with the solc that forge has."""
    package = require_package(HERE, "solc", SESSION)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOLCJS", str(package))
        yield


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory, compiler: None) -> Path:
    """Return a copy of the project, with the exports of all campaigns."""
    copy = tmp_path_factory.mktemp("exports") / "project"
    shutil.copytree(PROJECT, copy)
    here = Path.cwd()
    os.chdir(copy)
    try:
        for case in CASES:
            outcome = run_case(case, copy)
            wanted = 0 if case.maximizes else 1
            assert outcome.code == wanted, outcome
            export_corpus(case, copy)
    finally:
        os.chdir(here)
    write_compiler(copy, HERE, SESSION)
    return copy


def export_corpus(case: Case, project: Path) -> None:
    """Export the first sequences of the corpus of a campaign."""
    for entry in range(3):
        outcome = invoke(
            *("export", project / "campaigns" / case.name, "corpus", entry),
            *("--output", project / "exported" / "corpus" / case.name),
        )
        assert outcome.code == 0 or entry > 0, outcome


@pytest.fixture(scope="session")
def verdicts(project: Path) -> Mapping[str, str]:
    """Return what forge, run once, says of all exports."""
    return exported_statuses(project)
