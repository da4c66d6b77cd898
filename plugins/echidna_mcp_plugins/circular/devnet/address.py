"""Where the devnet of a directory is served, told to others by a file in it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FILE: Final = "address.json"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a devnet was served last.

    Attributes:
        discovery: the URL that clients are configured with.
        port: of that URL.
        instance: a word that only this devnet answers there: when it has ended, its
            port may be that of another one.
    """

    discovery: str
    port: int
    instance: str


def write_address(directory: Path, address: Address) -> None:
    """Tell where the devnet of a directory is; whoever does serves it.

    Raises:
        OSError: the directory can't be written.
    """
    # Complete or as before, whenever it is read.
    draft = directory / f"{FILE}.new"
    told = {name: getattr(address, name) for name in Address.__slots__}
    draft.write_text(json.dumps(told), "ascii")
    draft.replace(directory / FILE)


def read_address(directory: Path) -> Address | None:
    """Return where the devnet of a directory was served last; None if nobody told."""
    try:
        told = json.loads((directory / FILE).read_text("ascii"))
        return Address(str(told["discovery"]), int(told["port"]), str(told["instance"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
