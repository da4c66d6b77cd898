"""Makes the plain modules of `tests/support` importable by every test."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent / "support"))

from suites import LeftOut

# The same examples everywhere, and no race against a busy machine. To search further:
# pytest --hypothesis-profile=explore
settings.register_profile("project", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None)
settings.load_profile("project")


def pytest_configure(config: pytest.Config) -> None:
    """Keep compiled code beside the other caches of tests, not in the user's home."""
    place = config.rootpath / ".pytest_cache" / "echidna-mcp"
    os.environ.setdefault("ECHIDNA_MCP_CACHE", str(place))
    config.pluginmanager.register(LeftOut())
    # Whoever runs the tests in the background of a script hands down a deaf ear for
    # ctrl-C, and the programs that are tested would inherit it.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
