"""A text that must not get out by accident."""

from __future__ import annotations

import hmac
from typing import Any, NoReturn, final

_SHOWN = "[secret]"


@final
class Secret:
    """Holds a text that no representation, format, copy or pickle shows."""

    __slots__ = ("__text",)

    def __init__(self, text: str) -> None:
        self.__text = text

    def reveal(self) -> str:
        """Return the text, for those who need it to sign."""
        return self.__text

    def __repr__(self) -> str:
        return _SHOWN

    def __str__(self) -> str:
        return _SHOWN

    def __format__(self, _specification: str) -> str:
        return _SHOWN

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self.__text.encode(), other.__text.encode())

    def __hash__(self) -> int:
        return hash(_SHOWN)

    def __reduce_ex__(self, _protocol: Any) -> NoReturn:
        raise TypeError("A secret is neither copied nor pickled.")
