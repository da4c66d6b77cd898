"""The log of comparisons, and the opcodes that are comparisons only at times.

What counts as one the seam says (`echidna_mcp.evm.backend`). The log is the ring of
`fuzz.climbing.comparisons`.
"""

from __future__ import annotations

from echidna_mcp.evm.backend import MOST_COMPARISONS, ComparisonKind
from echidna_mcp.fuzz.climbing.comparisons import (
    COMPARISON_KIND,
    COMPARISON_LEFT,
    COMPARISON_RIGHT,
    COMPARISON_ROW,
    COMPARISON_SITE,
)
from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import (
    load64,
    poke256,
    store64,
    u64,
    u256,
    wrap256,
)
from echidna_mcp_plugins.native.state.machine import (
    BLOCK_PROGRAM,
    BLOCK_START,
    PROGRAM_SIZE,
    Machine,
)

SITE_SHIFT = 32


@inline
def compare(m: Machine, kind: u64, left: u256, right: u256) -> None:
    """Take note of a comparison if that is wanted."""
    if m.comparing != 0:
        log_comparison(m, kind, left, right)


@cold
def log_comparison(m: Machine, kind: u64, left: u256, right: u256) -> None:
    """Log a comparison."""
    row = (m.comparison_count % MOST_COMPARISONS) * COMPARISON_ROW
    m.comparison_count = m.comparison_count + 1
    block = m.last_block
    program = load64(m.blocks, block + BLOCK_PROGRAM)
    site = load64(m.programs, program + PROGRAM_SIZE) << SITE_SHIFT
    site = site | load64(m.blocks, block + BLOCK_START)
    store64(m.comparisons, row + COMPARISON_KIND, kind)
    store64(m.comparisons, row + COMPARISON_SITE, site)
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


@inline
def number_is_zero(m: Machine, value: u256) -> u256:
    """Return whether `value`, which may be any number, is 0."""
    if value == 0:
        return 1
    if value > 1:
        compare(m, ComparisonKind.EQUAL, value, wrap256(0))
    return 0
