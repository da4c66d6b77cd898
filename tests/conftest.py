"""Makes the plain modules of `tests/support` importable by every test.

Tests marked `slow` run only with ECHIDNA_MCP_SLOW=1 in the environment.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent / "support"))

# The same examples everywhere, and no race against a busy machine. To search further:
# pytest --hypothesis-profile=explore
settings.register_profile("project", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None)
settings.load_profile("project")


def pytest_configure(config: pytest.Config) -> None:
    """Keep compiled code beside the other caches of tests, not in the user's home."""
    place = config.rootpath / ".pytest_cache" / "echidna-mcp"
    os.environ.setdefault("ECHIDNA_MCP_CACHE", str(place))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip slow tests unless they are asked for."""
    if os.environ.get("ECHIDNA_MCP_SLOW") == "1":
        return
    skip = pytest.mark.skip(reason="slow; set ECHIDNA_MCP_SLOW=1 to run it")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)
