"""The ErrorResponse that every failed call becomes (`contracts/error.json`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from echidna_mcp.tools.display import clean, sendable

CODES = frozenset(
    {
        "INVALID_INPUT",
        "TOOL_NOT_FOUND",
        "EXECUTION_TIMEOUT",
        "INTERNAL_ERROR",
        "PARSE_ERROR",
        "CAMPAIGN_TERMINATED",
    }
)
_MAX_MESSAGE = 2000


def error_envelope(
    code: str, message: str, details: Mapping[str, Any]
) -> dict[str, Any]:
    """Return an ErrorResponse that can always be encoded as JSON and as UTF-8.

    Args:
        code: one of `CODES`, or a code that the contract document of a tool names.
        message: one sentence that says what is wrong and what to do.
        details: whatever helps to repair the call; made sendable and bounded.
    """
    return {
        "success": False,
        "error": {
            "code": code,
            "message": clean(message, _MAX_MESSAGE),
            "details": sendable(details),
        },
    }
