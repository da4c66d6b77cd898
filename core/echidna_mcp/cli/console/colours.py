"""Whether text has colours."""

from __future__ import annotations

import os
import sys
from typing import Literal, TypeAlias

ColourWish: TypeAlias = Literal["auto", "always", "never"]


def wants_colours(wish: ColourWish) -> bool:
    """Whether text has colours: if not said, on a terminal without NO_COLOR."""
    if wish == "auto":
        return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return wish == "always"
