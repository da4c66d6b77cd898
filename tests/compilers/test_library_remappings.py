"""Folders of libraries are mapped as forge maps them (`forge remappings`, 1.7.1)."""

from __future__ import annotations

from pathlib import Path

import pytest
from solc import require_solc

from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp_plugins.compilers.fence import Fence
from echidna_mcp_plugins.compilers.solidity.settings import project_settings
from echidna_mcp_plugins.compilers.solidity.solcjs import SolcJs

FOLDERS = (
    *("zed/src", "yan/contracts/sub", "xen", "wob/lib/inner/src", "vip/a/b"),
    *("cc/src/deep", "two/src", "two/contracts", "dd/test", "ee/src", "ee/test"),
    *("ff/interfaces", "ff/utils", "gg/src", "hh/lib/gg/src", "weird/mod1/src"),
    *("weird/mod2/contracts", ".hidden/src", "zed/node_modules/src/b"),
)
BY_FORGE = """cc/=deps/cc/src/
ee/=deps/ee/src/
ff/=deps/ff/
gg/=deps/gg/src/
inner/=deps/wob/lib/inner/src/
two/=deps/two/src/
vip/=deps/vip/
weird/=deps/weird/mod1/src/
xen/=deps/xen/
yan/=deps/yan/contracts/
zed/=deps/zed/src/"""


def project(root: Path, *lines: str) -> Path:
    for folder in FOLDERS:
        place = root / "deps" / folder
        place.mkdir(parents=True, exist_ok=True)
        (place / "A.sol").write_text("contract A {}")
    (root / "foundry.toml").write_text("\n".join(["[profile.default]", *lines]))
    return root


def remappings(root: Path, *lines: str) -> list[str]:
    project(root, *lines)
    return [str(each) for each in project_settings(root, Fence(root)).remappings]


def test_folders_are_mapped_as_by_forge(tmp_path: Path):
    assert remappings(tmp_path, "libs = ['deps']") == BY_FORGE.splitlines()
    assert remappings(tmp_path) == []


def test_those_of_the_project_come_first(tmp_path: Path):
    found = remappings(tmp_path, "libs = ['deps']", "remappings = ['zed/=mine/']")
    assert found == ["zed/=mine/", *BY_FORGE.splitlines()[:-1]]


def test_the_nearest_of_several_for_a_name_counts(tmp_path: Path):
    (tmp_path / "deps" / "xen").mkdir(parents=True)
    (tmp_path / "deps" / "xen" / "remappings.txt").write_text("zed/=src/x/\nr/=lib/r/")
    found = remappings(tmp_path, "libs = ['deps']")
    assert set(found) == {*BY_FORGE.splitlines(), "r/=deps/xen/lib/r/"}


@pytest.mark.parametrize(
    "line", ["auto_detect_remappings = false", "libs = ['..', 'node_modules']"]
)
def test_what_is_not_asked_for_or_outside_is_not_mapped(tmp_path: Path, line: str):
    root = tmp_path / "p"
    root.mkdir()
    (root / "node_modules" / "a").mkdir(parents=True)
    (root / "node_modules" / "a" / "A.sol").write_text("contract A {}")
    assert (
        remappings(root, *{line, "libs = ['deps']" if "auto" in line else line}) == []
    )


def test_links_in_a_circle_and_links_outside_are_not_followed(tmp_path: Path):
    root = tmp_path / "p"
    root.mkdir()
    project(root)
    outside = tmp_path / "outside" / "src"
    outside.mkdir(parents=True)
    (outside / "A.sol").write_text("contract A {}")
    (root / "deps" / "out").symlink_to(outside.parent)
    (root / "deps" / "zed" / "up").symlink_to(root / "deps")
    (root / "deps" / "zed2").symlink_to(root / "deps" / "zed")
    found = remappings(root, "libs = ['deps']")
    assert set(found) == {*BY_FORGE.splitlines(), "zed2/=deps/zed2/src/"}


@pytest.mark.solc
def test_imports_of_libraries_compile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    require_solc()
    monkeypatch.setenv("ECHIDNA_MCP_CACHE", str(tmp_path / "cache"))
    root = tmp_path / "p"
    root.mkdir()
    project(root, "libs = ['deps']")
    (root / "src").mkdir()
    (root / "src" / "T.sol").write_text(
        "import {A as B} from 'inner/A.sol'; import {A} from 'zed/A.sol';"
        "contract T is A { function f() public { new B(); } }"
    )
    program = SolcJs().compile(CompileRequest(target=root))
    assert [source.path for source in program.sources] == [
        "deps/wob/lib/inner/src/A.sol",
        "deps/zed/src/A.sol",
        "src/T.sol",
    ]
