"""Wheels of this project, and environments that hold nothing else of it."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]


def build_wheel(project: Path, output: Path) -> Path:
    """Build the wheel of a project with what is installed; no package index."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    command += ["--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    run([*command, "--wheel-dir", str(output), str(project)], cwd=output)
    (wheel,) = output.glob("*.whl")
    return wheel


class Environment:
    """A new virtual environment that finds dependencies in ours.

    A path file lends it our site-packages. Path files found there are not followed, so
    an editable install of ours stays out: what it imports comes from its own wheels.
    """

    def __init__(self, path: Path, wheels: Sequence[Path]) -> None:
        venv.create(path, symlinks=True)
        self.scripts = path / ("Scripts" if sys.platform == "win32" else "bin")
        self.python = self.scripts / "python"
        layout = {"base": str(path), "platbase": str(path)}
        own = Path(sysconfig.get_path("purelib", "venv", layout))
        ours = {sysconfig.get_path(name) for name in ("purelib", "platlib")}
        (own / "lent.pth").write_text("\n".join(sorted(ours)), encoding="utf-8")
        self.packages = own
        command = [sys.executable, "-m", "pip", "--python", str(self.python)]
        command += ["install", "--quiet", "--no-deps", "--no-index"]
        command += ["--ignore-installed", "--disable-pip-version-check"]
        run([*command, *map(str, wheels)], cwd=path)

    def run(
        self,
        *command: str,
        cwd: Path,
        variables: Mapping[str, str] | None = None,
        codes: Sequence[int] = (0,),
    ) -> str:
        """Run a program of this environment and return its standard output."""
        program = str(self.scripts / command[0])
        return run([program, *command[1:]], cwd=cwd, variables=variables, codes=codes)


def run(
    command: Sequence[str],
    *,
    cwd: Path,
    variables: Mapping[str, str] | None = None,
    codes: Sequence[int] = (0,),
) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        env=clean_environment(variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode in codes, f"{command}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def clean_environment(variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return our variables without those that would change what is imported."""
    dropped = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "ECHIDNA_MCP_PLUGINS")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return {**kept, **(variables or {})}
