"""The lock beside contract documents: what was published under which version.

Agents learn tools by heart: one that changes under its name breaks what worked. The
lock holds a hash of every definition, so that a change without a new version shows.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from echidna_mcp.errors import ContractDocumentError

LOCK_NAME: Final = "contracts.lock"
_FORMAT: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """What was published.

    Attributes:
        version: of the package.
        tools: hash of each definition, by the name of its tool.
    """

    version: str
    tools: Mapping[str, str]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return what a file holds.

        Raises:
            ContractDocumentError: it is no lock.
        """
        try:
            data = json.loads(path.read_text("utf-8"))
            if data["format"] != _FORMAT:
                raise ValueError("another format")  # noqa: TRY301
            return cls(version=str(data["version"]), tools=dict(data["tools"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ContractDocumentError(
                f"{path}: is no lock of contracts; write it again with "
                "`echidna-mcp contracts lock`."
            ) from error

    def write(self, path: Path) -> None:
        """Write it to a file."""
        data = {
            "format": _FORMAT,
            "version": self.version,
            "tools": dict(sorted(self.tools.items())),
        }
        path.write_text(json.dumps(data, indent=1) + "\n", "utf-8")


def definition_hash(document: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a document, whatever its layout."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def package_version(directory: Path) -> str | None:
    """Return the version of the package in which a directory lies, if one says it.

    It stands in the nearest `pyproject.toml` or `package.json`.
    """
    for folder in (directory.resolve(), *directory.resolve().parents):
        for name, parse in (
            ("pyproject.toml", tomllib.loads),
            ("package.json", json.loads),
        ):
            try:
                data: Any = parse((folder / name).read_text("utf-8"))
            except (OSError, ValueError):
                continue
            part = data.get("project", {}) if name == "pyproject.toml" else data
            version = part.get("version") if isinstance(part, dict) else None
            if isinstance(version, str):
                return version
    return None
