"""Released packages under harnesses: all is exercised, bugs fall, digests agree."""

from __future__ import annotations

import pytest
from command_line import invoke
from real_projects import HARNESSES, fuzz_harness, harness_words

SHORT = 250
"""Calls that py-evm makes in seconds, whatever the contracts are."""
LONG = 3_000
"""Calls during which two threads have many rounds."""

every_harness = pytest.mark.parametrize("name", HARNESSES)


@every_harness
def test_every_function_succeeds_and_nothing_falls(tmp_path, tell, name):
    done = fuzz_harness(name, tmp_path / "c", HARNESSES[name])
    assert done.code == 0, done
    assert set(done.statuses.values()) == {"passing"}
    assert not done.silent
    tell.append(f"{len(done.succeeded)} functions exercised in {done.calls:,} calls")


@every_harness
def test_its_bug_is_found(tmp_path, tell, name):
    done = fuzz_harness(name, tmp_path / "c", HARNESSES[name], planted=True)
    assert done.code == 1, done
    assert done.found_at is not None
    tell.append(f"bug found within {done.found_at:,} calls")


@every_harness
def test_backends_and_executors_agree(tmp_path, tell, name):
    for calls, option, ways in (
        (SHORT, "--backend", ("native", "py-evm")),
        (LONG, "--executor", ("inline", "threads:2")),
    ):
        one, other = (
            fuzz_harness(name, tmp_path / way, calls, option, way, planted=True)
            for way in ways
        )
        assert one == other
    tell.append("digests equal")


@every_harness
def test_the_doctor_finds_nothing_wrong(name):
    # So much that a busy machine does not end the search before all is exercised.
    bounds = ("--test-limit", HARNESSES[name], "--timeout", 300)
    done = invoke("doctor", *harness_words(name), "--seed", 7, *bounds)
    assert done.code == 0, done
    assert "All is exercised." in done.out
