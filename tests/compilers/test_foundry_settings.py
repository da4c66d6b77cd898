"""Settings of compilers in foundry.toml are those that forge hands to solc.

What forge 1.7.1 does is from its build-info files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from solc import require_solc

from echidna_mcp.errors import ConfigError
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.fence import Fence
from echidna_mcp_plugins.compilers.solidity.settings import (
    SolcSettings,
    project_settings,
)
from echidna_mcp_plugins.compilers.solidity.solcjs import SolcJs

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
    require_solc()
    return SolcJs().compile(CompileRequest(target=write(root, *lines)))


@pytest.fixture(autouse=True)
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
