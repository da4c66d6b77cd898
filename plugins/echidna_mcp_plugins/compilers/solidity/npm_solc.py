"""npm packages of solc: solc compiled to WebAssembly, run by node."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from echidna_mcp.errors import CompilerUnavailableError, TargetError
from echidna_mcp_plugins.compilers.cache import digest_of_files
from echidna_mcp_plugins.compilers.files import read_bytes
from echidna_mcp_plugins.compilers.process import run
from echidna_mcp_plugins.compilers.solidity.solcs import Answer, Solc
from echidna_mcp_plugins.compilers.solidity.version_range import (
    parse_version,
    short_version,
)

_MOST_BYTES = 1 << 20
_TIER_UP = 400_000_000
"""When V8 compiles a function of WebAssembly once more, optimized: after so many bytes
of its code have run, two hundred times as many as by default. Solc is large and runs
for seconds: of what V8 optimizes early, hardly anything pays for itself."""
_SCRIPT = f"""
require('v8').setFlagsFromString('--wasm-tiering-budget={_TIER_UP}');
const solc = require(process.argv[1]);
const input = require('fs').readFileSync(0, 'utf8');
process.stdout.write(solc.version() + '\\n' + solc.compile(input));
"""


def npm_solcs(target: Path) -> list[Solc]:
    """Return the packages of solc that node finds for a target, the nearest first.

    Raises:
        CompilerUnavailableError: there is no node.
    """
    node = shutil.which("node")
    if node is None:
        raise CompilerUnavailableError(
            "There is no node on PATH; install Node.js, then `npm install solc`."
        )
    found = (_npm_solc(node, package) for package in find_packages(target))
    return [solc for solc in found if solc]


def _npm_solc(node: str, package: Path) -> Solc | None:
    manifest = _manifest(package)
    number = str(manifest.get("version", ""))
    version = parse_version(number)
    if version is None or manifest.get("name") != "solc":
        return None

    def answer(text: str) -> Answer:
        output = run([node, "-e", _SCRIPT, str(package)], text=text)
        label, _, rest = output.partition("\n")
        return Answer(short_version(label), rest)

    def identity() -> str:
        files = [package / "package.json", *sorted(package.glob("*.js"))]
        return f"solcjs {number} {digest_of_files(files)}"

    return Solc(version=version, identify=identity, run=answer)


def _manifest(package: Path) -> dict[str, object]:
    try:
        data = json.loads(read_bytes(package / "package.json", _MOST_BYTES))
    except (TargetError, ValueError, RecursionError):
        return {}  # damaged: then it is no package
    return data if isinstance(data, dict) else {}


def find_package(target: Path) -> Path | None:
    """Return the directory of the nearest npm package of solc, or None."""
    return next(find_packages(target), None)


def find_packages(target: Path) -> Iterator[Path]:
    """Yield the directories of npm packages of solc, the nearest first.

    Looked for: the environment variable SOLCJS (the package, or a node_modules that
    holds it), node_modules from `target` upwards, from the working directory upwards,
    if there is none, the global packages of npm, which takes a while. Beside `solc`,
    aliases count that begin so, as `npm install solc-0.7@npm:solc@0.7.6` makes them.
    """
    seen = set()
    for place in _places(target):
        for package in _packages_in(place):
            if package not in seen:
                seen.add(package)
                yield package
    npm = None if seen else shutil.which("npm")
    if npm:
        try:
            yield from _packages_in(Path(run([npm, "root", "-g"]).strip()))
        except CompilerUnavailableError:
            return


def _places(target: Path) -> Iterator[Path]:
    if given := os.environ.get("SOLCJS"):
        yield Path(given)
    for start in (target.absolute(), Path.cwd()):
        for directory in (start, *start.parents):
            yield directory / "node_modules"


def _packages_in(place: Path) -> Iterator[Path]:
    for package in (place, place / "solc", *sorted(place.glob("solc?*"))):
        if (package / "soljson.js").is_file():
            yield package.absolute()
