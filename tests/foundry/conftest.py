"""The project of cheatcode tests, and what forge says of each of them.

A test that takes `solidity_test` runs once for each test of the project; its value is
"Contract.test", as `verdicts` and `reasons` have it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import pytest
from forge_verdicts import forge_test, write_compiler
from node_packages import require_package

HERE = Path(__file__).parent
SOURCES = HERE / "project"
Verdict = Literal["pass", "fail", "skip"]

_CONTRACT = re.compile(r"^contract (\w+)", re.MULTILINE)
_TEST = re.compile(
    r"^    function ((?:test|table|invariant|statefulFuzz)\w*)\(", re.MULTILINE
)
_VERDICTS: dict[str, Verdict] = {
    "Success": "pass",
    "Failure": "fail",
    "Skipped": "skip",
}


def _tests() -> list[str]:
    """Return "Contract.test" of all that the files have, in their order."""
    found = []
    for file in sorted((SOURCES / "test").glob("*.t.sol")):
        text = file.read_text("utf-8")
        contracts = [*_CONTRACT.finditer(text)]
        for test in _TEST.finditer(text):
            above = [each[1] for each in contracts if each.start() < test.start()]
            found.append(f"{above[-1]}.{test[1]}")
    return found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give each test of the project to those who ask, without a run of forge."""
    if "solidity_test" in metafunc.fixturenames:
        metafunc.parametrize("solidity_test", _tests())


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project with forge-std and a compiler for forge."""
    project = tmp_path_factory.mktemp("foundry") / "project"
    shutil.copytree(SOURCES, project)
    standard = Path("lib", "forge-std", "src")
    uniswap = require_package(HERE, "@uniswap/v4-core", "foundry")
    shutil.copytree(uniswap / standard, project / standard)
    write_compiler(project, HERE, "foundry")
    return project


@pytest.fixture(scope="session")
def results(project: Path) -> dict[str, dict[str, Any]]:
    """Return what forge, run once, says of "Contract.test"; it compiles into `out`."""
    found = {}
    for suite, ran in forge_test(project, HERE, "foundry").items():
        contract = suite.split(":")[1]
        results = {
            signature.split("(")[0]: result
            for signature, result in ran["test_results"].items()
        }
        # What keeps a contract from being set up is said once, for all of its tests.
        for step in ("constructor", "setUp"):
            if step in results:
                [result] = results.values()
                names = (each.split(".") for each in _tests())
                results = {test: result for of, test in names if of == contract}
        found |= {f"{contract}.{test}": result for test, result in results.items()}
    return found


@pytest.fixture(scope="session")
def verdicts(results: Mapping[str, Any]) -> dict[str, Verdict]:
    """Return forge's verdicts by "Contract.test"; an invariant that breaks fails."""
    return {name: _VERDICTS[result["status"]] for name, result in results.items()}


@pytest.fixture(scope="session")
def reasons(results: Mapping[str, Any]) -> dict[str, str]:
    """Return why tests failed or were skipped, in forge's words."""
    return {name: result["reason"] or "" for name, result in results.items()}
