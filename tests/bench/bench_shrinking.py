"""What the searcher saves when reproducers are shrunk.

Forty properties of one ledger fail (`bench_properties`). The first sequence that
falsifies each of them is shrunk to the end: by the searcher, and by the round alone,
which calls the EVM for each call of each candidate. Both on one replica, in turn; the
results are the same, and processor time is compared.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from time import process_time
from typing import Any

from bench_properties import FAILING, PROPERTIES, source_of

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.fuzz.records import count_calls
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.rounds.round import run_round
from echidna_mcp.rounds.running import Runner
from echidna_mcp.rounds.shrinking import shrink
from echidna_mcp.rounds.tasks import UNLIMITED, RoundTask, ShrinkProgress, ShrinkTask
from echidna_mcp_plugins.compilers.solidity.npm_solc import find_package
from echidna_mcp_plugins.compilers.solidity.solcjs import SolcJs

PAIRS = 3
BUDGET = 4_000_000
"""Work units of a task that looks for failures."""
BENCH = Path(__file__).parent


def ledger() -> Replica:
    """Return a replica of a ledger all of whose properties fail but one."""
    with tempfile.TemporaryDirectory(dir=BENCH) as directory:
        path = Path(directory, "Ledger.sol")
        path.write_text(source_of(FAILING, PROPERTIES))
        program = SolcJs().compile(CompileRequest(target=path))
    native = PluginManager.load().backends["native"]
    target = build_target(program, CampaignConfig(test_limit=None, seed=1))
    return Replica(WorkerSetup(target, native))


def findings(replica: Replica) -> Mapping[int, bytes]:
    """Return a sequence that falsifies it, by the index of the property."""
    found: dict[int, bytes] = {}
    for number in count(2):
        result = run_round(replica, RoundTask(round=number, worker=0, budget=BUDGET))
        for each in result.falsifications:
            found.setdefault(each.test, each.sequence)
        if len(found) > PROPERTIES - 1:
            return found
    raise AssertionError


def shrink_all(
    replica: Replica, found: Mapping[int, bytes]
) -> tuple[list[ShrinkProgress], float]:
    """Shrink all of them; return what they became, and seconds of processor time."""
    task = RoundTask(round=2, worker=0, budget=1)
    tables, runner = replica.tables(task), Runner(replica)
    begun = process_time()
    shrunk = []
    for test, sequence in found.items():
        part = ShrinkTask(
            test=test, sequence=sequence, cursor=0, improved=False, attempts=0
        )
        progress, _ = shrink(replica, runner, tables, part, UNLIMITED)
        shrunk.append(progress)
    return shrunk, process_time() - begun


def main() -> None:
    """Print the figures."""
    if find_package(BENCH) is None:
        print("absent: run `npm install --prefix tests` first")
        return
    replica: Any = ledger()
    searcher, ratios = replica.searcher, []
    found = findings(replica)
    calls = sum(count_calls(bytearray(each), 0, len(each)) for each in found.values())
    print(f"Seconds for {len(found)} findings of {calls:,} calls, alone and natively")
    for _ in range(PAIRS):
        replica.searcher = None
        expected, alone = shrink_all(replica, found)
        replica.searcher = searcher
        shrunk, native = shrink_all(replica, found)
        assert shrunk == expected, "who shrinks is none of the result"
        attempts = sum(each.attempts for each in shrunk)
        ratios.append(alone / native)
        print(f"  {attempts:,} attempts {alone:6.2f} {native:6.2f}", end="  ")
        print(f"ratio {alone / native:.1f}")
    print(f"  median of the ratios {statistics.median(ratios):.1f}")


if __name__ == "__main__":
    main()
