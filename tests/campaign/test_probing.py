"""Probing in campaigns: what runs, that backends agree, and what it is good for."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from campaigns import Commands, small_config, started
from corpus_contracts import compile_corpus
from native_backends import REFERENCE, named

from echidna_mcp.evm.backend import Watch
from echidna_mcp.fuzz.probe import MOST_PROBES
from echidna_mcp.fuzz.records import call_function, call_length
from echidna_mcp.fuzz.rng import RNG_WORDS, derive
from echidna_mcp.kernel.language.memory import words
from echidna_mcp.program.model import Program
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.probing import PlainCalls, ProbingCalls
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.rounds.tasks import RoundTask

SEQ_LEN = 30


@cache
def program_of(name: str, solc_args: str = "") -> Program:
    return compile_corpus((name,), solc_args)


# ------------------------------------------------------------------------- sequences


def split(sequence: bytearray) -> list[bytes]:
    calls, at = [], 0
    while at < len(sequence):
        end = at + call_length(sequence, at)
        calls.append(bytes(sequence[at:end]))
        at = end
    return calls


@pytest.fixture(scope="module")
def replica() -> Replica:
    target = build_target(program_of("MagicNested"), small_config(seq_len=SEQ_LEN))
    return Replica(WorkerSetup(target, named("compiled")))


@pytest.fixture(scope="module")
def dozen() -> Replica:
    target = build_target(program_of("Dozen"), small_config(seq_len=SEQ_LEN))
    return Replica(WorkerSetup(target, named("compiled")))


def built(replica: Replica, seed: int, **more: Any) -> tuple[Any, bytearray]:
    """Return tables, and a sequence that is built with them."""
    tables = replica.tables(RoundTask(round=1, worker=0, budget=0, **more))
    rng = words([0] * RNG_WORDS)
    derive(rng, seed, 1, 0, 1)
    end = replica.kernels.build_sequence(
        tables, rng, bytearray(), words([]), 0, replica.out
    )
    return tables, bytearray(replica.out[:end])


def execute(replica: Replica, calls: PlainCalls) -> list[bytes]:
    """Run a sequence; return the calls as they were executed."""
    replica.backend.restore(replica.start)
    done = []
    while call := calls.next():
        address = replica.target.config.contract_addr
        message = replica.codec.message_at(bytearray(call), 0, address)
        result = replica.backend.call(message, Watch(comparisons=True))
        calls.executed(result.comparisons)
        done.append(call)
    return done


@pytest.mark.parametrize("seed", range(5))
def test_without_probes_a_sequence_runs_as_it_was_built(replica, seed):
    _, sequence = built(replica, seed)
    assert execute(replica, PlainCalls(sequence)) == split(sequence)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("start", [1, 2, 17, SEQ_LEN])
def test_probes_follow_each_call_from_the_chosen_one_on(replica, seed, start):
    tables, sequence = built(replica, seed)
    calls = split(sequence)
    done = execute(replica, ProbingCalls(sequence, start, tables, replica.kernels))
    assert len(done) == SEQ_LEN
    assert done[:start] == calls[:start]
    rest, probes, most = iter(done), 0, 0
    following = next(rest)
    for call in calls:
        if following is None:
            break
        assert following == call
        most, probes = max(most, probes), 0
        while (following := next(rest, None)) is not None and following not in calls:
            probes += 1
    assert most <= MOST_PROBES
    if start < SEQ_LEN - 2 * MOST_PROBES:
        assert most > 0


def test_a_chain_of_probes_solves_nested_conditions(replica):
    """The constants stand in the code only: no generator has chosen them."""
    tables, sequence = built(replica, 3)
    done = execute(replica, ProbingCalls(sequence, 1, tables, replica.kernels))
    key, word = 0xA3C59D1F60B7E482D95C1E3F71, 0x5EE7C0DE << 224
    wanted = key.to_bytes(32, "big") + word.to_bytes(32, "big")
    assert any(call.endswith(wanted) for call in done)
    assert not any(call.endswith(wanted) for call in split(sequence))


@pytest.mark.parametrize("prioritized", ["plain", "nested"])
@pytest.mark.parametrize("start", [1, 9])
def test_probes_leave_prioritized_functions_as_many_calls_as_they_had(
    dozen, start, prioritized
):
    names = [function.name for function in dozen.target.functions]
    chosen = (names.index(prioritized),)
    probed = 0
    for seed in range(20):
        tables, sequence = built(dozen, seed, priorities=chosen)
        calls = split(sequence)
        done = execute(dozen, ProbingCalls(sequence, start, tables, dozen.kernels))
        probed += done != calls
        had, has = (
            sum(call_function(bytearray(call), 0) in chosen for call in each)
            for each in (calls, done)
        )
        assert has == had
        assert len(done) == SEQ_LEN
    assert probed > 3


# ------------------------------------------------------------------------- campaigns


def rounds_of(
    directory: Path,
    name: str,
    backend: str,
    commands: Commands | None = None,
    **changes: Any,
) -> list[Any]:
    """Return what each round of a campaign committed."""
    values = {"workers": 2, "round_budget": 30_000, "seq_len": SEQ_LEN, **changes}
    with started(
        directory,
        program_of(name),
        small_config(**values),
        backend=named(backend),
    ) as running:
        running.rounds(6, commands)
        return [e.payload for e in running.events if e.type == "RoundCommitted"]


@pytest.mark.parametrize("name", ["MagicNested", "NestedTypes"])
def test_probing_campaigns_are_the_same_on_every_backend(tmp_path, name):
    expected = rounds_of(tmp_path / "reference", name, REFERENCE)
    for mode in ("compiled", "checked"):
        assert rounds_of(tmp_path / mode, name, mode) == expected
    without = rounds_of(tmp_path / "without", name, "compiled", probing=False)
    assert without != expected


def test_probing_under_priorities_is_the_same_on_every_backend(tmp_path):
    commands: Commands = {
        2: [("prioritize_function", {"functionSignature": "nested"})],
        4: [("clear_priorities", {})],
        5: [("prioritize_function", {"functionSignature": "plain"})],
    }
    expected = rounds_of(tmp_path / "reference", "Dozen", REFERENCE, commands)
    for mode in ("compiled", "checked"):
        assert rounds_of(tmp_path / mode, "Dozen", mode, commands) == expected


def test_a_probing_campaign_is_the_same_in_plain_python(tmp_path):
    settings = {"round_budget": 12_000, "workers": 1}
    expected = rounds_of(tmp_path / "reference", "MagicNested", REFERENCE, **settings)
    assert rounds_of(tmp_path / "plain", "MagicNested", "plain", **settings) == expected


FOUND = {
    "Flags": {"echidna_second_is_up"},
    "MagicChain": {"echidna_first_is_missing", "echidna_chain_is_incomplete"},
    "MagicNested": {"echidna_outer_is_shut", "echidna_inner_is_shut"},
}


@pytest.mark.parametrize("solc_args", ["", "--optimize --via-ir"])
@pytest.mark.parametrize(
    ("name", "calls"),
    [("Flags", 10_000), ("MagicChain", 300_000), ("MagicNested", 40_000)],
)
def test_magic_values_are_found(tmp_path, name, calls, solc_args):
    for seed in range(3):
        config = small_config(
            seed=seed, seq_len=100, workers=2, round_budget=200_000, shrink_limit=0
        )
        with started(
            tmp_path / str(seed),
            program_of(name, solc_args),
            config,
            backend=named("compiled"),
        ) as running:
            views, found = running.views, set()
            while found != FOUND[name] and views.progress.calls < calls:
                running.rounds(1)
                found = {record.name for record in views.properties.falsified}
            assert found == FOUND[name]
