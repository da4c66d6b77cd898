from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from handmade_campaign import HandmadeCampaign
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tool_plugins import make_service

from echidna_mcp.errors import InvalidInputError
from echidna_mcp_plugins.tools.output_path import inside


async def test_the_text_is_the_coverage_of_now(
    campaign: HandmadeCampaign, ask: Any
) -> None:
    before = await ask("dump_lcov")
    campaign.cover([0, 2, 4, 5])
    after = await ask("dump_lcov")
    assert "SF:src/Vault.sol\n" in before
    assert "DA:2,0\n" in before
    assert "DA:2,1\n" in after


async def test_a_dump_while_fuzzing_warns(
    campaign: HandmadeCampaign, tmp_path: Path
) -> None:
    service = make_service(campaign, tmp_path)
    running = await service.call("dump_lcov", {})
    campaign.stop()
    ended = await service.call("dump_lcov", {})
    assert "still fuzzing" in running.warnings[0]
    assert ended.warnings == ()
    assert running.content == ended.content


@pytest.mark.parametrize("name", ["out.info", "a/b/out.lcov", "./out.txt"])
async def test_the_text_is_written_inside_the_corpus_directory(
    ask: Any, tmp_path: Path, name: str
) -> None:
    text = await ask("dump_lcov", outputPath=name)
    assert (tmp_path / name).read_text() == text
    assert [p.name for p in (tmp_path / name).parent.iterdir()] == [Path(name).name]


async def test_an_absolute_path_inside_and_an_older_file_are_fine(
    ask: Any, tmp_path: Path
) -> None:
    path = tmp_path / "out.info"
    path.write_text("old " * 9999)
    assert await ask("dump_lcov", outputPath=str(path)) == path.read_text()


@pytest.fixture
def surroundings(tmp_path: Path) -> Path:
    """A corpus directory with links out of it and a store in it."""
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "victim.txt").write_text("mine")
    (corpus / "link").symlink_to(tmp_path / "elsewhere")
    (corpus / "link.txt").symlink_to(tmp_path / "elsewhere" / "victim.txt")
    (corpus / "loop.txt").symlink_to(corpus / "loop.txt")
    (corpus / "store.txt").symlink_to(corpus / "campaign.db")
    (corpus / "dir.info").mkdir()
    (corpus / "campaign.db").write_text("store")
    (corpus / "mcp-commands.jsonl").write_text("commands")
    return corpus


REFUSED = [
    "",
    ".",
    "..",
    "../out.info",
    "a/../../out.info",
    "a/../out.info",
    "/tmp/out.info",
    "/etc/passwd",
    "link/out.info",
    "link/victim.txt",
    "link.txt",
    "loop.txt",
    "store.txt",
    "dir.info",
    "campaign.db",
    "campaign.db-wal",
    "campaign.db.txt",
    "mcp-commands.jsonl",
    "mcp-commands.txt",
    "out",
    "out.sol",
    "out.INFO",
    "campaign.db/out.info",
    "nul\0.info",
    "\ud800.info",
    "x" * 300 + ".info",
    "x/" * 5000 + "out.info",
]


@pytest.mark.parametrize("name", REFUSED, ids=lambda name: ascii(name)[:30])
async def test_other_paths_are_refused_and_nothing_is_written(
    campaign: HandmadeCampaign, surroundings: Path, name: str
) -> None:
    before = _content(surroundings.parent)
    service = make_service(campaign, surroundings)
    outcome = await service.call("dump_lcov", {"outputPath": name})
    assert outcome.error is not None
    assert outcome.error["error"]["code"] == "INVALID_INPUT"
    assert len(outcome.error["error"]["message"]) < 600
    assert _content(surroundings.parent) == before


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.sampled_from(["..", ".", "/", "a", "link", "link.txt", "b.txt", "", "~"]),
        max_size=6,
    ).map("/".join)
)
def test_no_path_leads_out(surroundings: Path, name: str) -> None:
    try:
        path = inside(name, surroundings)
    except InvalidInputError:
        return
    assert path.resolve().is_relative_to(surroundings.resolve())
    assert path.suffix == ".txt"


def _content(directory: Path) -> dict[str, str]:
    return {
        str(path.relative_to(directory)): path.read_text() if path.is_file() else ""
        for path in sorted(directory.rglob("*"))
        if path.name != "loop.txt"
    }
