"""Asks forge for the answers in `tests/cheatcodes/answers.jsonl` anew.

    python tests/support/record_cheat_answers.py

Needs the environment of `nox -s foundry`. Writes which answers have changed; add cases
with any results, and they are filled in.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from cheat_answers import (
    ANSWERS,
    STRUCTS,
    Case,
    calldata,
    cases,
    grouped,
    results,
)
from node_packages import require_node, require_package

from echidna_mcp.abi.codec import decode
from echidna_mcp.abi.types import parse_tuple

FOUNDRY = Path(__file__).parents[1] / "foundry"
LOG = parse_tuple("(bool,bytes)")
COMPILER = """\
#!{node}
const solc = require({package});
if (process.argv.includes('--version')) {{
  console.log('solc, the solidity compiler\\nVersion: ' + solc.version());
}} else {{
  process.stdout.write(solc.compile(require('fs').readFileSync(0, 'utf8')));
}}
"""
HEAD = """\
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

contract Answers {
    event Answer(bool ok, bytes data);

    function ask(bytes memory data) internal {
        address vm = address(uint160(uint256(keccak256("hevm cheat code"))));
        (bool ok, bytes memory output) = vm.call(data);
        emit Answer(ok, output);
    }
"""


def main() -> None:
    known = cases()
    answers = record(grouped(known))
    found = []
    for group, members in grouped(known).items():
        for case, (ok, output) in zip(members, answers[group], strict=True):
            new = results(case.signature, output) if ok else None
            if new != case.results:
                words = (case.signature, case.arguments, case.results, "->", new)
                sys.stdout.write(f"{' '.join(map(str, words))}\n")
            found.append(case._replace(results=new))
    lines = [json.dumps(case) for case in found]
    ANSWERS.write_text("\n".join([*lines, ""]), "ascii")


def record(groups: dict[str, list[Case]]) -> dict[str, list[tuple[bool, bytes]]]:
    """Return forge's answers by group."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / "test").mkdir()
        (project / "test" / "Answers.t.sol").write_text(solidity(groups), "utf-8")
        (project / "foundry.toml").write_text("[profile.default]\noffline = true\n")
        found = forge(project)
    (suite,) = found.values()
    answers = {}
    for signature, result in suite["test_results"].items():
        assert result["status"] == "Success", result
        logs = [decode(LOG, bytes.fromhex(e["data"][2:])) for e in result["logs"]]
        answers[signature.removeprefix("test_").removesuffix("()")] = logs
    return answers  # type: ignore[return-value]


def solidity(groups: dict[str, list[Case]]) -> str:
    parts = [HEAD]
    for name, members in STRUCTS:
        fields = " ".join(f"uint256 {member};" for member in members)
        parts.append(f"    struct {name} {{ {fields} }}\n")
    for group, members in groups.items():
        calls = (calldata(case.signature, case.arguments) for case in members)
        lines = "".join(f'        ask(hex"{data.hex()}");\n' for data in calls)
        parts.append(f"    function test_{group}() public {{\n{lines}    }}\n")
    return "".join([*parts, "}\n"])


def forge(project: Path) -> dict[str, Any]:
    solc = require_package(FOUNDRY, "solc", "foundry")
    words = {"node": require_node("foundry"), "package": json.dumps(str(solc))}
    compiler = project / "solc"
    compiler.write_text(COMPILER.format(**words), "utf-8")
    compiler.chmod(0o755)
    require_package(FOUNDRY, "@foundry-rs/forge", "foundry")
    scope = FOUNDRY / "node_modules" / "@foundry-rs"
    (binary,) = sorted(scope.glob("forge-*/bin/forge*"))
    done = subprocess.run(
        [str(binary), "test", "--json", "-vvvv", "-j", "1", "--use", str(compiler)],
        cwd=project,
        env={"PATH": os.environ["PATH"], "HOME": str(project)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("{"), done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    main()
