"""The error body of the family: flat, as its contracts say."""

from __future__ import annotations

from typing import Any, Final

from echidna_mcp.tools.display import clean
from echidna_mcp.tools.rendering import ErrorRenderer, Failure
from echidna_mcp_plugins.circular.errors import RULES, ErrorType
from echidna_mcp_plugins.dialects.circular.reading import FAMILY

RETRY: Final = "retrySuggestion"
"""Among the details of a failure: what to do before the call is repeated."""

_MAX_MESSAGE: Final = 2000


def _render(failure: Failure) -> dict[str, Any]:
    kind = _type_of(failure.code)
    body: dict[str, Any] = {
        "type": kind.value,
        "status_code": RULES[kind].status_code,
        "message": clean(failure.message, _MAX_MESSAGE),
    }
    retry = failure.details.get(RETRY, RULES[kind].retry_suggestion)
    if retry is not None:
        body["retry_suggestion"] = retry
    return body


def _type_of(code: str) -> ErrorType:
    """Return the type of a code; the family has none for what is our own failure."""
    if code in ErrorType.__members__:
        return ErrorType(code)
    if code in {"EXECUTION_TIMEOUT", "INTERNAL_ERROR"}:
        return ErrorType.API_UNAVAILABLE
    return ErrorType.INVALID_INPUT


CIRCULAR_ERRORS: Final = ErrorRenderer(FAMILY, _render)
