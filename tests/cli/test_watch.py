"""`run --watch` runs again when sources change, and tells what became of findings."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import RETURN_FALSE, RETURN_TRUE, SMALL, UNLIMITED, artifact, invoke
from evm_assembler import assemble
from live_server import until
from solc import require_solc

from echidna_mcp.cli.project.sources import changed, snapshot
from echidna_mcp.cli.project.watching import Watch
from echidna_mcp.corpora import earlier
from echidna_mcp.corpora.earlier import EarlierVerdict, earlier_verdicts
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.views.campaign import CampaignViews

BREAKABLE = assemble(
    *(4, "CALLDATASIZE GT @set JUMPI", 0, "SLOAD ISZERO", 0, "MSTORE", 32, 0),
    *("RETURN set:", 1, 0, "SSTORE STOP"),
)
"""Code whose property holds until a call with arguments."""
TOKEN = """// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Token {
    uint256 private total;

    function add(uint8 amount) external {
        total += amount;
    }

    function echidna_low() external view returns (bool) {
        return total < LIMIT;
    }
}
"""


class Watching:
    """The command, and what it has said so far."""

    def __init__(self, directory: Path, *words: object) -> None:
        self._log = directory.with_name("log.txt")
        with self._log.open("w") as log:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "echidna_mcp.cli", "run", "--watch"),
                    *("--format", "text"),
                    *map(str, words),
                ],
                cwd=directory,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self._seen = 0

    def said(self, text: str) -> str:
        """Wait until it says something new; return all that it said until then."""

        def there() -> bool:
            assert self.process.poll() is None or text in self._text(), self._text()
            return text in self._text()[self._seen :]

        until(there, text)
        whole = self._text()
        end = whole.index(text, self._seen) + len(text)
        found, self._seen = whole[self._seen : end], end
        return found

    def interrupted(self) -> tuple[int, str]:
        """Interrupt it; return its exit code and all that it said since."""
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(120)
        return code, self._text()[self._seen :]

    def _text(self) -> str:
        return self._log.read_text("utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    directory = tmp_path / "project"
    directory.mkdir()
    return directory


@pytest.fixture
def watching(project: Path) -> Iterator[list[Watching]]:
    started: list[Watching] = []
    yield started
    for each in started:
        each.process.kill()
        each.process.wait()


def test_findings_are_fixed_broken_and_new_as_sources_change(project, watching):
    target = artifact(project / "T.json", runtime=BREAKABLE)
    watch = Watching(project, "T.json", *SMALL, "--seed", 1)
    watching.append(watch)
    first = watch.said("Watching 1 file in ")
    assert "echidna_holds: failed!" in first
    assert "New: T.echidna_holds" in first
    artifact(target, runtime=RETURN_TRUE)
    second = watch.said("Watching ")
    assert "Changed: T.json. Running again." in second
    assert "Failed before: echidna_holds: fixed" in second
    assert "\nFixed: T.echidna_holds\n" in second
    assert "New: " not in second
    artifact(target, runtime=BREAKABLE)
    third = watch.said("Watching ")
    assert "\nBroken again: T.echidna_holds\n" in third
    assert "New: " not in third
    target.write_text("{")
    assert "Error: " in watch.said("Watching ")
    artifact(target, runtime=BREAKABLE + b"\0")
    assert "Still broken: T.echidna_holds" in watch.said("Watching ")
    code, text = watch.interrupted()
    assert (code, text.splitlines()[1:]) == (1, ["No longer watching."])
    assert len(list((project / "echidna-corpus").iterdir())) == 4


def test_earlier_findings_are_replayed_once_a_campaign(project, monkeypatch):
    monkeypatch.chdir(project)
    artifact(project / "T.json", runtime=BREAKABLE)
    words = ("run", "T.json", *SMALL, "--corpus-dir", "c")
    assert invoke(*words).code == 1
    replays = []

    def replayed(views: CampaignViews, backend: BackendPlugin) -> list[EarlierVerdict]:
        replays.append(views)
        return earlier_verdicts(views, backend)

    def ended(_watch: Watch) -> list[str]:
        raise KeyboardInterrupt

    monkeypatch.setattr(earlier, "earlier_verdicts", replayed)
    monkeypatch.setattr(Watch, "take_news", ended)
    for more in ((), ("--format", "none")):
        done = invoke(*words, "--watch", "--seed", 8 + len(more), *more)
        assert done.code == 1, done
        assert "Still broken: T.echidna_holds" in done.err
        assert ("still broken" in done.out) is (not more)
    assert len(replays) == 2


def test_a_change_ends_the_campaign_that_runs(project, watching):
    target = artifact(project / "T.json")
    watch = Watching(project, "T.json", *UNLIMITED)
    watching.append(watch)
    watch.said("Fuzzing ")
    artifact(target, runtime=RETURN_FALSE)
    watch.said("The campaign was asked to stop.")
    assert "Fuzzing " in watch.said("echidna_holds: failed!")


def test_ctrl_c_ends_the_campaign_in_good_order_and_then_the_watch(project, watching):
    artifact(project / "T.json")
    watch = Watching(project, "T.json", *UNLIMITED)
    watching.append(watch)
    watch.said("Fuzzing ")
    code, text = watch.interrupted()
    # Before its first round has ended nothing was exercised.
    assert (code, "echidna_holds: passing" in text) in ((0, True), (4, False))
    assert "echidna_holds: " in text
    assert "Watching" not in text


@pytest.mark.solc
def test_sources_of_a_project_are_watched(project, watching):
    require_solc()
    source = project / "src" / "Token.sol"
    source.parent.mkdir()
    source.write_text(TOKEN.replace("LIMIT", "100"))
    watch = Watching(project, *SMALL, "--test-limit", 400, "--seed", 1)
    watching.append(watch)
    assert "New: Token.echidna_low" in watch.said("Watching 1 file in ")
    source.write_text(TOKEN.replace("LIMIT", "LIMIT +"))
    assert "Error: " in watch.said("Watching ")
    source.write_text(TOKEN.replace("LIMIT", "type(uint256).max"))
    # The findings are those of the last campaign: what did not compile is none.
    assert "Fixed: Token.echidna_low" in watch.said("Watching ")


def test_what_compilers_make_and_what_is_fetched_does_not_count(tmp_path):
    def look():
        return snapshot(tmp_path, {})

    before = look()
    for name in (
        *("out/A.sol", "node_modules/a/A.sol", ".git/A.sol", "cache/A.sol"),
        *("echidna-corpus/x/A.sol", "README.md", "src/A.txt"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert look() == before == {}
    for name in ("src/a/A.sol", "V.vy", "foundry.toml", "fuzz/medusa.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    found = look()
    assert changed(before, found) == sorted(found)
    assert len(found) == 4
    (tmp_path / "V.vy").unlink()
    (tmp_path / "src/a/A.sol").write_text("xy")
    news = changed(found, look())
    assert news == sorted(str(tmp_path / x) for x in ("V.vy", "src/a/A.sol"))


def test_without_a_project_there_is_nothing_to_watch(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "There is no project here" in invoke("run", "--watch").refusal()


@pytest.mark.parametrize("words", [("--dry-run",), ("--mcp-port", 0)])
def test_what_does_not_go_with_it_is_refused(words):
    assert "one after another" in invoke("run", "--watch", *words).refusal()
