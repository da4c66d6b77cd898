"""What a search covers of released projects, by seconds of processor time.

    nox -s coverage_bench -- [--seconds 60] [--seeds 1,2,3,4,5] [--only NAME,...]
        [--before PYTHON] [--also WORDS] [--without-forge] [--missed]

Each file of `tests/bench/coverage` but `Suite.sol` is a case: a test `NameTest` in
Foundry's style, whose handlers call code of npm packages that others have written. It
has one invariant, which holds, so that nothing ends a search. These search in the same
project, with the same settings:

* ours: this version;
* before: the version that another Python has installed, of `--before`;
* ours with further options of `run`, of `--also`, such as `--also "--solver off"`;
* forge, guided by coverage.

Everybody has the same processor time, that of all processes of a run together; then a
ctrl-C ends it. What is compiled and cached before any search begins is not counted.
Then this version executes the corpus that is left, of whomever, and says which lines
and branches of the packages that covers, so one measure holds for all; those of the
case itself do not count. `--missed` also tells what others have covered, in any of the
seeds, and ours in none. Medians over the seeds, with the least and the most.
"""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass, field
from functools import partial
from io import StringIO
from pathlib import Path

from forge import COMPILER, find_forge
from processor_time import run_for

from echidna_mcp.cli.corpus.subject import Subject, TargetWish, open_subject
from echidna_mcp.cli.corpus.writing import play_all
from echidna_mcp.cli.request.place import newest_campaign
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.reports.files import file_coverage
from echidna_mcp.reports.lines import CoverageIndex
from echidna_mcp.reports.uncovered import uncalled_contracts, uncovered_functions
from echidna_mcp.views.coverage import counters

HERE = Path(__file__).resolve().parent
CASES = HERE / "coverage"
PROJECTS = HERE.parent / "projects"
PACKAGES = PROJECTS / "node_modules"
COMMON = "Suite.sol"
OPTIMIZED = frozenset(["Solady"])
"""Cases whose assembly has too many variables for the stack otherwise."""
LONGER_THAN_ANY = 10_000
"""The most calls of a sequence: none of forge is cut when it is measured."""
_EXACT = re.compile(r"^pragma solidity =([\d.]+);", re.MULTILINE)
_HARNESS = re.compile(r'"harness/(\w+\.sol)"')
_FORGE_CALLS = re.compile(r"\(runs: \d+, calls: (\d+)|\"total_txs\":(\d+)")
_SETTINGS = """\
[profile.default]
libs = ["node_modules"]
remappings = [
    "@aave/=node_modules/@aave/",
    "@morpho-org/=node_modules/@morpho-org/",
    "@openzeppelin/=node_modules/@openzeppelin/",
    "@prb/=node_modules/@prb/",
    "@uniswap/=node_modules/@uniswap/",
    "harness/=src/",
    "solady/=node_modules/solady/",
    "solmate/=node_modules/solmate/",
]
auto_detect_remappings = false
solc = "./solc"
offline = true
optimizer = {optimizer}

[invariant]
depth = 100
runs = 4000000000
max_time_delay = 604800
max_block_delay = 60480
corpus_dir = "forge-corpus"
corpus_gzip = false
"""

Place = tuple[str, int]
"""Path and line."""
Way = tuple[str, int, int, int, str]
"""Path, line, beginning and length of a branch, and which way it was left."""


@dataclass(frozen=True, slots=True)
class Case:
    """A test in Foundry's style of what a project has released."""

    source: Path

    @property
    def name(self) -> str:
        """Return its name in the table."""
        return self.source.stem

    @property
    def contract(self) -> str:
        """Return the qualified name of the test in its project."""
        return f"test/{self.name}.t.sol:{self.name}Test"

    @property
    def compiler(self) -> str:
        """Return the npm package of the compiler that its pragma asks for."""
        exact = _EXACT.search(self.source.read_text("utf-8"))
        return "solc" if exact is None else f"solc-{exact[1]}"

    def write_project(self, folder: Path) -> None:
        """Write a project of Foundry that has this test alone.

        Args:
            folder: does not exist.
        """
        for part in ("src", "test"):
            (folder / part).mkdir(parents=True)
        shutil.copy(self.source, folder / "test" / f"{self.name}.t.sol")
        shutil.copy(CASES / COMMON, folder / "test")
        for harness in _HARNESS.findall(self.source.read_text("utf-8")):
            shutil.copy(PROJECTS / "contracts" / harness, folder / "src")
        compiler = folder / "solc"
        compiler.write_text(COMPILER.format(package=PACKAGES / self.compiler), "utf-8")
        compiler.chmod(0o755)
        (folder / "node_modules").symlink_to(PACKAGES)
        optimizer = "true" if self.name in OPTIMIZED else "false"
        settings = _SETTINGS.format(optimizer=optimizer)
        (folder / "foundry.toml").write_text(settings, "utf-8")


@dataclass(frozen=True, slots=True)
class Reached:
    """What a corpus covers of the packages.

    Attributes:
        lines, ways: what it covers.
        all_lines, all_ways: how many there are.
    """

    lines: frozenset[Place] = frozenset()
    ways: frozenset[Way] = frozenset()
    all_lines: int = 0
    all_ways: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run did.

    Attributes:
        reached: by its corpus.
        calls: all that were made.
        seconds: of processor time.
    """

    reached: Reached
    calls: int
    seconds: float


@dataclass(slots=True)
class _Executed:
    """What sequences have executed together, by code."""

    bits: dict[str, int] = field(default_factory=dict)
    jumps: dict[str, set[tuple[int, int]]] = field(default_factory=dict)

    def covered(self) -> Mapping[str, list[int]]:
        return {key: counters(bits) for key, bits in self.bits.items()}


def reached_by(subject: Subject) -> Reached:
    """Execute all sequences of a corpus, and return what they cover."""
    executed = _Executed()
    for played in play_all(subject):
        for key, _, bits in played.coverage.visited:
            executed.bits[key] = executed.bits.get(key, 0) | bits
        for key, jump, entered in played.coverage.edges:
            executed.jumps.setdefault(key, set()).add((jump, entered))
    target = subject.on_bench().target
    index = CoverageIndex(
        target.program, uncovered_functions(target), uncalled_contracts(target)
    )
    lines: dict[Place, bool] = {}
    ways: dict[Way, bool] = {}
    for path, file in file_coverage(index, executed.covered(), executed.jumps).items():
        if not path.startswith("node_modules/"):
            continue
        for line, count in file.lines.items():
            lines[path, line] = count > 0
        for span, branch in file.branches.items():
            place = (path, branch.line, span.start, span.length)
            ways[*place, "falls through"] = branch.fell_through > 0
            ways[*place, "jumps"] = branch.jumped > 0
    return Reached(
        frozenset(line for line, covered in lines.items() if covered),
        frozenset(way for way, covered in ways.items() if covered),
        len(lines),
        len(ways),
    )


def ours(
    case: Case,
    project: Path,
    seconds: float,
    seed: int,
    *,
    python: str = sys.executable,
    options: Sequence[str] = (),
) -> Outcome:
    """Run a case as `echidna-mcp run` does, with the version that a Python has."""
    corpus = project / "our-corpus"
    shutil.rmtree(corpus, ignore_errors=True)
    words = [
        *(python, "-m", "echidna_mcp.cli", "run", "."),
        *("--contract", case.contract, "--seed", str(seed), "--executor", "inline"),
        *("--allow-paths", str(PACKAGES), "--format", "none", *options),
    ]
    with tempfile.TemporaryDirectory() as other:
        # Compiles the program and the kernel, both of which are kept.
        first = [*words, "--test-limit", "1", "--corpus-dir", other]
        done = subprocess.run(first, cwd=project, capture_output=True, check=False)
        assert done.returncode in (0, 4), done.stderr.decode()
    words += ["--test-limit", str(10**15), "--corpus-dir", str(corpus)]
    _, spent = run_for(words, project, seconds)
    subject = open_subject(corpus, TargetWish(None, (), "default"))
    return Outcome(reached_by(subject), _calls_in(corpus), spent)


def _calls_in(corpus: Path) -> int:
    with EventStore.read_only(store_path(newest_campaign(corpus))) as store:
        rounds = store.read(types=("RoundCommitted",))
        return max((event.payload["totalCalls"] for event in rounds), default=0)


def forge_covers(
    case: Case, project: Path, seconds: float, seed: int, *, binary: Path
) -> Outcome:
    """Run a case with forge."""
    corpus = project / "forge-corpus"
    shutil.rmtree(corpus, ignore_errors=True)
    options = ["--use", "./solc", "--offline"]
    built = subprocess.run(
        [str(binary), "build", *options], cwd=project, capture_output=True, check=False
    )
    assert built.returncode == 0, built.stderr.decode()
    words = [str(binary), "test", "-j", "1", *options, "--fuzz-seed", str(seed)]
    output, spent = run_for(words, project, seconds)
    calls = [int(ended or running) for ended, running in _FORGE_CALLS.findall(output)]
    if not corpus.is_dir():
        return Outcome(Reached(), max(calls, default=0), spent)
    options = ["--contract", case.contract, "--allow-paths", str(PACKAGES)]
    wish = TargetWish(project, (*options, "--seq-len", str(LONGER_THAN_ANY)), "default")
    with redirect_stderr(StringIO()):  # It tells what it reads.
        subject = open_subject(corpus, wish)
    return Outcome(reached_by(subject), max(calls, default=0), spent)


def told(label: str, case: Case, outcomes: Sequence[Outcome]) -> str:
    """Return a line about the runs of a case."""
    whole = max((each.reached for each in outcomes), key=lambda it: it.all_lines)
    parts = [
        _told_part("lines", [len(x.reached.lines) for x in outcomes], whole.all_lines),
        _told_part("branches", [len(x.reached.ways) for x in outcomes], whole.all_ways),
        f"{statistics.median(each.calls for each in outcomes):,.0f} calls",
        f"{statistics.median(each.seconds for each in outcomes):.0f} s spent",
    ]
    return f"{case.name:13} {label:17} " + "; ".join(parts)


def _told_part(what: str, counts: Sequence[int], whole: int) -> str:
    least, most = min(counts), max(counts)
    return f"{what} {statistics.median(counts):g} ({least}-{most}) / {whole}"


def told_missed(runs: Mapping[str, Sequence[Outcome]]) -> Iterator[str]:
    """Yield a line for each line and way that others have covered and ours not."""
    lines, ways = _together(runs["ours"])
    for label, outcomes in runs.items():
        other_lines, other_ways = _together(outcomes)
        for path, line in sorted(other_lines - lines):
            yield f"    {label} alone: {path}:{line}"
        for path, line, start, _, way in sorted(other_ways - ways):
            yield f"    {label} alone: {path}:{line} {way} (byte {start})"


def _together(outcomes: Sequence[Outcome]) -> tuple[set[Place], set[Way]]:
    lines, ways = set[Place](), set[Way]()
    for outcome in outcomes:
        lines |= outcome.reached.lines
        ways |= outcome.reached.ways
    return lines, ways


def cases() -> list[Case]:
    """Return all cases, by name."""
    return [Case(each) for each in sorted(CASES.glob("*.sol")) if each.name != COMMON]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seeds", default="1,2,3,4,5")
    parser.add_argument("--only", default="")
    parser.add_argument("--before")
    parser.add_argument("--also", default="")
    parser.add_argument("--without-forge", action="store_true")
    parser.add_argument("--missed", action="store_true")
    asked = parser.parse_args()
    seeds = [int(each) for each in asked.seeds.split(",")]
    only = set(filter(None, asked.only.split(",")))
    forge = None if asked.without_forge else find_forge(PACKAGES / "solc")
    if forge is None and not asked.without_forge:
        print("forge is absent: run `nox -s projects` first to compare with it")
    for case in cases():
        if only and case.name not in only:
            continue
        with tempfile.TemporaryDirectory() as directory:
            project = Path(directory) / case.name
            case.write_project(project)
            searches: dict[str, Callable[..., Outcome]] = {"ours": ours}
            if asked.also:
                options = shlex.split(asked.also)
                searches[f"ours {asked.also}"] = partial(ours, options=options)
            if asked.before:
                searches["before"] = partial(ours, python=asked.before)
            if forge is not None:
                searches["forge guided"] = partial(forge_covers, binary=forge.binary)
            runs = {}
            for label, search in searches.items():
                runs[label] = [
                    search(case, project, asked.seconds, seed) for seed in seeds
                ]
                print(told(label, case, runs[label]), flush=True)
            if asked.missed:
                for line in told_missed(runs):
                    print(line, flush=True)


if __name__ == "__main__":
    main()
