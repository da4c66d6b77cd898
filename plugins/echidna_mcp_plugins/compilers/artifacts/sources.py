"""Source texts that belong to a compiled artifact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from eth_hash.auto import keccak

from echidna_mcp.errors import TargetError
from echidna_mcp_plugins.compilers.cache import Lookup
from echidna_mcp_plugins.compilers.fence import Fence, artifact_root, is_file
from echidna_mcp_plugins.compilers.files import read_source
from echidna_mcp_plugins.compilers.solidity.metadata import metadata_of


def embedded_texts(*sources: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts in `sources` objects of inputs, outputs or metadata."""
    return {
        path: source["content"]
        for part in sources
        for path, source in part.items()
        if isinstance(source, Mapping) and isinstance(source.get("content"), str)
    }


class SourcesBeside:
    """Finds sources near an artifact, in its project or what is allowed besides.

    Args:
        allowed: further files and directories that may be read.
        root: of the project, if it is known; then sources are looked for from there.

    Attributes:
        lookups: what was looked for so far.
    """

    def __init__(self, allowed: Sequence[Path], root: Path | None = None) -> None:
        self.lookups: list[Lookup] = []
        self._allowed = allowed
        self._root = root

    def fence(self, artifact: Path) -> Fence:
        """Return what may be read for an artifact, a file or a directory."""
        return Fence(self._root or artifact_root(artifact.absolute()), self._allowed)

    def texts(
        self, artifact: Path, paths: Iterable[str], hashes: Mapping[str, str]
    ) -> dict[str, str]:
        """Return the texts found relative to the artifact or a directory above it.

        Args:
            artifact: file or directory.
            paths: as the compiler was given them.
            hashes: keccak-256 of the sources by path, `0x…`, as far as known.

        Raises:
            TargetError: a source was changed after it was compiled, lies outside the
                project, or can't be read.
        """
        wanted = sorted(paths)
        start = artifact.absolute()
        fence = self.fence(artifact)
        for root in (self._root,) if self._root else (start, *start.parents):
            found = [path for path in wanted if is_file(root / path)]
            for path in found:
                fence.check(root / path, f"{artifact}: the source {path!r}")
            self.lookups += [Lookup.now(str(root / path)) for path in wanted]
            if found:
                texts = {path: read_source(root / path) for path in found}
                for path, text in texts.items():
                    _refuse_stale(artifact, path, text, hashes.get(path))
                return texts
        return {}


def text_hashes(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the keccak-256 hashes of sources, `0x…`, as metadata has them."""
    return {path: f"0x{keccak(text.encode()).hex()}" for path, text in texts.items()}


def _refuse_stale(artifact: Path, path: str, text: str, expected: str | None) -> None:
    if expected and keccak(text.encode()).hex() != expected.removeprefix("0x"):
        raise TargetError(
            f"{path} was changed after {artifact} was compiled from it; compile again."
        )


def source_hashes(entries: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the keccak-256 hashes of sources that metadata knows."""
    return {
        path: str(source.get("keccak256", ""))
        for metadata in map(metadata_of, entries)
        for path, source in metadata.get("sources", {}).items()
    }
