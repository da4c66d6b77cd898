"""The ErrorResponse that every failed call becomes (`contracts/error.json`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from echidna_mcp.tools.display import clean, sendable

STATUS: Final[Mapping[str, int]] = {
    "INVALID_INPUT": 400,
    "PARSE_ERROR": 400,
    "PERMISSION_DENIED": 403,
    "TOOL_NOT_FOUND": 404,
    "CAMPAIGN_TERMINATED": 409,
    "INTERNAL_ERROR": 500,
    "EXECUTION_TIMEOUT": 504,
}
"""The HTTP status that the requirements' table of errors gives each code.

It stands in the details: MCP carries errors of tools as results, with the status 200.
"""
CODES: Final = STATUS.keys()
_MAX_MESSAGE = 2000


def error_envelope(
    code: str, message: str, details: Mapping[str, Any]
) -> dict[str, Any]:
    """Return an ErrorResponse that can always be encoded as JSON and as UTF-8.

    Args:
        code: one of `CODES`, or a code that the contract document of a tool names.
        message: one sentence that says what is wrong and what to do.
        details: whatever helps to repair the call; made sendable and bounded. The
            status of the code is added.
    """
    told = sendable(details)
    if code in STATUS:
        told = {**told, "status": STATUS[code]}
    return {
        "success": False,
        "error": {
            "code": code,
            "message": clean(message, _MAX_MESSAGE),
            "details": told,
        },
    }
