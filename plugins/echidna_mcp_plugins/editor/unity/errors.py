"""The one exception of this package."""

from __future__ import annotations

from typing import Literal

from echidna_mcp.errors import EchidnaMcpError

Kind = Literal["not_found", "validation", "unity"]


class UnityProjectError(EchidnaMcpError):
    """A question about a project has no answer; the message says what to do.

    Attributes:
        kind: `not_found`, what was named does not exist; `validation`, the arguments
            are wrong; `unity`, a file can't be read as Unity writes it.
    """

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(message)
        self.kind: Kind = kind
