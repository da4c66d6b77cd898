"""Which paths of a project cheatcodes may read.

In a project of Foundry `fs_permissions` decide, as there: the permission with the
longest path, after links are followed. Elsewhere tests that may run programs may read
all of it. What lies outside of the project is for nobody to read, whatever its
configuration says: that is a part of it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from echidna_mcp.config.campaign import CampaignConfig

_OF_FOUNDRY: Final = (("read", "out"),)
"""What Foundry permits for want of a wish."""
_EVERYTHING: Final = (("read", "."),)
_READING: Final = ("read", "read-write")


class Permissions:
    """What may be read.

    Args:
        root: directory of the project, links followed.
        config: of the campaign.
    """

    def __init__(self, root: Path, config: CampaignConfig) -> None:
        self._root = root
        given = config.fs_permissions
        if given is None and config.cheat_dialect == "foundry":
            given = _OF_FOUNDRY
        self._stated = given is not None
        if given is None:
            given = _EVERYTHING if config.allow_ffi else ()
        self._permissions = [
            (Path(os.path.realpath(root / path)), access in _READING)
            for access, path in given
        ]

    def refusal(self, place: Path, shown: str) -> str:
        """Return why a path may not be read, to follow the name of a cheatcode.

        Args:
            place: the path, links followed.
            shown: the path as it is told.

        Returns:
            Nothing if it may be read.
        """
        if not place.is_relative_to(self._root):
            return f"reads {shown}, which lies outside of the project."
        if self._permitted(place):
            return ""
        if self._stated:
            return (
                f"reads {shown}, which fs_permissions of foundry.toml do not let tests "
                "read; add it there."
            )
        return f"reads {shown}; if tests may read the project, give --allow-ffi."

    def _permitted(self, place: Path) -> bool:
        fitting = [each for each in self._permissions if place.is_relative_to(each[0])]
        longest = max(fitting, key=lambda each: len(each[0].parts), default=None)
        return longest is not None and longest[1]
