"""How failed calls look: each family of tools has its own error body."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from echidna_mcp.contracts.toolspec import FAMILY
from echidna_mcp.tools.envelope import error_envelope


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A call that failed.

    Attributes:
        tool: its name, as it was called.
        code: of the error, one of `envelope.CODES` or of the specification's own.
        message: one sentence that says what is wrong and what to do.
        details: whatever helps to repair the call; as yet neither bounded nor checked.
    """

    tool: str
    code: str
    message: str
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ErrorRenderer:
    """How failures of a family of tools look, as `register_error_renderers` offers it.

    Attributes:
        name: of the family.
        render: returns the error body: JSON values that can always be sent (see
            `display.sendable`).
    """

    name: str
    render: Callable[[Failure], dict[str, Any]]


def _envelope(failure: Failure) -> dict[str, Any]:
    return error_envelope(failure.code, failure.message, failure.details)


OWN: Final = ErrorRenderer(FAMILY, _envelope)
"""That of our own tools, and of calls that are for no tool."""
