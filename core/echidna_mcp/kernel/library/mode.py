"""The three ways in which kernel functions run."""

from __future__ import annotations

import os
from typing import Final, Literal, cast, get_args

from echidna_mcp.errors import ConfigError

Mode = Literal["compiled", "checked", "plain"]
"""As machine code; the same with every access to memory checked; as the Python
functions that they are."""

MODE_VARIABLE: Final = "ECHIDNA_MCP_KERNELS"


def chosen_mode() -> Mode:
    """Return the mode that `ECHIDNA_MCP_KERNELS` names; `compiled` if it is not set.

    Raises:
        ConfigError: there is no such mode.
    """
    asked = os.environ.get(MODE_VARIABLE) or "compiled"
    if asked not in get_args(Mode):
        modes = ", ".join(get_args(Mode))
        raise ConfigError(f"{MODE_VARIABLE} is {asked!r}; choose one of {modes}.")
    return cast("Mode", asked)
