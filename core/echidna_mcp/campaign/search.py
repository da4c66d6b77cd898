"""The round level of the backend seam: searching at full speed.

Nearly all sequences that a fuzzer runs show nothing: no new coverage, no test that
fails. A backend may run those by itself, in native code. At the first sequence that
might be worth recording it stops, and the round executes that one again, call by call,
and records it. So a searcher decides nothing. It may stop too often, never too seldom,
and what it counts must be what the round would have counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from echidna_mcp.campaign.tasks import Counters, RoundTask
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.kernel.memory import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A run of sequences that showed nothing.

    Attributes:
        work: work units that they took, properties included.
        calls: how many calls they were.
        found: end of the sequence after them, which lies in `Replica.out` and may be
            worth recording; 0 if the budget is used up.
        probes: from which call on that sequence probes (`fuzz.probe.choose_probes`).
    """

    work: int
    calls: int
    found: int
    probes: int


class Searcher(Protocol):
    """Searches on the backend of one replica."""

    def begin(self, task: RoundTask) -> None:
        """Start a task: what is known is what the replica has folded, nothing else.

        Calls of the backend with coverage then add to what is known, just as the
        round's recorder does, and their results need not tell visits that are known.
        """
        ...

    def search(
        self,
        tables: FuzzTables,
        rng: Words,
        tests: Sequence[int],
        left: int,
        cut: int,
        calls: int,
        counters: Counters,
    ) -> Stretch:
        """Run new sequences as the round would, and add them to `counters`.

        Args:
            tables: what the task generates from.
            rng: the stream that sequences are built with.
            tests: indices of the open tests.
            left: work units that the task has left; a sequence begins while there are
                any.
            cut: work units after which a sequence is cut short.
            calls: the most calls to make; the last sequence is cut short at that.
            counters: what the round has executed; the sequence found is not added.
        """
        ...
