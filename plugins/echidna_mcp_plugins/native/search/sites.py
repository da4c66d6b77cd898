"""Failures that are known: whoever looks for others passes over them.

Of a failure at a known site (`rounds.failures.sites`) nothing is recorded, so its
sequence need not be left to the round. What the site of a call follows from is the end
of its trail, what it returned, and its logs: a hash of them is its *print*. One that
the round has looked at is known: for the rest of the task, or for good if its site was
known before, so that other tasks know it as well. The same site may have several.
"""

from __future__ import annotations

from echidna_mcp.evm.backend import MOST_TRAIL
from echidna_mcp.kernel.language.marks import cold
from echidna_mcp.kernel.language.memory import u64, wrap64
from echidna_mcp_plugins.native.code.programs import fingerprint
from echidna_mcp_plugins.native.search.state import Search
from echidna_mcp_plugins.native.state.index import scramble
from echidna_mcp_plugins.native.state.machine import Machine

MOST_PRINTS = 1024
"""Prints that are known; others are looked at again and again."""


@cold
def site_print(m: Machine, test: u64) -> u64:
    """Return the print of the message that has ended.

    Args:
        m: the machine, with the trail of the message.
        test: selector and contract of the test that fails (`Search.assertions`).
    """
    mixed = test
    first = wrap64(0)
    if m.trail_count > MOST_TRAIL:
        first = m.trail_count - MOST_TRAIL
    for number in range(first, m.trail_count):
        mixed = scramble(mixed ^ m.trail[number % MOST_TRAIL])
    mixed = scramble(mixed ^ fingerprint(m.returned, 0, m.returned_size))
    return scramble(mixed ^ fingerprint(m.logs, 0, m.log_end))


@cold
def is_known_site(m: Machine, s: Search, test: u64) -> u64:
    """Return 1 if the print of the message that has ended is known."""
    if s.print_count == 0 or s.prints_forgotten != m.forgotten:
        return 0
    found = site_print(m, test)
    for number in range(s.print_count):
        if s.prints[number] == found:
            return 1
    return 0
