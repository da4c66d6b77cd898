"""A chain on this machine, for trials: what `echidna-mcp devnet` runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

Ready: TypeAlias = Callable[[str, str], None]
"""Is told the URL at which it answers, and how clients are configured."""


@dataclass(frozen=True, slots=True)
class Devnet:
    """A chain that a plugin can run, as `register_devnets` offers it.

    Attributes:
        name: of its family of tools.
        run: serves it until the process is told to end; takes host, port, the data
            directory that its tools would be given, seconds between blocks, and whom
            to tell. Raises `UsageError` if the address can't be had, or another
            process serves it.
    """

    name: str
    run: Callable[[str, int, Path, float, Ready], None]
