"""Injected sequences as call records, with generated values where they have holes."""

from __future__ import annotations

from echidna_mcp.fuzz.kernels import Kernels
from echidna_mcp.fuzz.layout import (
    CALL_FUNCTION,
    CALL_HEADER,
    CALL_LENGTH,
    CALL_SENDER,
    CALL_VALUE,
    INSTANCE_SHIFT,
    MAX_CALL_BYTES,
)
from echidna_mcp.fuzz.records import set_call_delays
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.kernel.language.memory import Words, store64, store256
from echidna_mcp.rounds.commands import Injection


def injected_records(
    injection: Injection, tables: FuzzTables, rng: Words, kernels: Kernels
) -> bytearray:
    """Return the sequence of an injection.

    Args:
        injection: what was asked for.
        tables: what holes are filled from.
        rng: the stream.
        kernels: of the process.
    """
    sequence, out = bytearray(), bytearray(MAX_CALL_BYTES)
    for call in injection.calls:
        record = bytearray(CALL_HEADER)
        store64(record, CALL_FUNCTION, call.function | call.instance << INSTANCE_SHIFT)
        store256(record, CALL_VALUE, call.value)
        store256(record, CALL_SENDER, call.sender)
        set_call_delays(record, 0, call.time_delay, call.block_delay)
        record += call.tape
        store64(record, CALL_LENGTH, len(record))
        end = kernels.fill_arguments(tables, rng, call.holes, record, 0, out, 0)
        sequence += out[:end]
    return sequence
