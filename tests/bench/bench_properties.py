"""What it costs that a contract has many properties.

Forty accounts of one ledger, each with a property that reads what belongs to it alone,
beside the same contract with the first of these properties, in turn. Whole processes
make the same number of calls, and their processor time is compared: once all properties
hold, and once all of these fail, so that forty reproducers are recorded, confirmed and
shrunk beside one. A further property, which stays open, keeps those campaigns going.
Our cache holds the contract and the machine code of the engine, but no hot code.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

from echidna_mcp_plugins.compilers.solidity.npm_solc import find_package

PROPERTIES = 40
CALLS = 20_000_000
PAIRS = 3
BENCH = Path(__file__).parent

LEDGER = """
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;
contract Ledger {{
    struct Account {{ uint balance; uint paid; uint taken; }}
    mapping(uint => Account) internal accounts;
    function pay(uint8 number, uint64 n) external {{
        Account storage account = accounts[number % {count}];
        account.balance += n;
        account.paid += n;
    }}
    function take(uint8 number, uint64 n) external {{
        Account storage account = accounts[number % {count}];
        require(account.balance >= n);
        account.balance -= n;
        account.taken += n;
    }}
    {properties}
    function echidna_open() external view returns (bool) {{
        return accounts[{count}].paid == 0;
    }}
}}
"""
OPEN = """
    function echidna_{number}() external view returns (bool) {{
        Account storage account = accounts[{number}];
        return account.paid == account.balance + account.taken;
    }}
"""
FAILING = """
    function echidna_{number}() external view returns (bool) {{
        Account storage account = accounts[{number}];
        return account.taken < 1000 || account.balance < 1000;
    }}
"""
KINDS = {"hold": OPEN, "fail": FAILING}


def source_of(kind: str, count: int) -> str:
    """Return the ledger with so many properties of a kind."""
    properties = (kind.format(number=number) for number in range(count))
    return LEDGER.format(count=PROPERTIES, properties="".join(properties))


class Ledgers:
    """The contracts, compiled."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._engine, self._cache = directory / "engine", directory / "cache"
        for kind, count in product(KINDS, (1, PROPERTIES)):
            path = directory / f"{kind}{count}.sol"
            path.write_text(source_of(KINDS[kind], count))
            self._run(path.name, 1, self._engine, "off")

    def seconds(self, kind: str, count: int) -> float:
        """Return the processor time of a campaign with so many properties of a kind."""
        shutil.rmtree(self._cache, ignore_errors=True)
        shutil.copytree(self._engine, self._cache)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        output = self._run(f"{kind}{count}.sol", CALLS, self._cache, "background")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        failed = output.count('"falsified"')
        assert failed == (count if kind == "fail" else 0), output
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def _run(self, target: str, calls: int, cache: Path, hot: str) -> str:
        campaign = self._directory / "campaign"
        shutil.rmtree(campaign, ignore_errors=True)
        done = subprocess.run(
            [
                *(
                    sys.executable,
                    "-m",
                    "echidna_mcp.cli",
                    "run",
                    target,
                    "--seed",
                    "1",
                ),
                *("--seed", "1", "--test-limit", str(calls), "--format", "json"),
                *("--corpus-dir", str(campaign)),
            ],
            cwd=self._directory,
            env={
                **os.environ,
                "ECHIDNA_MCP_CACHE": str(cache),
                "ECHIDNA_MCP_HOT_CODE": hot,
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in {0, 1}, done.stdout + done.stderr
        return done.stdout


def main() -> None:
    """Print the figures."""
    if find_package(BENCH) is None:
        print("absent: run `npm install --prefix tests` first")
        return
    print(f"Seconds of processor time for {CALLS:,} calls, 1 property and {PROPERTIES}")
    with tempfile.TemporaryDirectory(dir=BENCH) as directory:
        ledgers = Ledgers(Path(directory))
        for kind in KINDS:
            ratios = []
            for _ in range(PAIRS):
                one, many = (ledgers.seconds(kind, n) for n in (1, PROPERTIES))
                ratios.append(many / one)
                print(f"  all {kind} {one:6.2f} {many:6.2f}  ratio {many / one:.2f}")
            print(f"  all {kind}: median of the ratios {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
