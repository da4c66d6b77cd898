"""Settings of compilers in foundry.toml are those that forge hands to solc.

What forge 1.7.1 does is from its build-info files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from solc import require_packages, require_solc

from echidna_mcp.errors import CompilerUnavailableError, ConfigError
from echidna_mcp.program.compile import compile_target
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.artifacts import artifact
from echidna_mcp_plugins.compilers.fence import Fence
from echidna_mcp_plugins.compilers.solidity import solc, solc_installed, solcjs
from echidna_mcp_plugins.compilers.solidity.settings import (
    SolcSettings,
    project_settings,
)
from echidna_mcp_plugins.compilers.solidity.solcjs import SolcJs

EVERY = [
    compiler
    for module in (artifact, solc, solc_installed, solcjs)
    for compiler in module.register_compilers()
]
NEW = (0, 8, 37)
REASON = "this text is long enough to be seen in the code of the contract"
SOURCE = f"""contract Vault {{
    function f(uint x) public pure {{ require(x > 1, "{REASON}"); }}
}}"""


def write(root: Path, *lines: str) -> Path:
    (root / "src").mkdir(exist_ok=True)
    (root / "src" / "Vault.sol").write_text(SOURCE)
    (root / "foundry.toml").write_text("\n".join(["[profile.default]", *lines]))
    return root


def settings_of(root: Path, *lines: str) -> SolcSettings:
    return project_settings(write(root, *lines), Fence(root))


def compiled(root: Path, *lines: str) -> Program:
    return SolcJs().compile(CompileRequest(target=write(root, *lines)))


@pytest.fixture(autouse=True)
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require_solc()
    monkeypatch.setenv("ECHIDNA_MCP_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", {"enabled": False, "runs": 200}),
        ("optimizer_runs = 1000", {"enabled": True, "runs": 1000}),
        ("optimizer-runs = 1000", {"enabled": True, "runs": 1000}),
        ("optimizer_runs = 0", {"enabled": False, "runs": 0}),
        ("optimizer_runs = 9\noptimizer = false", {"enabled": False, "runs": 9}),
        ("optimizer = true", {"enabled": True, "runs": 200}),
        (
            "optimizer_details = { yul = true, yulDetails = { optimizerSteps = 'u' } }",
            {
                "enabled": False,
                "runs": 200,
                "details": {"yul": True, "yulDetails": {"optimizerSteps": "u"}},
            },
        ),
    ],
)
def test_the_optimizer_is_as_forge_has_it(tmp_path: Path, line: str, expected: Any):
    assert settings_of(tmp_path, line).to_json(NEW)["optimizer"] == expected


@pytest.mark.parametrize(
    ("lines", "section", "expected"),
    [
        ("bytecode_hash = 'none'", "metadata", {"bytecodeHash": "none"}),
        ("bytecode_hash = 'IPFS'", "metadata", {"bytecodeHash": "ipfs"}),
        ("cbor_metadata = false", "metadata", {"appendCBOR": False}),
        ("use_literal_content = true", "metadata", {"useLiteralContent": True}),
        ("revert_strings = 'strip'", "debug", {"revertStrings": "strip"}),
        ("", "metadata", None),
        ("", "debug", None),
    ],
)
def test_what_changes_code_is_handed_on(
    tmp_path: Path, lines: str, section: str, expected: Any
):
    assert settings_of(tmp_path, lines).to_json(NEW).get(section) == expected


def test_an_old_solc_is_not_told_what_it_does_not_know(tmp_path: Path):
    settings = settings_of(
        tmp_path,
        *(
            "cbor_metadata = false",
            "bytecode_hash = 'none'",
            "revert_strings = 'strip'",
        ),
    )
    assert "metadata" not in settings.to_json((0, 5, 17))
    assert "debug" not in settings.to_json((0, 5, 17))
    assert settings.to_json((0, 8, 17))["metadata"] == {"bytecodeHash": "none"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("bytecode_hash = 'md5'", "bytecode_hash must be one of ipfs, bzzr1, none."),
        ("revert_strings = 'all'", "revert_strings must be one of default, strip,"),
        ("revert_strings = 1", "revert_strings must be a string."),
        ("optimizer_details = true", "optimizer_details must be a table."),
        ("optimizer_details = { yul = 1.5 }", "optimizer_details must hold flags and"),
        ("cbor_metadata = 'no'", "cbor_metadata must be a boolean."),
    ],
)
def test_mistakes_are_told(tmp_path: Path, line: str, message: str):
    with pytest.raises(ConfigError, match=r"foundry\.toml: ") as caught:
        settings_of(tmp_path, line)
    assert message in caught.value.message


@pytest.mark.solc
def test_solc_takes_them_all(tmp_path: Path):
    plain = compiled(tmp_path).main_contract
    stripped = compiled(
        tmp_path,
        "revert_strings = 'strip'",
        "cbor_metadata = false",
        "optimizer_details = { yul = false, constantOptimizer = true }",
    ).main_contract
    reason = REASON[:32].encode()
    assert reason in plain.runtime_code
    assert reason not in stripped.runtime_code
    assert b"ipfs" in plain.runtime_code
    assert b"ipfs" not in stripped.runtime_code


# ----------------------------------------------------------------- which solc compiles


@pytest.fixture
def two_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offer the npm packages `solc` and `solc-0.7`."""
    monkeypatch.setenv("SOLCJS", str(require_packages("solc-0.7")))


@pytest.mark.solc
@pytest.mark.parametrize(
    "line",
    [
        "solc = '0.7.6'",
        "solc_version = '0.7.6'",
        "solc = 'solc:0.7.6'",
        "solc = 'v0.7.6+commit.7338295f'",
        "solc = '0.7.6'\nsolc_version = '0.8.37'",
    ],
)
def test_the_version_of_foundry_toml_compiles(
    tmp_path: Path, two_versions: None, line: str
):
    assert compiled(tmp_path).compiler.startswith("solc 0.8.37+")
    assert compiled(tmp_path, line).compiler.startswith("solc 0.7.6+")


@pytest.mark.solc
def test_a_version_that_is_not_here_is_to_be_installed(tmp_path: Path):
    with pytest.raises(
        CompilerUnavailableError, match=r"`=0\.8\.3`; run `npm install solc@0\.8\.3`"
    ):
        compiled(tmp_path, "solc = '0.8.3'")


@pytest.mark.solc
def test_pragmas_do_not_outvote_foundry_toml(tmp_path: Path, two_versions: None):
    write(tmp_path, "solc = '0.7.6'")
    (tmp_path / "src" / "New.sol").write_text(
        "pragma solidity ^0.8.0; interface New {}"
    )
    told: list[str] = []
    program = SolcJs().compile(CompileRequest(target=tmp_path, tell=told.append))
    assert [c.name for c in program.contracts] == ["Vault"]
    assert told[-1].startswith("src/New.sol is left out: ParserError: Source file req")


def script(path: Path, mark: Path) -> Path:
    """Write a program that calls itself solc 0.8.1 and leaves a mark when it runs."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'#!/bin/sh\necho "Version: 0.8.1+commit.a"\ntouch {mark}\n')
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("how", ["absolute", "relative", "link"])
def test_a_binary_outside_of_the_project_is_not_run(tmp_path: Path, how: str):
    root, mark = tmp_path / "p", tmp_path / "ran"
    root.mkdir()
    outside = script(tmp_path / "bin" / "solc", mark)
    (root / "link").symlink_to(outside)
    named = {"absolute": str(outside), "relative": "../bin/solc", "link": "link"}[how]
    write(root, f"solc = '{named}'")
    for target in (root, root / "src" / "Vault.sol"):
        with pytest.raises(ConfigError) as caught:
            compile_target(CompileRequest(target=target), EVERY)
        assert caught.value.message == (
            f"{root}/foundry.toml: solc leads to {outside}, outside of the project; "
            f"what is run is for you to decide: give --solc {outside}."
        )
    assert not mark.exists()


def test_a_binary_of_the_project_is_taken(tmp_path: Path):
    mark = tmp_path / "ran"
    script(tmp_path / "bin" / "solc", mark)
    write(tmp_path, "solc = 'bin/solc'")
    with pytest.raises(ConfigError, match=r"can't be used: solc 0\.8\.1\+commit\.a d"):
        compile_target(CompileRequest(target=tmp_path / "src" / "Vault.sol"), EVERY)
    assert mark.exists()


@pytest.mark.parametrize("text", ["0.8", "solc", "bin\\\\solc\\u0000"])
def test_what_is_neither_version_nor_file_is_told(tmp_path: Path, text: str):
    write(tmp_path, f'solc = "{text}"')
    with pytest.raises(ConfigError, match="neither a version nor a file of the proj"):
        compile_target(CompileRequest(target=tmp_path), EVERY)
