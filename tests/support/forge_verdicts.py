"""Forge, from npm: what it says of the tests of a project that it compiles."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from node_packages import require_node, require_package

_COMPILER = """\
#!{node}
const solc = require({package});
if (process.argv.includes('--version')) {{
  console.log('solc, the solidity compiler\\nVersion: ' + solc.version());
}} else {{
  process.stdout.write(solc.compile(require('fs').readFileSync(0, 'utf8')));
}}
"""


_STATUS = {"Success": "passed", "Failure": "failed", "Skipped": "skipped"}


def forge_statuses(project: Path, packages: Path, session: str) -> dict[str, str]:
    """Run `forge test`; return what it says in our words, by `Contract.test(…)`."""
    return {
        f"{suite.rpartition(':')[2]}.{test}": _STATUS[result["status"]]
        for suite, ran in forge_test(project, packages, session).items()
        for test, result in ran["test_results"].items()
    }


def our_statuses(report: str) -> dict[str, str]:
    """Return what a report of Foundry's tests (`--format json`) says, likewise."""
    return {
        f"{test['contract'].rpartition(':')[2]}.{test['name']}": test["status"]
        for test in json.loads(report)["tests"]
    }


def write_compiler(project: Path, packages: Path, session: str) -> Path:
    """Write a program `solc` into a project that forge can start, and return it.

    Args:
        project: its directory.
        packages: holds the `package.json` that pins the compiler.
        session: the nox session that installs it.
    """
    solc = require_package(packages, "solc", session)
    words = {"node": require_node(session), "package": json.dumps(str(solc))}
    compiler = project / "solc"
    compiler.write_text(_COMPILER.format(**words), "utf-8")
    compiler.chmod(0o755)
    return compiler


def forge_test(
    project: Path, packages: Path, session: str, *options: str
) -> dict[str, Any]:
    """Run `forge test` without anything of the user's, with the compiler there.

    Returns:
        By `path:Contract`, what it says of each test.
    """
    output = _forge(project, packages, session, "--json", *options)
    # Its exit code is 1 both if a test fails, as many do, and if nothing is compiled.
    assert output.startswith("{"), output
    found: dict[str, Any] = json.loads(output)
    return found


def forge_traces(
    project: Path, packages: Path, session: str, contracts: str, detail: str = "-vvvv"
) -> str:
    """Run `forge test -vvvv` of the contracts that a pattern names, likewise.

    Args:
        project: its directory.
        packages: as for `write_compiler`.
        session: likewise.
        contracts: the pattern.
        detail: how much it prints; `-vvvvv` has changes of storage.

    Returns:
        What it prints, its traces among that.
    """
    return _forge(project, packages, session, detail, "--match-contract", contracts)


def _forge(project: Path, packages: Path, session: str, *options: str) -> str:
    require_package(packages, "@foundry-rs/forge", session)
    scope = packages / "node_modules" / "@foundry-rs"
    binaries = sorted(scope.glob("forge-*/bin/forge*"))
    assert binaries, "forge has no build for this machine"
    done = subprocess.run(
        [str(binaries[0]), "test", *options, "--use", str(project / "solc")],
        cwd=project,
        env={
            **{key: value for key, value in os.environ.items() if "FOUNDRY" not in key},
            "HOME": str(project.parent),
            # `new X()` stays what it is.
            "FOUNDRY_DYNAMIC_TEST_LINKING": "false",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout or done.stderr
