"""What each cheatcode does: a module for each group, a function for each."""

from __future__ import annotations


def load() -> None:
    """Import all of them, which enters them into the registry."""
    from echidna_mcp.cheatcodes.handlers import (  # noqa: F401, PLC0415 (they import it)
        accounts,
        artifacts,
        assertions,
        blocks,
        control,
        curves,
        documents,
        environment,
        expecting,
        mocking,
        pranking,
        randomness,
        recording,
        serializing,
        signing,
        snapshots,
        strings,
        utilities,
    )
