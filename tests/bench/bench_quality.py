"""What a search finds: planted bugs, by calls and by seconds of processor time.

    nox -s quality -- FOLDER [--seconds 60] [--seeds 1,2,3,4,5] [--only NAME,...]
        [--without-forge]

Without FOLDER it is `tests/bench/depth`: bugs behind sequences of calls. Each contract
of the Solidity files in FOLDER and below that has properties `echidna_*` is a case;
each property is a bug. `echidna.yaml` beside it configures it, and
`echidna-CONTRACT.yaml` a contract of that name. If `truth-N.json` stands beside
`maze-N.echidna.sol` its `feasible` are the numbers of the bugs that there are; any
other one that is found is a false report. Forge runs `maze-N.t.sol`, if it is there,
for as long, plain and guided by coverage: its `invariant_N` are the same bugs.

Everybody has the same processor time, that of all processes of a run together; then a
ctrl-C ends it. Medians over the seeds, with the least and the most.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from forge import COMPILER, find_forge
from processor_time import run_for

from echidna_mcp.cli.request.place import newest_campaign
from echidna_mcp.events.store import EventStore, store_path

HERE = Path(__file__).resolve().parent
PACKAGES = HERE.parent / "foundry" / "node_modules"
DEPTH = HERE / "depth"
QUARTERS = (0.25, 0.5, 1.0)
"""Parts of the time at which the bugs are counted."""
_CONTRACT = re.compile(r"^contract (\w+)[^{]*\{", re.MULTILINE)
_PROPERTY = re.compile(r"function (echidna_\w+)\(")
_FORGE_FAILED = re.compile(r"\[FAIL[^\n]*\] invariant_(\d+)\(\)")
_FORGE_CALLS = re.compile(r"\(runs: \d+, calls: (\d+)")


@dataclass(frozen=True, slots=True)
class Case:
    """A contract with planted bugs.

    Attributes:
        bugs: how many there are.
        feasible: names of their properties.
        foundry: the same as an invariant test, if there is that.
    """

    source: Path
    contract: str
    feasible: frozenset[str]
    foundry: Path | None

    @property
    def name(self) -> str:
        """Return its name in the table."""
        return self.contract if self.foundry is None else self.source.stem[:9]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run found.

    Attributes:
        found: seconds of processor time, about, and the calls, at which each bug fell.
        false: names that are no bugs.
        calls: all that were made.
        seconds: of processor time.
    """

    found: Mapping[str, tuple[float, int]]
    false: Sequence[str]
    calls: int
    seconds: float


def cases_in(folder: Path) -> Iterator[Case]:
    """Return the cases of a folder, by name."""
    for source in sorted(folder.rglob("*.sol")):
        if source.name.endswith(".t.sol"):
            continue
        text = source.read_text("utf-8")
        starts = [*_CONTRACT.finditer(text)]
        ends = [*(each.start() for each in starts[1:]), len(text)]
        number = re.search(r"(\d+)", source.name)
        truth = source.parent / f"truth-{number[1] if number else ''}.json"
        test = source.parent / source.name.replace(".echidna.sol", ".t.sol")
        for start, end in zip(starts, ends, strict=True):
            names = _PROPERTY.findall(text[start.start() : end])
            if not names:
                continue
            feasible = frozenset(names)
            if truth.is_file():
                ids = json.loads(truth.read_text("utf-8"))["feasible"]
                feasible = frozenset(f"echidna_{each}" for each in ids)
            known = test if test != source and test.is_file() else None
            yield Case(source, start[1], feasible, known)


def ours(case: Case, seed: int, seconds: float, folder: Path) -> Outcome:
    """Run a case as `echidna-mcp run` does."""
    corpus = folder / "corpus"
    shutil.rmtree(corpus, ignore_errors=True)
    settings = [
        case.source.parent / f"echidna-{case.contract}.yaml",
        case.source.parent / "echidna.yaml",
    ]
    config = next((["--config", str(each)] for each in settings if each.is_file()), [])
    words = [
        *(sys.executable, "-m", "echidna_mcp.cli", "run", str(case.source)),
        *("--contract", case.contract, "--seed", str(seed), "--executor", "inline"),
        *("--test-limit", str(10**15), "--corpus-dir", str(corpus), *config),
        *("--format", "none"),
    ]
    # The npm package of solc is found there.
    _, spent = run_for(words, HERE.parent, seconds)
    return _stored(case, corpus, spent)


def _stored(case: Case, corpus: Path, spent: float) -> Outcome:
    found: dict[str, tuple[float, int]] = {}
    calls, begin, last = 0, None, None
    with EventStore.read_only(store_path(newest_campaign(corpus))) as store:
        fallen: list[str] = []
        for event in store.read():
            now = datetime.fromisoformat(event.at)
            begin = begin or now
            if event.type == "PropertyFalsified":
                fallen.append(event.payload["property"])
            if event.type == "RoundCommitted":
                calls, last = event.payload["totalCalls"], now
                for name in fallen:
                    found[name] = ((now - begin).total_seconds(), calls)
                fallen.clear()
    if begin is not None and last is not None:
        # The wall's seconds are those of a processor, but for others on the machine.
        scale = spent / max((last - begin).total_seconds(), 1e-9)
        found = {
            name: (min(at * scale, spent), count) for name, (at, count) in found.items()
        }
    false = sorted(found.keys() - case.feasible)
    return Outcome(found, false, calls, spent)


def forge_finds(
    case: Case, binary: Path, seed: int, seconds: float, folder: Path, *, guided: bool
) -> Outcome:
    """Run a case with forge, each of its invariants for an equal part of the time."""
    assert case.foundry is not None
    project = folder / "forge"
    shutil.rmtree(project, ignore_errors=True)
    (project / "test").mkdir(parents=True)
    shutil.copy(case.foundry, project / "test")
    compiler = project / "solc"
    compiler.write_text(COMPILER.format(package=PACKAGES / "solc"), "utf-8")
    compiler.chmod(0o755)
    (project / "node_modules").symlink_to(PACKAGES)
    count = len(re.findall(r"function invariant_", case.foundry.read_text("utf-8")))
    lines = [
        "[profile.default]",
        'libs = ["node_modules"]',
        'remappings = ["forge-std/=node_modules/@uniswap/v4-core/lib/forge-std/src/"]',
        "auto_detect_remappings = false",
        "[invariant]",
        "depth = 100",
        "runs = 4000000000",
        f"timeout = {max(1, round(seconds / count))}",
        *(['corpus_dir = "corpus"'] if guided else []),
    ]
    (project / "foundry.toml").write_text("\n".join(lines) + "\n", "utf-8")
    words = [str(binary), "test", "-j", "1", "--use", "./solc", "--offline"]
    words += ["--fuzz-seed", str(seed)]
    output, spent = run_for(words, project, 2 * seconds)
    names = {f"echidna_{each}" for each in _FORGE_FAILED.findall(output)}
    calls = sum(map(int, _FORGE_CALLS.findall(output)))
    found = dict.fromkeys(names, (spent, calls))
    return Outcome(found, sorted(names - case.feasible), calls, spent)


def told(label: str, case: Case, outcomes: Sequence[Outcome], seconds: float) -> str:
    """Return a line about the runs of a case."""
    counts = [len(each.found.keys() & case.feasible) for each in outcomes]
    whole = len(case.feasible)
    parts = [f"{statistics.median(counts):g}/{whole} ({min(counts)}-{max(counts)})"]
    if whole == 1:
        at = [value for each in outcomes for value in each.found.values()]
        parts = [f"{sum(counts)} of {len(counts)} seeds"]
        if at:
            times, calls = zip(*at, strict=True)
            parts.append(f"{statistics.median(times):.1f} s ({max(times):.1f})")
            parts.append(f"{statistics.median(calls):,.0f} calls ({max(calls):,})")
    else:
        for part in QUARTERS[:-1]:
            early = [
                sum(at <= part * seconds for at, _ in each.found.values())
                for each in outcomes
            ]
            parts.append(f"at {part:.0%} of the time {statistics.median(early):g}")
        made = statistics.median(each.calls for each in outcomes)
        parts.append(f"{made:,.0f} calls")
    false = sorted({name for each in outcomes for name in each.false})
    if false:
        parts.append(f"FALSE: {', '.join(false)}")
    spent = statistics.median(each.seconds for each in outcomes)
    return f"{case.name:12} {label:13} " + "; ".join([*parts, f"{spent:.0f} s spent"])


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=DEPTH)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seeds", default="1,2,3,4,5")
    parser.add_argument("--only", default="")
    parser.add_argument("--without-forge", action="store_true")
    asked = parser.parse_args()
    seeds = [int(each) for each in asked.seeds.split(",")]
    only = set(filter(None, asked.only.split(",")))
    forge = find_forge(PACKAGES / "solc")
    if asked.without_forge:
        forge = None
    elif forge is None or not (PACKAGES / "@uniswap" / "v4-core").is_dir():
        forge = None
        print("forge is absent: run `nox -s foundry` first to compare with it")
    for case in cases_in(asked.folder.resolve()):
        if only and case.name not in only:
            continue
        with tempfile.TemporaryDirectory() as directory:
            folder = Path(directory)
            runs = [ours(case, seed, asked.seconds, folder) for seed in seeds]
            print(told("ours", case, runs, asked.seconds), flush=True)
            if forge is None or case.foundry is None:
                continue
            for guided in (False, True):
                runs = [
                    forge_finds(
                        *(case, forge.binary, seed, asked.seconds, folder),
                        guided=guided,
                    )
                    for seed in seeds
                ]
                label = "forge guided" if guided else "forge"
                print(told(label, case, runs, asked.seconds), flush=True)


if __name__ == "__main__":
    main()
