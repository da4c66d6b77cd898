"""Contract documents that nobody meant, for the dialects."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)

_ODD = (None, True, 0, -1.5, "", "x", [], [{}], {}, {"$ref": 0}, {"type": 1})
_KEYWORDS = ("$ref", "pattern", "properties", "items", "allOf")


def mangle(document: dict[str, Any], seed: int) -> None:
    """Make one value somewhere in a document another one, in place.

    Within an object, one beside it becomes a value of a keyword of JSON Schema.
    """
    chance = random.Random(seed)
    places: list[tuple[Any, Any]] = []

    def visit(value: Any) -> None:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            places.append((value, key))
            if isinstance(inner, dict | list):
                visit(inner)

    visit(document)
    parent, key = chance.choice(places)
    parent[key] = chance.choice(_ODD)
    if isinstance(parent, dict):
        more = chance.choice(_KEYWORDS)
        parent[more] = chance.choice(_ODD)
