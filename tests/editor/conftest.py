"""Projects to read: two that are kept as files, and one that a test writes itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from unity_workshop import Workshop

from echidna_mcp_plugins.editor.unity.project import UnityProject

PROJECTS = Path(__file__).parent / "projects"


@pytest.fixture
def orchard() -> UnityProject:
    """Unity 2022.3: SceneRoots, nested prefabs, a variant, a mixer."""
    return UnityProject(PROJECTS / "orchard")


@pytest.fixture
def antique() -> UnityProject:
    """Unity 5.4: components by class, prefabs that describe themselves."""
    return UnityProject(PROJECTS / "antique")


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path / "project")
