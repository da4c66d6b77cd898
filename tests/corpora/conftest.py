from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, where a campaign without a target is the demo."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ECHIDNA_MCP_PLUGINS", raising=False)
    return tmp_path
