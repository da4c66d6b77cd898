"""The parts of the page are installed with the package."""

from __future__ import annotations

from zipfile import ZipFile

from wheels import ROOT, build_wheel

FOLDER = "echidna_mcp_plugins/dashboard/page"


def test_a_wheel_holds_every_part_of_the_page(tmp_path):
    with ZipFile(build_wheel(ROOT, tmp_path)) as wheel:
        packed = {
            name.removeprefix(f"{FOLDER}/")
            for name in wheel.namelist()
            if name.startswith(f"{FOLDER}/")
        }
    parts = {path.name for path in (ROOT / "plugins" / FOLDER).iterdir()}
    assert "page.html" in parts
    assert packed == parts
