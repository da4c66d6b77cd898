"""The official state tests, where their files are at hand.

They are those of the repository ethereum/tests, filled for Cancun or Prague: in a
folder or archive that `ECHIDNA_MCP_VECTORS` names, or in `shared/vectors` beside the
project. None is left out because it fails. The reference leaves out what takes it
hours.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from native_backends import REFERENCE, named
from state_tests import Tally, play_file
from vector_files import vector_files, vector_source

SHARES = 16
HOURS_IN_PYTHON = ("CALLBlake2f_MaxRounds",)
"""2^32 rounds of BLAKE2: minutes with the package blake2b-py, days without."""
MODES = ["compiled", "checked", "hot", "hot-checked", "plain"]
PLAIN_STRIDE = 20
"""Plain Python plays every twentieth file, and none that loops for long."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        vector_source() is None,
        reason="there are no state tests; ECHIDNA_MCP_VECTORS names none",
    ),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return all files with state tests."""
    source = vector_source()
    assert source is not None
    return vector_files(source, tmp_path_factory.mktemp("vectors"))


def play(files: list[Path], name: str) -> Tally:
    tally = Tally()
    create = named(name).create
    for path in files:
        play_file(path, create, tally)
    cases = f"{tally.files} files, {tally.posts} cases, {tally.refused} refused"
    print(f"{name}: {cases}")  # noqa: T201 - the session shows it
    return tally


@pytest.mark.parametrize("share", range(SHARES))
def test_the_reference_ends_in_the_published_state(
    files: list[Path], share: int
) -> None:
    mine = files[share::SHARES]
    if find_spec("blake2b") is None:
        mine = [path for path in mine if path.stem not in HOURS_IN_PYTHON]
    assert play(mine, REFERENCE).wrong == []


@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("mode", MODES)
def test_the_native_backend_ends_in_the_published_state(
    files: list[Path], mode: str, share: int
) -> None:
    mine = files[share::SHARES]
    if mode == "plain":
        mine = [
            path
            for path in files[share * PLAIN_STRIDE :: SHARES * PLAIN_STRIDE]
            if not {"stTimeConsuming", "vmPerformance"} & set(path.parts)
        ]
    assert play(mine, mode).wrong == []
