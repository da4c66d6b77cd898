"""Suites that are left out: each has a session, and a line that names it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from documentation import ROOT
from suites import SUITES, TESTS


def test_each_suite_has_tests():
    for suite in SUITES:
        assert suite.files or suite.marker
        assert all(list(TESTS.glob(pattern)) for pattern in suite.files)


@pytest.mark.parametrize(("workers", "asked"), [("1", False), ("0", True)])
def test_what_nobody_asked_for_is_left_out_in_a_line(workers, asked):
    given = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    wanted = {suite.variable: "1" if asked else "" for suite in SUITES}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-n", workers, "-k", "no_such_test"),
            *("-p", "no:cacheprovider"),
            *("tests/dashboard", "tests/serve/test_endurance.py"),
        ],
        cwd=ROOT,
        env={**given, **wanted},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [x for x in done.stdout.splitlines() if x.startswith("Not asked for: ")]
    expected = [
        "Not asked for: slow tests; nox -s endurance runs them.",
        "Not asked for: the dashboard in a browser; nox -s browser runs them.",
    ]
    assert lines == ([] if asked else expected), done.stdout
