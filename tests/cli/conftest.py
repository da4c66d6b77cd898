from __future__ import annotations

from pathlib import Path

import pytest
from command_line import artifact


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ECHIDNA_MCP_PLUGINS", raising=False)
    monkeypatch.delenv("ECHIDNA_MCP_TOKEN", raising=False)
    return tmp_path


@pytest.fixture
def target(here: Path) -> Path:
    """A contract with a function and a property that is true."""
    return artifact(here / "Good.json")
