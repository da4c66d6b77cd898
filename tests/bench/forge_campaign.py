"""Cases of `bench_quality` with forge, for a given time of the processor.

All bugs that are still to be found are one invariant (`forge_case`), which is how forge
finds most: with one for each bug, each has a campaign of its own, and so a part of the
time. A campaign ends with the first that falls, and the next begins at once with
the others. Calls of a bug are all that were made till then, its time is that till forge
has ended. Compiling is not counted. Forge ends by the wall clock: if that was too soon,
on a busy machine, another campaign has the rest of the time; if it is guided, with the
corpus of those before.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from forge import write_compiler
from forge_case import INVARIANT, OPEN, foundry_test, settings, why_not
from processor_time import watch_for
from quality_cases import Case
from quality_outcomes import Outcome

_LEAST = 0.5
"""Seconds for which no further campaign begins: their timeout is in whole seconds."""
_ENDING = 30.0
"""Seconds of the processor beyond its timeout after which a campaign is stopped."""
_AT_ONCE = "failed to set up invariant testing environment:"
"""Forge says so if an invariant is false before the first call."""
_SHOWN = 2_000
_FAILED = re.compile(rf"^\[FAIL: (?:{_AT_ONCE})?([^\]\n]*)\]", re.MULTILINE)
_ENDED = re.compile(rf" {INVARIANT}\(\) \(runs: \d+, calls: \d+")
_ROW = re.compile(r"^\| \w+ +\| \w+ +\| (\d+) +\| \d+ +\| \d+ +\|$", re.MULTILINE)
_ERROR = re.compile(r"^Error.*$", re.MULTILINE)


class NotComparableError(Exception):
    """A case has no counterpart for forge; the message says why."""


class NoCampaignError(Exception):
    """Forge has run no campaign of the properties; the message has what it said."""


@dataclass(frozen=True, slots=True)
class Ended:
    """What a campaign of forge has told.

    Attributes:
        fallen: names of the properties that are false.
        calls: all that were made, those that reverted included.
    """

    fallen: frozenset[str]
    calls: int


def read_ended(output: str, properties: Collection[str]) -> Ended:
    """Return what forge has told of a campaign.

    Raises:
        NoCampaignError: it is no campaign of properties with these names.
    """
    # What failed is told once more behind that.
    output = output.partition("\nSuite result:")[0]
    if not _ENDED.search(output):
        raise NoCampaignError(output[-_SHOWN:])
    reasons = _FAILED.findall(output)
    fallen = {name for reason in reasons for name in reason.split()}
    if not fallen <= set(properties) or (reasons and not fallen):
        raise NoCampaignError(output[-_SHOWN:])
    return Ended(frozenset(fallen), sum(map(int, _ROW.findall(output))))


class ForgeCase:
    """A case as a project of Foundry, compiled."""

    def __init__(
        self, case: Case, binary: Path, solc_package: Path, project: Path
    ) -> None:
        """Write and compile it.

        Raises:
            NotComparableError: it can't be said as a Foundry test.
        """
        self._case = case
        self._project = project
        compiler = write_compiler(project, solc_package)
        self._words = [str(binary), "--use", str(compiler), "--offline"]
        (project / "foundry.toml").write_text(settings(case.config), "utf-8")
        for folder in ("src", "test"):
            (project / folder).mkdir()
        shutil.copy(case.source, project / "src")
        self._build()
        artifact = project / "out" / case.source.name / f"{case.contract}.json"
        abi = json.loads(artifact.read_text("utf-8"))["abi"]
        if reason := why_not(case, abi):
            raise NotComparableError(reason)
        test = project / "test" / "Case.t.sol"
        test.write_text(foundry_test(case, abi), "utf-8")
        self._build()

    def find(self, seed: int, seconds: float, *, guided: bool) -> Outcome:
        """Run it, plain or guided by coverage.

        Raises:
            NoCampaignError: forge has run no campaign.
        """
        corpus = self._project / "corpus"
        shutil.rmtree(corpus, ignore_errors=True)
        names = [*self._case.properties]
        found: dict[str, tuple[float, int]] = {}
        campaigns, calls, spent = 0, 0, 0.0
        while len(found) < len(names) and seconds - spent >= _LEAST:
            still = (1 << n for n, name in enumerate(names) if name not in found)
            timeout = max(1, round(seconds - spent))
            env = {
                OPEN: str(sum(still)),
                "FOUNDRY_INVARIANT_TIMEOUT": str(timeout),
            }
            if guided:
                env["FOUNDRY_INVARIANT_CORPUS_DIR"] = corpus.name
            # It would begin with what has failed before.
            shutil.rmtree(self._project / "cache" / "invariant", ignore_errors=True)
            chance = str(1_000 * seed + campaigns)
            words = self._said("test", "-j", "1", "--fuzz-seed", chance)
            watched = watch_for(words, self._project, timeout + _ENDING, env)
            ended = read_ended(watched.output, names)
            campaigns += 1
            calls += ended.calls
            spent += watched.seconds
            for name in ended.fallen:
                found.setdefault(name, (spent, calls))
        return Outcome(found, sorted(found.keys() - self._case.feasible), calls, spent)

    def _said(self, command: str, *words: str) -> Sequence[str]:
        binary, *options = self._words
        return [binary, command, *options, *words]

    def _build(self) -> None:
        done = subprocess.run(
            self._said("build"),
            cwd=self._project,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            said = _ERROR.search(done.stdout + done.stderr)
            raise NotComparableError(
                f"it does not compile: {said[0] if said else done.stderr}"
            )
