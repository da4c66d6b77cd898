"""What each mechanism of the search brings: calls until a bug falls, with and without.

    nox -s ablation -- [--seeds 1,2,3] [--most 1000000] [--only KEY,...]

A row is a mechanism, by its key of the configuration, and a contract whose bug needs
it. Four searches look for that bug with the same seeds: with all mechanisms, with all
but this one, with this one alone, and with none. Figures are thousands of calls to the
end of the round in which the bug fell, one for each seed; a dash stands where it did
not within `--most` calls. There is no solver: it would open some of the doors itself.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

from echidna_mcp.cli.request.place import newest_campaign
from echidna_mcp.events.store import EventStore, store_path

HERE = Path(__file__).resolve().parent
FOLDERS = (HERE.parent / "solidity", HERE / "depth")
CASES = {
    "climbing": "MagicChain",
    "echoes": "Timelock",
    "goals": "Gauge",
    "harvest": "Factoring",
    "limits": "Leftover",
    "states": "Ratchet",
    "broods": "Ratchet",
    "followUps": "Ratchet",
    "retiring": "Beacons",
    "shortening": "Streak",
    "literals": "Literals",
    "functionConstants": "Tariffs",
    "payloads": "Envelope",
    "contexts": "Pledges",
    "favoured": "Settings",
    "keys": "Lender",
    "shifts": "Handles",
    "widths": "Tickets",
    "ties": "Names",
    "waypoints": "Pledges",
    "repetition": "Seasons",
    "pairs": "Receipts",
    "typed": "Stubs",
    "statePairs": "Grid",
    "mappingStates": "Pawls",
    "fitting": "Bids",
    "fittedSequences": "Bids",
    "profiles": "Freight",
    "fields": "Vouchers",
    "repairs": "Basket",
    "masks": "Stamps",
}
"""A contract for each mechanism. Keys that only save calls are not here: `plainTasks`,
`seldomLimits`, `seldomTargets`, `seldomViews`, `solvedWords`."""


BUDGETS = {"Ratchet": 20_000_000}
"""Of rounds, where it is not `BUDGET`: of what a round need not wait for there is most
in long ones, as campaigns have them that measure their budget."""
BUDGET = 500_000


@cache
def calls_until_found(contract: str, off: Collection[str], seed: int, most: int) -> int:
    """Return the calls of a campaign until its bug has fallen; 0 if it has not.

    Args:
        contract: a file of `FOLDERS`, and the contract of that name in it.
        off: mechanisms that it does without.
        seed: of the campaign.
        most: calls.
    """
    source = next(
        path for each in FOLDERS if (path := each / f"{contract}.sol").exists()
    )
    settings = source.parent / f"echidna-{contract}.yaml"
    budget = BUDGETS.get(contract, BUDGET)
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        config = folder / "echidna.yaml"
        own = settings.read_text("utf-8") if settings.exists() else ""
        config.write_text(
            own
            + "".join(f"\n{key}: false" for key in sorted(off))
            + "\nstopOnFail: true\n"
        )
        done = subprocess.run(
            (
                *(sys.executable, "-m", "echidna_mcp.cli", "run", str(source)),
                *("--contract", contract, "--config", str(config)),
                *("--seed", str(seed), "--test-limit", str(most), "--workers", "2"),
                *("--round-budget", str(budget), "--shrink-limit", "0"),
                *("--solver", "off", "--executor", "inline"),
                *("--corpus-dir", str(folder / "corpus"), "--format", "none"),
            ),
            cwd=HERE.parent,  # The npm package of solc is found there.
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode in (2, 3):  # It has not run; 1 and 4 are about tests.
            sys.exit(done.stderr)
        return _fell_at(folder / "corpus")


def _fell_at(corpus: Path) -> int:
    fallen = False
    with EventStore.read_only(store_path(newest_campaign(corpus))) as store:
        for event in store.read(types=("PropertyFalsified", "RoundCommitted")):
            fallen |= event.type == "PropertyFalsified"
            if fallen and event.type == "RoundCommitted":
                return int(event.payload["totalCalls"])
    return 0


def row(key: str, seeds: list[int], most: int) -> Iterator[str]:
    """Yield what stands in the columns of a mechanism."""
    contract = CASES[key]
    every = frozenset(CASES)
    yield key
    yield f"`{contract}`"
    for off in (frozenset[str](), frozenset([key]), every - {key}, every):
        counts = [calls_until_found(contract, off, seed, most) for seed in seeds]
        yield ", ".join(f"{max(1, each // 1000)}" if each else "-" for each in counts)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--most", type=int, default=1_000_000)
    parser.add_argument("--only", default=",".join(CASES))
    asked = parser.parse_args()
    seeds = [int(each) for each in asked.seeds.split(",")]
    print("| mechanism | contract | with all | without it | alone | with none |")
    print("|---|---|---|---|---|---|")
    keys = asked.only.split(",")
    if unknown := sorted(set(keys) - set(CASES)):
        parser.error(
            f"--only: no mechanism {', '.join(unknown)}; there are {', '.join(CASES)}"
        )
    for key in keys:
        print(f"| {' | '.join(row(key, seeds, asked.most))} |", flush=True)


if __name__ == "__main__":
    main()
