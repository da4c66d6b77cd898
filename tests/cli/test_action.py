"""The action for GitHub: its step runs as GitHub's runner would run it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from command_line import RETURN_FALSE, artifact

from echidna_mcp.cli.main import cli

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


def fuzz_step() -> dict[str, Any]:
    (step,) = (s for s in ACTION["runs"]["steps"] if s.get("name") == "Fuzz")
    return step


@pytest.fixture
def runner(tmp_path: Path) -> dict[str, str]:
    """Variables of a runner on which the package is installed."""
    program = tmp_path / "temp" / "echidna-mcp" / "bin" / "echidna-mcp"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m echidna_mcp.cli "$@"\n')
    program.chmod(0o755)
    return {**os.environ, "RUNNER_TEMP": str(tmp_path / "temp")}


def run_step(
    directory: Path, runner: dict[str, str], **inputs: str
) -> subprocess.CompletedProcess[str]:
    """Run the step with its inputs, those that are not given by default."""
    values = {name: str(each["default"]) for name, each in ACTION["inputs"].items()}
    values |= {name.replace("_", "-"): value for name, value in inputs.items()}
    environment = {
        name: values[text.removeprefix("${{ inputs.").removesuffix(" }}")]
        for name, text in fuzz_step()["env"].items()
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", fuzz_step()["run"]],
        cwd=directory,
        env={**runner, **environment, "GITHUB_WORKSPACE": str(directory)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_annotates_fails_and_writes_what_it_says(tmp_path: Path, runner):
    artifact(tmp_path / "a bad; one.json", runtime=RETURN_FALSE)
    done = run_step(
        tmp_path,
        runner,
        target="a bad; one.json",
        arguments="--seed 1 --test-limit 100 --allow-not-exercised 'echidna_holds'",
        junit="out/result.xml",
    )
    assert done.returncode == 1, done.stderr
    assert "::error title=" in done.stdout
    assert (tmp_path / "echidna.sarif").is_file()
    assert (tmp_path / "out" / "result.xml").is_file()
    assert (tmp_path / "echidna-coverage" / "covered.html").is_file()
    again = run_step(
        tmp_path,
        runner,
        target="a bad; one.json",
        arguments="--seed 2 --test-limit 100",
        baseline="echidna-corpus",
    )
    assert again.returncode == 0, again.stderr
    assert "::notice title=" in again.stdout


def test_no_input_is_text_of_a_script():
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")


def test_its_options_are_those_of_run():
    known = {name for each in cli.commands["run"].params for name in each.opts}
    words = fuzz_step()["run"].replace("(", " ").replace(")", " ").split()
    assert {word for word in words if word.startswith("--") and word != "--"} <= known
