"""Standard streams that are closed, full, or of another encoding."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from command_line import RETURN_FALSE, SMALL, artifact
from live_server import command

pytestmark = pytest.mark.servers

SECONDS = 300


def shell(line: str, *arguments: object, **environment: str) -> tuple[int, str, str]:
    """Run a shell line in which `"$@"` is the command; return code, out and err."""
    done = subprocess.run(
        ["/bin/bash", "-c", f"set -o pipefail; {line}", "-", *command(*arguments)],
        capture_output=True,
        timeout=SECONDS,
        check=False,
        env={**os.environ, **environment},
    )
    out, err = done.stdout.decode(), done.stderr.decode(errors="replace")
    assert "Traceback" not in err
    assert "Exception ignored" not in err
    return done.returncode, out, err


@pytest.fixture
def bad(here: Path) -> Path:
    return artifact(here / "Bad.json", runtime=RETURN_FALSE)


def test_a_reader_of_the_report_that_leaves_changes_nothing(bad):
    """`head` gets its line, and the exit code still tells the result."""
    code, _, err = shell('"$@" | sleep 0', "run", bad, *SMALL, "--corpus-dir", "s")
    assert (code, err.splitlines()[-1]) == (1, "Campaign: s")


def test_a_reader_of_the_progress_that_leaves_changes_nothing(bad):
    line = '"$@" 2>&1 >report | sleep 0'
    code, _, _ = shell(line, "run", bad, *SMALL, "--format", "text")
    assert code == 1
    assert Path("report").read_text("utf-8").startswith("echidna_holds: failed!")


@pytest.mark.parametrize("words", [("tools", "--json"), ("plugins",)])
def test_a_list_may_be_read_in_part(here, words):
    assert shell('"$@" | head -1', *words)[0] == 0


def test_a_full_disk_under_the_report(bad):
    code, _, err = shell('"$@" >/dev/full', "run", bad, *SMALL, "--format", "json")
    assert (code, err) == (2, "Error: [Errno 28] No space left on device.\n")


def test_a_full_disk_under_the_progress(bad):
    code, out, _ = shell('"$@" 2>/dev/full', "run", bad, *SMALL, "--format", "text")
    assert code == 1
    # A stream that is ASCII has the exclamation escaped.
    assert out.splitlines()[0].startswith("echidna_holds: failed!")


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed(bad, closed):
    assert shell(f'"$@" {closed}', "run", bad, *SMALL)[0] == 1


def test_a_refusal_that_nobody_hears(here):
    assert shell('"$@" >&- 2>&-', "run", "nosuch.sol")[0] == 2


def test_an_encoding_that_lacks_letters(here):
    artifact(here / "Größe ✓.json")
    words = ("run", "Größe ✓.json", *SMALL, "--format", "text")
    code, out, err = shell('"$@"', *words, PYTHONIOENCODING="ascii")
    assert code == 0
    assert "Gr\\xf6\\xdfe" in err
    assert "echidna_holds: passing" in out


def test_json_needs_no_encoding(here):
    artifact(here / "Größe ✓.json")
    words = ("run", "Größe ✓.json", *SMALL, "--format", "json")
    code, out, _ = shell('"$@"', *words, PYTHONIOENCODING="ascii")
    assert (code, json.loads(out)["contract"]) == (0, "Größe ✓.json:Größe ✓")
