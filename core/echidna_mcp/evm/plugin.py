"""How an EVM backend is offered by a plugin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from echidna_mcp.evm.backend import BackendConfig, EvmBackend

if TYPE_CHECKING:
    from echidna_mcp.campaign.replica import Replica
    from echidna_mcp.campaign.search import Searcher


def nothing_to_load() -> None:
    """Load nothing: the plugin's module has imported all that its EVMs need."""


@dataclass(frozen=True, slots=True)
class BackendPlugin:
    """A named EVM. Picklable, for worker processes: its functions have names.

    Attributes:
        create: makes a fresh, empty world.
        search: makes a searcher on the backend of a replica; None if the backend can't
            search by itself.
        reference: a slower EVM, independent of this one, that is trusted: nothing is
            reported as falsified that it doesn't show (`campaign.confirmation`). None
            if this one is trusted itself. Made in the director's process, when a test
            is falsified.
        load: imports all that EVMs and searchers of this backend ever need. Called
            before the first of them is made, while no task runs: an import, or a
            compilation, in the midst of a task may meet that of another thread.
    """

    name: str
    create: Callable[[BackendConfig], EvmBackend]
    search: Callable[[Replica], Searcher] | None = None
    reference: BackendPlugin | None = None
    load: Callable[[], None] = nothing_to_load
