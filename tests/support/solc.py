"""Solidity for every test area: text in, `Program` out.

The compiler is the npm package that `tests/package.json` pins. It is found through the
environment variable SOLCJS, or in a `node_modules` of `tests/` or of the repository.
Without it the test is skipped, unless REQUIRE_SOLC=1 asks for a failure.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest

from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.solidity.solcjs import SolcJs

_TESTS = Path(__file__).parents[1]


@cache
def _package() -> str | None:
    places = [_TESTS / "node_modules" / "solc", _TESTS.parent / "node_modules" / "solc"]
    if given := os.environ.get("SOLCJS"):
        places = [Path(given), Path(given) / "solc", *places]
    for place in places:
        if (place / "soljson.js").is_file():
            return str(place)
    return None


def require_solc() -> None:
    """Skip the test if solc can't run here; fail if REQUIRE_SOLC=1.

    Afterwards SOLCJS names the package, so that compiler plugins find it too.
    """
    package = _package() if shutil.which("node") else None
    if package is not None:
        os.environ["SOLCJS"] = package
        return
    _missing("solc is missing: install node, then run `npm install --prefix tests`")


def _missing(message: str) -> NoReturn:
    if os.environ.get("REQUIRE_SOLC") == "1":
        pytest.fail(message)
    pytest.skip(message)


def require_openzeppelin() -> Path:
    """Return the npm scope that holds OpenZeppelin's contracts, beside solc.

    Skip the test if it is missing; fail if REQUIRE_SOLC=1.
    """
    return require_packages("@openzeppelin/contracts") / "@openzeppelin"


def require_packages(*names: str) -> Path:
    """Return the directory that holds npm packages of contracts, beside solc.

    Skip the test if one is missing; fail if REQUIRE_SOLC=1.
    """
    require_solc()
    packages = Path(os.environ["SOLCJS"]).parent
    for name in names:
        if not (packages / name / "package.json").is_file():
            _missing(f"{name} is missing: run `npm install --prefix tests`")
    return packages


def compile_solidity(
    source: str,
    contract: str | None = None,
    *,
    solc_args: str = "",
    name: str = "Test.sol",
) -> Program:
    """Compile one source text; `contract` is the target, else the first that fits."""
    require_solc()
    return _compile(source, contract, solc_args, name)


@cache
def _compile(source: str, contract: str | None, solc_args: str, name: str) -> Program:
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / name
        file.write_text(source, "utf-8")
        return SolcJs().compile(
            CompileRequest(target=file, contract=contract, solc_args=solc_args)
        )
