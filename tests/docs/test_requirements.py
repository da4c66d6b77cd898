"""`docs/requirements.md` has a row for each requirement, and names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

from echidna_mcp.contracts import load_bundle

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "requirements.md").read_text("utf-8")
STORIES = {1: 5, 2: 5, 3: 5}
EDGE_CASES = (
    *("Empty Corpus", "Invalid Transaction Syntax", "Concurrent Prioritization"),
    *("Server Shutdown", "Large Corpus Pagination"),
    *("Prioritize Non-Existent Function", "Inject Transaction to Stopped Worker"),
    *("LCOV Export During Active Fuzzing", "Multiple NEEDS CLARIFICATION Markers"),
)
ENTITIES = (
    *("MCPTool", "EventLog", "MCPCommandLog", "Bus", "ToolExecution"),
    *("PrioritizedFunctions", "Env"),
)


def rows() -> dict[str, str]:
    """Return the rows of all tables by their first cell."""
    found: dict[str, str] = {}
    for line in TEXT.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and cells[0] != "id":
            assert cells[0] not in found, f"{cells[0]} has two rows"
            found[cells[0]] = line
    return found


def test_no_requirement_is_missing():
    wanted = {f"FR-{number:03}" for number in range(1, 21)}
    wanted |= {f"SC-{number:03}" for number in range(1, 11)}
    wanted |= {
        f"US{story}-{scenario + 1}"
        for story, scenarios in STORIES.items()
        for scenario in range(scenarios)
    }
    wanted |= {*EDGE_CASES, *ENTITIES, *load_bundle().tools}
    assert wanted - rows().keys() == set()


def test_each_row_names_a_test_that_exists():
    for name, row in rows().items():
        found = re.findall(r"`(tests/[a-z_/]+\.py)::(\w+)`", row)
        assert found or name == "Multiple NEEDS CLARIFICATION Markers", name
        for path, test in found:
            text = (ROOT / path).read_text("utf-8")
            assert f"def {test}(" in text, f"{name}: {path}::{test}"


def test_the_readme_leads_to_the_quickstart():
    readme = (ROOT / "README.md").read_text("utf-8")
    assert "(docs/quickstart.md)" in readme
    assert "(docs/requirements.md)" in readme
