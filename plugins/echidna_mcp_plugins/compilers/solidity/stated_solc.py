"""The solc that foundry.toml names: a version, or a binary of the project.

As with forge, all sources are compiled with it, whatever their pragmas say. A project
does not decide which program of this machine is run: that is for the user (`--solc`).

Source: Foundry, `crates/config`, `SolcReq`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from echidna_mcp.errors import ConfigError
from echidna_mcp_plugins.compilers.fence import is_file, real_path

_VERSION = re.compile(r"(?:solc[:-])?v?(\d{1,9}\.\d{1,9}\.\d{1,9})(?:\+[\w.]*)?")
_KEYS = ("solc", "solc_version")


class StatedSolc(NamedTuple):
    """What is to compile; one of the two is there."""

    version: str = ""
    binary: Path | None = None


def stated_solc(profile: Mapping[str, Any], file: Path) -> StatedSolc | None:
    """Return the solc that a profile names, if it names one.

    Args:
        file: the foundry.toml that holds it.

    Raises:
        ConfigError: it leads out of the project, or is neither version nor file.
    """
    text = next((profile[key] for key in _KEYS if profile.get(key)), "")
    if not text:
        return None
    if found := _VERSION.fullmatch(text):
        return StatedSolc(version=found[1])
    return StatedSolc(binary=_own_binary(text, file))


def _own_binary(text: str, file: Path) -> Path:
    path = file.parent / text
    try:
        real, root = real_path(path), real_path(file.parent)
    except ValueError:  # a NUL: there is no such file
        real = root = Path()
    if not real.is_relative_to(root):
        raise ConfigError(
            f"{file}: solc leads to {real}, outside of the project; what is run is for "
            f"you to decide: give --solc {real}."
        )
    if not is_file(path):
        raise ConfigError(
            f"{file}: solc is {text[:60]!r}, which is neither a version nor a file of "
            "the project; write a version, as 0.8.30."
        )
    return path
