"""The same generated calls of a contract on two backends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from campaigns import small_config
from corpus_contracts import compile_corpus
from native_backends import REFERENCE, named

from echidna_mcp.evm.backend import CallResult, Watch
from echidna_mcp.fuzz.records import call_length
from echidna_mcp.fuzz.rng import RNG_WORDS, derive
from echidna_mcp.kernel.language.memory import words
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.rounds.tasks import RoundTask


def replica_pair(
    names: Sequence[str], name: str, solc_args: str = "", **config: Any
) -> tuple[Replica, Replica]:
    """Deploy one of the contracts `names` on the reference and on native."""
    program = replace(compile_corpus(names, solc_args), main=f"{name}.sol:{name}")
    target = build_target(program, small_config(**config))
    first, second = (
        Replica(WorkerSetup(target, named(each))) for each in (REFERENCE, "compiled")
    )
    return first, second


def paired_results(
    replicas: tuple[Replica, Replica], calls: int, watch: Watch
) -> Iterator[tuple[CallResult, CallResult]]:
    """Run fresh sequences of about so many calls on both; yield what each call gave.

    Args:
        watch: what is reported of each.
    """
    first = replicas[0]
    address = first.target.config.contract_addr
    tables = first.tables(RoundTask(round=1, worker=0, budget=0))
    rng = words([0] * RNG_WORDS)
    derive(rng, 5, 1, 0, 1)
    for _ in range(calls // first.target.config.seq_len):
        for replica in replicas:
            replica.backend.restore(replica.start)
        end = first.kernels.build_sequence(
            tables, rng, bytearray(), words([]), 0, first.out
        )
        sequence, at = bytearray(first.out[:end]), 0
        while at < end:
            message = first.codec.message_at(sequence, at, address)
            one, other = (replica.backend.call(message, watch) for replica in replicas)
            yield one, other
            at += call_length(sequence, at)
