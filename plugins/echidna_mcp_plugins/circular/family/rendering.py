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
_FINISHED: Final = (
    "certify_data did not answer in time: make the same call again, which finishes this"
    " certification and makes no second one."
)
"""After its deadline. Core says of all tools that one has to look first; there is
nothing to look for before the transaction has an id, and no need to."""


def _render(failure: Failure) -> dict[str, Any]:
    kind = _type_of(failure.code)
    late = failure.code == "EXECUTION_TIMEOUT" and failure.tool == "certify_data"
    body: dict[str, Any] = {
        "type": kind.value,
        "status_code": RULES[kind].status_code,
        "message": _FINISHED if late else clean(failure.message, _MAX_MESSAGE),
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
