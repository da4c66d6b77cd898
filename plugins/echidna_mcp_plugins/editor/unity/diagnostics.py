"""What an answer could not resolve."""

from __future__ import annotations

from typing import Any, Final

_MOST: Final = 100
"""Sentences of one answer: a scene that lost its packages would repeat itself."""


class Diagnostics:
    """Sentences in the order in which they came up, each once."""

    def __init__(self) -> None:
        self._texts: dict[str, None] = {}

    def add(self, text: str) -> None:
        """Remember a sentence."""
        self._texts[text] = None

    def attach(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return the answer with `diagnostics`, a list of texts, if there are any."""
        texts = [*self._texts]
        if len(texts) > _MOST:
            texts[_MOST:] = [f"{len(texts) - _MOST} more are not shown."]
        return {**answer, "diagnostics": texts} if texts else answer
