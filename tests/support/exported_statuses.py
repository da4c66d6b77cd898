"""What forge says of the tests that were exported into a project."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from forge_verdicts import forge_test

SESSION: Final = "exports"
HERE: Final = Path(__file__).parents[1] / "exports"


def exported_statuses(project: Path) -> dict[str, str]:
    """Run forge; return its status of each exported test, by `path.test()`.

    The sources may hold tests of their own, which are not meant.
    """
    return {
        f"{suite.partition(':')[0]}.{test}": result["status"]
        for suite, ran in forge_test(project, HERE, SESSION).items()
        if suite.startswith("exported/")
        for test, result in ran["test_results"].items()
    }
