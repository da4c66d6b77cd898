"""The log of comparisons, and the opcodes that are comparisons only at times.

What counts as one the seam says (`echidna_mcp.evm.backend`). The log is the ring of
`fuzz.probe`.
"""

from __future__ import annotations

from echidna_mcp.evm.backend import MOST_COMPARISONS, ComparisonKind
from echidna_mcp.fuzz.probe import (
    COMPARISON_KIND,
    COMPARISON_LEFT,
    COMPARISON_RIGHT,
    COMPARISON_ROW,
)
from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import poke256, store64, u64, u256, wrap256
from echidna_mcp_plugins.native.state.machine import Machine


@inline
def compare(m: Machine, kind: u64, left: u256, right: u256) -> None:
    """Take note of a comparison if that is wanted."""
    if m.comparing != 0:
        log_comparison(m, kind, left, right)


@cold
def log_comparison(m: Machine, kind: u64, left: u256, right: u256) -> None:
    """Log a comparison if the operands differ."""
    if left == right:
        return
    row = (m.comparison_count % MOST_COMPARISONS) * COMPARISON_ROW
    m.comparison_count = m.comparison_count + 1
    store64(m.comparisons, row + COMPARISON_KIND, kind)
    poke256(m.comparisons, row + COMPARISON_LEFT, left)
    poke256(m.comparisons, row + COMPARISON_RIGHT, right)


@inline
def deciding_sub(m: Machine, left: u256, right: u256) -> u256:
    """Return the difference modulo 2^256, which decides a jump."""
    compare(m, ComparisonKind.EQUAL, left, right)
    return wrap256(left - right)


@inline
def deciding_xor(m: Machine, left: u256, right: u256) -> u256:
    """Return the bitwise exclusive or, which decides a jump."""
    compare(m, ComparisonKind.EQUAL, left, right)
    return left ^ right
