"""Superinstructions: runs of tokens that have one handler.

Which runs are worth it was found by merging the most frequent neighbours again and
again in compiled contracts (`tests/bench/mine_fusions.py` writes the list). A run lies
within a block, so only its last token can split or end one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources

from echidna_mcp_plugins.native.code.decode import TOKENS

_FILE = "fusions.json"


@cache
def fusions() -> tuple[tuple[int, ...], ...]:
    """Return the runs of tokens of all superinstructions, the first of number 256."""
    text = resources.files(__package__).joinpath(_FILE).read_text("utf-8")
    return tuple(tuple(run) for run in json.loads(text))


def tokens_of(handler: int) -> tuple[int, ...]:
    """Return what a handler does, given its number."""
    return fusions()[handler - TOKENS] if handler >= TOKENS else (handler,)


def trie(runs: Sequence[Sequence[int]]) -> list[int]:
    """Return `Machine.fusions` for runs of tokens; see `decode`."""
    children: list[dict[int, int]] = [{}]
    handlers = [0]
    for number, run in enumerate(runs, TOKENS):
        node = 0
        for token in run:
            if token not in children[node]:
                children[node][token] = len(children)
                children.append({})
                handlers.append(0)
            node = children[node][token]
        handlers[node] = number
    places = [0]
    end = TOKENS
    for each in children[1:]:
        places.append(end)
        end += 2 + 2 * len(each)
    flat = [0] * TOKENS
    for token, node in children[0].items():
        flat[token] = places[node]
    for handler, below in zip(handlers[1:], children[1:], strict=True):
        flat += [handler, len(below)]
        for token, node in sorted(below.items()):
            flat += [token, places[node]]
    return flat
