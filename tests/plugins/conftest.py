"""Really installed packages, as pip leaves them: modules, metadata, entry points."""

from __future__ import annotations

import sys
from importlib.metadata import distributions

import pytest

from echidna_mcp.plugins.hookspecs import GROUP


class Site:
    """A directory of installed packages."""

    def __init__(self, path):
        self.path = path
        self.modules = []

    def install(self, distribution, version="1.0", **plugins):
        """Install a package with plugins: entry point name to source of its module.

        In names of entry points `_` stands for `-`.
        """
        info = self.path / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
        )
        lines = [f"[{GROUP}]"]
        for name, source in plugins.items():
            module = f"{distribution}_{name}".replace("-", "_")
            (self.path / f"{module}.py").write_text(source)
            self.modules.append(module)
            lines.append(f"{name.replace('_', '-')} = {module}")
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n")

    def entries(self):
        """Return the entry points of these packages only, in no useful order."""
        found = [
            entry
            for one in distributions(path=[str(self.path)])
            for entry in one.entry_points.select(group=GROUP)
        ]
        return found[::-1]


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    site = Site(tmp_path)
    yield site
    for module in site.modules:
        sys.modules.pop(module, None)
