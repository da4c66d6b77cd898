"""What a search finds: planted bugs, by calls and by seconds of processor time.

    nox -s quality -- FOLDER [--seconds 60] [--seeds 1,2,3,4,5] [--only NAME,...]
        [--without-forge]

Without FOLDER it is `tests/bench/depth`: bugs behind sequences of calls. Each contract
of the Solidity files in FOLDER and below that has properties `echidna_*` is a case;
each property is a bug. `echidna.yaml` beside it configures it, and
`echidna-CONTRACT.yaml` a contract of that name. If `truth-N.json` stands beside
`maze-N.echidna.sol` its `feasible` are the numbers of the bugs that there are; any
other one that is found is a false report. Forge runs the same contracts, plain and
guided by coverage, by an invariant test that is made from each (`forge_case`).

Everybody has the same processor time, that of all processes of a run together, and what
falls later does not count. Ours begins with the start of the command, which compiles,
and a ctrl-C ends it; a bug has fallen at the end of its round. Forge has compiled
before, and its timeouts are in whole seconds: what each has spent stands at the end
of its line. Figures are medians over the seeds, with the least and the most.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from forge import Forge, find_forge
from forge_campaign import ForgeCase, NoCampaignError, NotComparableError
from processor_time import Watched, watch_for
from quality_cases import Case, cases_in
from quality_outcomes import Outcome, told

from echidna_mcp.cli.request.place import newest_campaign
from echidna_mcp.events.store import EventStore, store_path

HERE = Path(__file__).resolve().parent
SOLC = HERE.parent / "foundry" / "node_modules" / "solc"
DEPTH = HERE / "depth"


def ours(case: Case, seed: int, seconds: float, folder: Path) -> Outcome:
    """Run a case as `echidna-mcp run` does."""
    corpus = folder / "corpus"
    shutil.rmtree(corpus, ignore_errors=True)
    config = ["--config", str(case.settings)] if case.settings else []
    words = [
        *(sys.executable, "-m", "echidna_mcp.cli", "run", str(case.source)),
        *("--contract", case.contract, "--seed", str(seed), "--executor", "inline"),
        *("--test-limit", str(10**15), "--corpus-dir", str(corpus), *config),
        *("--format", "none"),
    ]
    # The npm package of solc is found there.
    return _stored(case, corpus, watch_for(words, HERE.parent, seconds))


def _stored(case: Case, corpus: Path, watched: Watched) -> Outcome:
    found: dict[str, tuple[float, int]] = {}
    fallen: list[str] = []
    calls = 0
    with EventStore.read_only(store_path(newest_campaign(corpus))) as store:
        for event in store.read(types=("PropertyFalsified", "RoundCommitted")):
            if event.type == "PropertyFalsified":
                fallen.append(event.payload["property"])
                continue
            calls = event.payload["totalCalls"]
            at = watched.at(datetime.fromisoformat(event.at).timestamp())
            found.update((name, (at, calls)) for name in fallen)
            fallen.clear()
    return Outcome(found, sorted(found.keys() - case.feasible), calls, watched.seconds)


def measure(
    case: Case, forge: Forge | None, seeds: Sequence[int], seconds: float
) -> Iterator[str]:
    """Yield what is to be said of a case."""

    def say(label: str, outcomes: Sequence[Outcome]) -> str:
        return told(case.name, label, case.feasible, outcomes, seconds)

    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        yield say("ours", [ours(case, seed, seconds, folder) for seed in seeds])
        if forge is None:
            return
        project = folder / "forge"
        project.mkdir()
        try:
            other = ForgeCase(case, forge.binary, SOLC, project)
        except NotComparableError as reason:
            yield f"{case.name:17} forge: not comparable, because {reason}"
            return
        for label, guided in (("forge", False), ("forge guided", True)):
            try:
                runs = [other.find(seed, seconds, guided=guided) for seed in seeds]
            except NoCampaignError as said:
                yield f"{case.name:17} {label}: it has run no campaign: {said}"
            else:
                yield say(label, runs)


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
    forge = None if asked.without_forge else find_forge(SOLC)
    if forge is None and not asked.without_forge:
        print("forge is absent: run `nox -s foundry` first to compare with it")
    for case in cases_in(asked.folder.resolve()):
        if not only or case.name in only:
            for lines in measure(case, forge, seeds, asked.seconds):
                print(lines, flush=True)


if __name__ == "__main__":
    main()
