"""Overrides of the calls of a search (`rounds.caller.Caller.aim`)."""

from __future__ import annotations

from echidna_mcp.fuzz.calldata import encode_call
from echidna_mcp.fuzz.created import address_of_number, number_of
from echidna_mcp.fuzz.layout import FLAG_CREATED, FUNCTION_FLAGS, FUNCTION_WORDS
from echidna_mcp.fuzz.records import (
    call_function,
    call_instance,
    override_after,
    plain_length,
)
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.fuzz.tape import FAIL
from echidna_mcp.kernel.language.marks import cold
from echidna_mcp.kernel.language.memory import Bytes, load256, u64
from echidna_mcp_plugins.native.frames.frames import align_memory
from echidna_mcp_plugins.native.search.state import Search
from echidna_mcp_plugins.native.state.machine import HOOK_OVERRIDE, Machine
from echidna_mcp_plugins.native.state.overriding import ADDRESS_WORD, set_override


@cold
def arm_override(
    m: Machine, s: Search, tables: FuzzTables, sequence: Bytes, at: u64
) -> None:
    """Let the call at `at`, whose calldata are written, have a call of it replaced.

    Nothing is replaced if there is no contract for the override.
    """
    place = at + plain_length(sequence, at)
    function = call_function(sequence, place)
    callee = s.callee_of[function]
    target = load256(s.callees, callee * ADDRESS_WORD)
    flags = tables.functions[function * FUNCTION_WORDS + FUNCTION_FLAGS]
    if flags & FLAG_CREATED != 0:
        number = number_of(s.created, callee, call_instance(sequence, place))
        if number == FAIL:
            return
        target = address_of_number(s.created, callee, number)
    start = align_memory(s.input_size)
    end = encode_call(tables.types, tables.functions, sequence, place, m.memory, start)
    after = override_after(sequence, place)
    set_override(m.override, target, start, end - start, after)
    m.hooks = m.hooks | HOOK_OVERRIDE
