"""Calls of all nine tools that succeed on the lab contract, for clients of any kind."""

from __future__ import annotations

from typing import Any

from lab_contract import UNLOCK

CALLS: dict[str, dict[str, Any]] = {
    "read_logs": {"count": 3},
    "show_coverage": {"contract": "Lab"},
    "dump_lcov": {},
    "get_corpus_size": {},
    "inspect_corpus_transactions": {"limit": 2},
    "find_transaction_in_corpus": {"functionSignature": "add"},
    "inject_transaction": {"sequence": ["add(1, 2)", 'note("a client")']},
    "prioritize_function": {"functionSignature": UNLOCK},
    "clear_priorities": {},
}
WRONG: tuple[str, dict[str, Any]] = ("inject_transaction", {"sequence": ["unlok(1)"]})
"""A call that a model has to repair."""
