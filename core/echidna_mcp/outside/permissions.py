"""Which paths of a project cheatcodes may read.

As in Foundry the permission with the longest path decides (`fs_permissions`); links are
followed before. What lies outside of the project is for nobody to read, whatever its
configuration says: that is a part of it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from echidna_mcp.config.campaign import CampaignConfig

_OF_FOUNDRY: Final = (("read", "out"),)
"""What Foundry permits for want of a wish."""
_READING: Final = ("read", "read-write")


class Permissions:
    """What may be read.

    Args:
        root: directory of the project, links followed.
        config: of the campaign.
    """

    def __init__(self, root: Path, config: CampaignConfig) -> None:
        self._root = root
        self._everything = config.allow_ffi
        given = config.fs_permissions
        if given is None:
            given = _OF_FOUNDRY if config.cheat_dialect == "foundry" else ()
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
        if self._everything or self._permitted(place):
            return ""
        return (
            f"reads {shown}, which the project does not permit; add it to "
            "fs_permissions in foundry.toml, or give --allow-ffi."
        )

    def _permitted(self, place: Path) -> bool:
        fitting = [each for each in self._permissions if place.is_relative_to(each[0])]
        longest = max(fitting, key=lambda each: len(each[0].parts), default=None)
        return longest is not None and longest[1]
