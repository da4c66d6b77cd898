"""Whether and when hot blocks are compiled."""

from __future__ import annotations

import os
from typing import Literal, TypeAlias, cast, get_args

from echidna_mcp.errors import ConfigError

HotMode: TypeAlias = Literal["background", "at-once", "off"]
"""`background`: as above. `at-once`: in this process, as soon as a block was entered;
for tests and benchmarks. `off`: never."""

HOT_VARIABLE = "ECHIDNA_MCP_HOT_CODE"
"""Names the mode."""


def chosen_hot_mode() -> HotMode:
    """Return what the environment asks for.

    Raises:
        ConfigError: it asks for something that there is not.
    """
    chosen = os.environ.get(HOT_VARIABLE) or "background"
    if chosen not in get_args(HotMode):
        raise ConfigError(
            f"{HOT_VARIABLE} is {chosen}; it can be {', '.join(get_args(HotMode))}."
        )
    return cast("HotMode", chosen)
