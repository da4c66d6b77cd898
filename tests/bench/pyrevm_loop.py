"""The speed of revm behind Python: pyrevm, which is optional (`pip install pyrevm`)."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import replace
from time import process_time

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.evm.backend import Message
from echidna_mcp.fuzz.parts import append_fresh
from echidna_mcp.fuzz.records import call_length
from echidna_mcp.fuzz.rng import PURPOSE_FUZZ, RNG_WORDS, derive
from echidna_mcp.fuzz.tables import make_tables, sequence_capacity, sequence_weights
from echidna_mcp.kernel.language.memory import words
from echidna_mcp.program.model import Program
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.call_codec import CallCodec
from echidna_mcp.rounds.interface import known_addresses
from echidna_mcp.views.campaign import CampaignViews

SEQUENCES = 40


def has_pyrevm() -> bool:
    """Whether pyrevm is installed."""
    return importlib.util.find_spec("pyrevm") is not None


def measure(program: Program, config: CampaignConfig) -> float:
    """Return calls per second of processor time, without coverage and generation.

    Each call that succeeds is followed by the property; each sequence begins at a
    snapshot.
    """
    pyrevm = importlib.import_module("pyrevm")
    evm = pyrevm.EVM(gas_limit=2**40)
    for sender in config.senders:
        evm.insert_account_info(_address(sender), pyrevm.AccountInfo(balance=2**128))
    deployer = _address(config.deployer)
    target = evm.deploy(deployer, program.main_contract.creation_code, gas=30_000_000)
    (test,) = build_target(program, config).tests
    prepared = [
        [(_address(each.sender), each.data, each.value) for each in sequence]
        for sequence in _sequences(program, config)
    ]
    calls, begin = 0, process_time()
    for sequence in prepared:
        start = evm.snapshot()
        for sender, data, value in sequence:
            calls += 1
            try:
                evm.message_call(sender, target, data, value, gas=config.test_max_gas)
            except RuntimeError:  # It reverted.
                continue
            answer = evm.message_call(
                deployer, target, test.selector, gas=config.prop_max_gas
            )
            assert answer[-1] == 1
        evm.revert(start)
    return calls / (process_time() - begin)


def _sequences(program: Program, config: CampaignConfig) -> list[list[Message]]:
    """Return generated sequences, which are not changed by what they show."""
    target = build_target(program, replace(config, round_budget=1))
    codec, views = CallCodec(target), CampaignViews(target)
    tables = make_tables(
        types=codec.interface.types,
        functions=codec.interface.functions,
        senders=sorted(config.senders),
        dictionary=views.dictionary.words,
        addresses=known_addresses(target),
        max_value=config.max_value,
        max_time_delay=config.max_time_delay,
        max_block_delay=config.max_block_delay,
        dict_freq=config.dict_freq,
        weights=sequence_weights(config.mut_consts),
        priority=(),
        seq_len=config.seq_len,
    )
    out = bytearray(sequence_capacity(config.seq_len))
    rng = words([0] * RNG_WORDS)
    derive(rng, config.seed, 1, 0, PURPOSE_FUZZ)
    sequences = []
    for _ in range(SEQUENCES):
        end = append_fresh(tables, rng, config.seq_len, out, 0)
        at, messages = 0, []
        while at < end:
            messages.append(codec.message_at(out, at, config.contract_addr))
            at += call_length(out, at)
        sequences.append(messages)
    return sequences


def _address(number: int) -> str:
    return f"0x{number:040x}"
