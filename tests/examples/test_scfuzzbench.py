"""The runner for scfuzzbench: a log in which its analysis finds what fell, and when.

`scfuzzbench_common.sh` stands for the benchmark's own `common.sh`.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from solc import require_solc
from wheels import ROOT

RUNNER = ROOT / "examples" / "scfuzzbench"
COMMON = Path(__file__).with_name("scfuzzbench_common.sh")
SECONDS = 15
"""Much more than it takes until all has fallen, on any machine."""
FALLS = {
    "assert_canary(uint256)",
    "invariant_canary()",
    "invariant_shares_add_up()",
    "savings_join(uint256)",
}

# What the benchmark reads: any line's time, a test's name, and reasons after "!!!".
TIME = re.compile(r"^\[(\d{4}-\d\d-\d\d [\d:.]+)\]")
FALSIFIED = re.compile(r"Test\s+(\S+)\s+falsified!")
REASON = "!!!"


def git(directory: Path, *words: str) -> str:
    """Run git in a repository of a test, whatever the configuration of this user."""
    identity = ("-c", "user.name=test", "-c", "user.email=test@localhost")
    return subprocess.run(
        ["git", "-C", directory, *identity, *words],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


@pytest.fixture(scope="module", params=["older", "newer"])
def environment(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """The variables of a run: a target to clone, and the program installed.

    Newer versions of the benchmark pin the directories that they upload.
    """
    require_solc()
    place = tmp_path_factory.mktemp("scfuzzbench")
    target, programs = place / "target", place / "bin"
    shutil.copytree(RUNNER / "harness", target)
    git(place, "init", "--quiet", str(target))
    git(target, "add", ".")
    git(target, "commit", "--quiet", "-m", "target")
    programs.mkdir()
    program = Path(sys.executable).with_name("echidna-mcp")
    variables = {
        **os.environ,
        "SCFUZZBENCH_COMMON_SH": str(COMMON),
        "SCFUZZBENCH_ROOT": str(place / "root"),
        "SCFUZZBENCH_BIN_DIR": str(programs),
        "SCFUZZBENCH_REPO_URL": str(target),
        "SCFUZZBENCH_COMMIT": git(target, "rev-parse", "HEAD"),
        "SCFUZZBENCH_BENCHMARK_TYPE": "property",
        "SCFUZZBENCH_TIMEOUT_SECONDS": str(SECONDS),
        "SCFUZZBENCH_WORKERS": "2",
        "ECHIDNA_MCP_PROGRAM": str(program),
        "ECHIDNA_MCP_SEED": "7",
        "PINS": "1" if request.param == "newer" else "",
    }
    install = RUNNER / "install.sh"
    subprocess.run([install], env=variables, check=True, capture_output=True)
    return variables


def run(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the runner, not on a terminal."""
    return subprocess.run(
        [RUNNER / "run.sh"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def logs(environment: dict[str, str]) -> Path:
    """Run a campaign until the clock ends it; return the directory of its logs."""
    done = run(environment)
    assert done.returncode == 124, done.stdout + done.stderr  # that of `timeout`
    return Path(environment["SCFUZZBENCH_ROOT"]) / "logs"


def events(log: Path) -> list[tuple[str, float]]:
    """Return each name that falls and after how many seconds, as the analysis does."""
    found: list[tuple[str, float]] = []
    first = last = None
    for line in log.read_text("utf-8").splitlines():
        if time := TIME.match(line):
            last = datetime.fromisoformat(time[1]).timestamp()
            first = last if first is None else first
        assert REASON not in line
        if fell := FALSIFIED.search(line):
            assert first is not None
            assert last is not None
            found.append((fell[1], last - first))
    return found


@pytest.mark.parametrize("script", ["install.sh", "run.sh"])
def test_the_scripts_can_be_run(script):
    assert (RUNNER / script).stat().st_mode & stat.S_IXUSR
    subprocess.run(["bash", "-n", RUNNER / script], check=True)


def test_the_log_has_each_test_that_falls_once_at_its_time(logs):
    found = events(logs / "echidna-mcp.log")
    assert sorted(name for name, _ in found) == sorted(FALLS)
    assert all(0 <= seconds < SECONDS for _, seconds in found)
    # They are told as they fall, not at the end.
    assert min(seconds for _, seconds in found) < SECONDS / 2


def test_global_properties_are_called_as_functions_that_assert(logs):
    config = (logs.parent / "work" / "target" / "echidna.yaml").read_text("utf-8")
    assert 'prefix: "echidna_"' in config
    assert "invariant_" not in config


def test_the_report_lies_beside_the_log_and_is_no_log(logs):
    report = (logs / "echidna-mcp-report.txt").read_text("utf-8")
    assert all(f"{name}: failed!" in report for name in FALLS)
    assert [each.name for each in logs.glob("*.log")] == ["echidna-mcp.log"]


def test_what_the_benchmark_does_for_every_fuzzer_is_left_to_it(environment, logs):
    called = (logs.parent / "called").read_text("utf-8").splitlines()
    version = subprocess.run(
        [Path(sys.executable).with_name("echidna-mcp"), "--version"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()[-1]
    pins = bool(environment["PINS"])
    assert called == [
        "prepare_workspace",  # by install.sh
        "register_shutdown_trap",
        "prepare_workspace",
        "clone_target",
        *["capture_target_workspace_anchor"] * pins,
        "apply_benchmark_type property",
        "build_target",
        *["prepare_shared_seed_corpus"] * pins,
        f"upload_results mcp-echidna-v{version}",
    ]


def test_the_corpus_is_where_it_is_collected(logs):
    corpus = logs.parent / "work" / "target" / "corpus" / "echidna-mcp"
    assert (corpus / "campaign.db").is_file()


def test_a_target_without_a_configuration_is_refused_in_one_sentence(
    environment, tmp_path
):
    changed = {
        **environment,
        "SCFUZZBENCH_ROOT": str(tmp_path),
        "ECHIDNA_CONFIG": "missing.yaml",
    }
    done = run(changed)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.endswith(
        "no missing.yaml in the target; name its file in ECHIDNA_CONFIG."
    )
