"""The tool that names the first difference between two backends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from campaigns import py_evm, small_config
from corpus_contracts import corpus_program
from first_difference import first_difference

from echidna_mcp.evm.backend import (
    NOTHING,
    BackendConfig,
    CallResult,
    EvmBackend,
    Message,
    Watch,
)
from echidna_mcp.rounds.backend import BackendPlugin

GOOD_CALLS = 30


class Wrong:
    """Right for a while, then wrong in one way."""

    def __init__(
        self,
        backend: EvmBackend,
        change: Callable[[EvmBackend, CallResult], CallResult],
    ) -> None:
        self._backend = backend
        self._change = change
        self._calls = 0

    def call(self, message: Message, watch: Watch = NOTHING) -> CallResult:
        result = self._backend.call(message, watch)
        self._calls += 1
        if self._calls <= GOOD_CALLS:
            return result
        return self._change(self._backend, result)

    def __getattr__(self, name: str):
        return getattr(self._backend, name)


def one_gas_more(_: EvmBackend, result: CallResult) -> CallResult:
    return replace(result, gas_used=result.gas_used + 1)


def one_step_less(_: EvmBackend, result: CallResult) -> CallResult:
    return replace(result, steps=result.steps - 1)


def another_output(_: EvmBackend, result: CallResult) -> CallResult:
    return replace(result, output=result.output + b"\0")


def a_program_counter_too_many(_: EvmBackend, result: CallResult) -> CallResult:
    visits = tuple(  # Not of every call they are asked for.
        replace(visit, counters=visit.counters[:-1] + bytes([visit.counters[-1] ^ 1]))
        for visit in result.visits
    )
    return replace(result, visits=visits)


def an_edge_lost(_: EvmBackend, result: CallResult) -> CallResult:
    return replace(result, edges=result.edges[1:])


def a_log_lost(_: EvmBackend, result: CallResult) -> CallResult:
    return replace(result, logs=result.logs[1:])


def another_balance(backend: EvmBackend, result: CallResult) -> CallResult:
    backend.set_balance(0x77, 5)
    return result


def another_word(backend: EvmBackend, result: CallResult) -> CallResult:
    backend.set_account(0x77, storage={3: 9}, nonce=1)
    return result


def compared(directory: Path, right: BackendPlugin) -> str | None:
    return first_difference(
        directory,
        corpus_program("Token"),
        small_config(seq_len=100, edges=True, goals=False, shortening=False),
        (py_evm(), right),
        calls=120,
    )


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (one_gas_more, "gas_used: "),
        (one_step_less, "steps: "),
        (another_output, "output: "),
        (a_program_counter_too_many, "program counters of code"),
        (an_edge_lost, "edges: "),
        (a_log_lost, "logs: "),
        (another_balance, "account 0x77 is only on the right"),
        (another_word, "account 0x77 is only on the right"),
    ],
)
def test_the_first_call_that_differs_is_named(
    tmp_path: Path, change: Callable[..., CallResult], named: str
) -> None:
    def create(config: BackendConfig) -> Wrong:
        return Wrong(py_evm().create(config), change)

    report = compared(tmp_path, BackendPlugin("wrong", create))
    assert report is not None
    first = report.splitlines()[0]
    assert "differs: " in first
    assert int(first.split()[1]) > GOOD_CALLS
    assert named in report
    assert "snapshot or restore: done" in report


def test_nothing_is_named_if_nothing_differs(tmp_path: Path) -> None:
    assert compared(tmp_path, py_evm()) is None
