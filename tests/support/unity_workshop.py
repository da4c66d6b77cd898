"""A Unity project that a test writes itself."""

from __future__ import annotations

from pathlib import Path

from echidna_mcp_plugins.editor.unity.project import UnityProject

HEAD = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n"


class Workshop:
    """A project with nothing in it but what a test writes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "Assets").mkdir(parents=True)
        self.write("ProjectSettings/ProjectVersion.txt", "m_EditorVersion: 6000.0.1f1")

    def write(self, path: str, content: str | bytes, guid: str = "") -> None:
        """Write a file as it is; with a guid also its `.meta`."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            content = content.encode("utf-8")
        target.write_bytes(content)
        if guid:
            self.write(f"{path}.meta", f"fileFormatVersion: 2\nguid: {guid}\n")

    def asset(self, path: str, documents: str, guid: str = "") -> None:
        """Write an asset: documents without the head of the file."""
        self.write(path, HEAD + documents, guid)

    def open(self) -> UnityProject:
        return UnityProject(self.root)
