"""News: which resources a commit has changed, for whoever asked to be told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Change:
    """What one commit changed.

    Attributes:
        uris: of the resources whose content is new.
        listing: whether a list of resources shows others than before.
    """

    uris: tuple[str, ...]
    listing: bool = False


Listener: TypeAlias = Callable[[Change], None]
"""Told of each change in the event loop; must neither wait nor raise."""


class News:
    """Passes changes on."""

    def __init__(self) -> None:
        self._listeners: dict[object, Listener] = {}

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Let `listener` hear of all changes until the returned function is called."""
        token = object()
        self._listeners[token] = listener

        def unsubscribe() -> None:
            self._listeners.pop(token, None)

        return unsubscribe

    def publish(self, change: Change) -> None:
        """Tell every listener."""
        for listener in list(self._listeners.values()):
            listener(change)
