"""Targets and settings of absurd size, depth or kind end with one sentence, soon."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.errors import ConfigError, EchidnaMcpError, TargetError
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp_plugins.compilers import bounded_json, files
from echidna_mcp_plugins.compilers.artifacts.artifact import Artifact
from echidna_mcp_plugins.compilers.bounded_json import MOST_DEPTH, parse_json
from echidna_mcp_plugins.compilers.fence import Fence
from echidna_mcp_plugins.compilers.files import read_source, source_files
from echidna_mcp_plugins.compilers.solidity import settings
from echidna_mcp_plugins.compilers.solidity.project import load_project
from echidna_mcp_plugins.compilers.solidity.source_text import imports_of, pragmas_of

MEMORY = 600 << 20
LIMITED = f"""
import resource, sys, pathlib
resource.setrlimit(resource.RLIMIT_DATA, ({MEMORY}, {MEMORY}))
from echidna_mcp.errors import TargetError
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp_plugins.compilers.artifacts.artifact import Artifact
try:
    Artifact().compile(CompileRequest(target=pathlib.Path(sys.argv[1])))
except TargetError as error:
    print(error.message)
"""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ECHIDNA_MCP_CACHE", str(tmp_path / "cache"))


def refused(target: Path) -> str:
    with pytest.raises(EchidnaMcpError) as caught:
        Artifact().compile(CompileRequest(target=target))
    return caught.value.message


@pytest.mark.parametrize(
    "text",
    [
        '{"contracts":' + "[" * 200_000 + "]" * 200_000 + "}",
        '{"abi":' + '{"a":' * 200_000,
        '{"contracts":{"a.sol:A":{"bin":"00","abi":"' + "[" * 200_000 + '"}}}',
        '{"contracts":{"a.sol":{"A":{"abi":[],"evm":{},"metadata":"'
        + "[" * 200_000
        + '"}}}}',
    ],
)
def test_deep_artifacts(tmp_path: Path, text: str):
    target = tmp_path / "a.json"
    target.write_text(text)
    assert "nested" in refused(target)


@pytest.mark.parametrize(
    ("head", "entry", "end"),
    [
        ('{"contracts":{', '"a.sol:C%d":{"bin":"60016000f3"}', "}}"),
        ('{"contracts":{"a.sol":{', '"C%d":{"abi":[],"e":1}', "}}}"),
        ('{"output":{"contracts":{"a.sol":{', '"C%d":{"abi":[],"e":1}', "}}}}"),
    ],
)
def test_artifacts_of_too_many_contracts_need_little_memory(
    tmp_path: Path, head: str, entry: str, end: str
):
    target = tmp_path / "a.json"
    target.write_text(head + ",".join(entry % n for n in range(1_500_000)) + end)
    assert target.stat().st_size > 30_000_000
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(target)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    assert "holds more than 500000 entries" in done.stdout


def test_contracts_are_counted(tmp_path: Path):
    contracts = {f"C{n}": {"abi": []} for n in range(20_001)}
    target = tmp_path / "a.json"
    target.write_text(json.dumps({"contracts": {"a.sol": contracts}}))
    assert "holds 20001 contracts, more than 20000" in refused(target)


def test_build_info_of_thousands_of_contracts_is_fine(tmp_path: Path):
    code = {"object": "6001" * 100, "sourceMap": "1:2:0", "linkReferences": {}}
    evm = {"bytecode": code, "deployedBytecode": code}
    function = {"type": "function", "name": "f", "inputs": [], "outputs": []}
    node = {"nodeType": "Block", "src": "0:1:0", "statements": [{"id": 1}] * 100}
    paths = [f"contracts/C{n}.sol" for n in range(3_000)]
    data: dict[str, Any] = {
        "input": {"sources": {path: {"content": "{[" * 50} for path in paths}},
        "output": {
            "contracts": {
                path: {"C": {"abi": [function] * 10, "evm": evm}} for path in paths
            },
            "sources": {
                path: {"id": n, "ast": {"nodes": [node]}}
                for n, path in enumerate(paths)
            },
        },
    }
    target = tmp_path / "build-info.json"
    target.write_text(json.dumps(data))
    wanted = CompileRequest(target=target, contract="C7.sol:C")
    assert len(Artifact().compile(wanted).contracts) == 3_000
    with pytest.raises(TargetError, match="several contracts that could be fuzzed"):
        Artifact().compile(CompileRequest(target=target))


_JSON = st.recursive(
    st.none() | st.integers() | st.text(st.sampled_from('a"\\[]{},\n\u2028é')),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.sampled_from('k"\\{,')), inner, max_size=4)
    ),
)


@given(_JSON, st.booleans(), st.integers(1, 40))
def test_bounded_json_is_json(value: Any, ascii_only: bool, piece: int):
    text = json.dumps(value, ensure_ascii=ascii_only).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounded_json, "_PIECE", piece)
        assert parse_json(text, "it") == value


def _depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value
    if isinstance(value, (list, dict)):
        return 1 + max(map(_depth, inner), default=0)
    return 0


@given(_JSON, st.integers(1, 6), st.integers(1, 40))
def test_depth_is_that_of_lists_and_objects(value: Any, most: int, piece: int):
    text = json.dumps(value).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounded_json, "_PIECE", piece)
        patch.setattr(bounded_json, "MOST_DEPTH", most)
        if _depth(value) > most:
            with pytest.raises(TargetError, match="nested"):
                parse_json(text, "it")
        else:
            assert parse_json(text, "it") == value


def test_depth_that_is_allowed_is_parsed():
    value = parse_json(b"[" * MOST_DEPTH + b"]" * MOST_DEPTH, "it")
    assert _depth(value) == MOST_DEPTH
    with pytest.raises(TargetError, match="it is nested more than 400 levels deep"):
        parse_json(b"[" * (MOST_DEPTH + 1) + b"]" * (MOST_DEPTH + 1), "it")


@pytest.mark.parametrize(
    "text",
    [b'"' + b'\\"' * 2_000_000, b'"\\', b'["', b'\\"' * 500_000, b"\xff", b""],
)
def test_json_that_does_not_end_is_soon_refused(text: bytes):
    with pytest.raises(ValueError, match=r"Expecting|Unterminated|decode"):
        parse_json(text, "it")


@pytest.mark.parametrize(
    "text",
    [
        "/*" * 1_000_000,
        '"\\' * 1_000_000,
        "'\"" * 1_000_000,
        "pragma solidity " * 100_000,
        "import " * 200_000,
    ],
)
def test_sources_that_end_nothing_are_soon_read(text: str):
    imports_of(text)
    list(pragmas_of(text))


def test_lines_of_many_imports_are_soon_counted():
    found = imports_of('import "a";\n' * 200_000)
    assert [found[0].line, found[-1].line] == [1, 200_000]


def artifact_of(directory: Path, parameter: dict[str, Any]) -> Path:
    function = {"type": "function", "name": "f", "inputs": [parameter], "outputs": []}
    code = {"object": "6001"}
    contract = {"abi": [function], "evm": {"bytecode": code, "deployedBytecode": code}}
    target = directory / "a.json"
    target.write_text(json.dumps({"contracts": {"a.sol": {"A": contract}}}))
    return target


def test_type_of_absurd_length(tmp_path: Path):
    parameter = {"name": "x", "type": "uint256" + "[]" * 500_000}
    target = artifact_of(tmp_path, parameter)
    assert refused(target) == "The ABI names a type of 1000007 characters."


@pytest.mark.parametrize(("depth", "fine"), [(64, True), (65, False), (120, False)])
def test_arrays_in_arrays(tmp_path: Path, depth: int, fine: bool):
    parameter = {"name": "x", "type": "uint8" + "[]" * depth}
    target = artifact_of(tmp_path, parameter)
    if fine:
        Artifact().compile(CompileRequest(target=target))
    else:
        assert "more than 64 arrays and structs in one another" in refused(target)


@pytest.mark.parametrize("array", ["", "[]", "[3][]"])
@pytest.mark.parametrize(
    ("depth", "fine"), [(10, True), (11, False), (64, False), (180, False)]
)
def test_structs_in_structs(tmp_path: Path, depth: int, fine: bool, array: str):
    """A value of 64 took longer to check than anybody lives."""
    parameter: dict[str, Any] = {"name": "x", "type": "uint256"}
    for _ in range(depth):
        parameter = {"name": "x", "type": "tuple" + array, "components": [parameter]}
    target = artifact_of(tmp_path, parameter)
    if fine:
        Artifact().compile(CompileRequest(target=target))
    else:
        assert "more than 10 structs in one another" in refused(target)


def test_names_that_are_no_text(tmp_path: Path):
    code = {"object": "6001"}
    contract = {"abi": [], "evm": {"bytecode": code, "deployedBytecode": code}}
    target = tmp_path / "a.json"
    target.write_text(json.dumps({"contracts": {"\ud800": {"A": contract}}}))
    assert "damaged artifact" in refused(target)
    os.close(os.open(bytes(tmp_path) + b"/\xff.sol", os.O_CREAT))
    with pytest.raises(TargetError, match="is not UTF-8; rename"):
        load_project(CompileRequest(target=tmp_path))


@pytest.mark.parametrize("name", ["A.sol", "a.json"])
@pytest.mark.parametrize("kind", ["pipe", "zero", "socket"])
def test_pipes_and_devices_are_never_waited_for(tmp_path: Path, name: str, kind: str):
    target = tmp_path / name
    if kind == "pipe":
        os.mkfifo(target)
    elif kind == "zero":
        target.symlink_to("/dev/zero")
    else:
        subprocess.run(
            [
                sys.executable,
                "-c",
                "import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])",
                name,
            ],
            cwd=tmp_path,
            check=True,
        )
    if name == "a.json":
        text = refused(target)
    else:
        with pytest.raises(TargetError) as caught:
            load_project(CompileRequest(target=target, allow_paths=(Path("/dev"),)))
        text = caught.value.message
    assert "is no regular file" in text or "can't be read" in text


def test_loops_of_links(tmp_path: Path):
    (tmp_path / "again").symlink_to(tmp_path)
    (tmp_path / "B.sol").symlink_to(tmp_path / "C.sol")
    (tmp_path / "C.sol").symlink_to(tmp_path / "B.sol")
    with pytest.raises(TargetError, match=r"B\.sol can't be read"):
        load_project(CompileRequest(target=tmp_path))
    (tmp_path / "B.sol").unlink()
    (tmp_path / "C.sol").unlink()
    (tmp_path / "A.sol").write_text("contract A {}")
    assert load_project(CompileRequest(target=tmp_path)).entries == ("A.sol",)


def test_deep_and_broad_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    place = tmp_path
    for _ in range(1_500):
        place = place / "d"
        place.mkdir()
    (place / "A.sol").write_text("contract A {}")
    assert len(source_files(tmp_path, ".sol")) == 1
    (place / "A.sol").unlink()
    while place != tmp_path:  # pytest would recurse to remove them
        place.rmdir()
        place = place.parent
    broad = tmp_path / "broad"
    broad.mkdir()
    for number in range(100):
        (broad / f"{number}.sol").touch()
    monkeypatch.setattr(files, "MOST_SOURCES", 99)
    with pytest.raises(TargetError, match=r"holds 100 \.sol files, more than 99; name"):
        source_files(broad, ".sol")
    monkeypatch.setattr(files, "_MOST_ENTRIES", 99)
    with pytest.raises(TargetError, match="holds more than 99 files; name the"):
        source_files(broad, ".vy")


def test_large_files(tmp_path: Path):
    target = tmp_path / "A.sol"
    with target.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(TargetError, match=r"A\.sol is larger than 16384 KiB"):
        read_source(target)
    target.rename(tmp_path / "a.json")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert "a.json is larger than 262144 KiB" in refused(tmp_path / "a.json")
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 1 << 20  # KiB


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = " + "[" * 100_000, "nested too deeply"),
        ("profile = 3", "profile must be a table"),
        ("[profile]\ndefault = []", "default must be a table"),
        ("[profile.default]\nremappings = 5", "remappings must be a list"),
        ("[profile.default]\noptimizer_runs = true", "must be a whole number"),
        ("[profile.default]\nsrc = 5", "src must be a string"),
        ("x = '" + "a" * (1 << 20) + "'", "larger than 1024 KiB"),
    ],
)
def test_odd_foundry_toml(tmp_path: Path, text: str, message: str):
    (tmp_path / "foundry.toml").write_text(text)
    with pytest.raises((ConfigError, TargetError), match=message):
        settings.project_settings(tmp_path, Fence(tmp_path))


def test_many_remappings(tmp_path: Path):
    lines = "".join(f"a{n}/=b/\n" for n in range(5_001))
    (tmp_path / "remappings.txt").write_text(lines)
    with pytest.raises(TargetError, match="has 5001 remappings, more than 5000"):
        settings.project_settings(tmp_path, Fence(tmp_path))
    (tmp_path / "remappings.txt").write_bytes(b"\xff\xfe\n" * 10)
    assert settings.project_settings(tmp_path, Fence(tmp_path)).remappings == ()
