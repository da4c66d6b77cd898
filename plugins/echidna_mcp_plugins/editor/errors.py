"""The error body of the family: that of EditorMCP's envelope v0.1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from echidna_mcp.errors import EchidnaMcpError
from echidna_mcp.tools.display import clean, sendable
from echidna_mcp.tools.rendering import ErrorRenderer, Failure
from echidna_mcp_plugins.dialects.editor.reading import FAMILY

_EXECUTION: Final = (-32000, "execution")
_KINDS: Final[Mapping[str, tuple[int, str]]] = {
    "TOOL_NOT_FOUND": (-32001, "not_found"),
    "NOT_FOUND": (-32000, "not_found"),
    "INVALID_INPUT": (-32002, "validation"),
    "EXECUTION_TIMEOUT": (-32003, "timeout"),
    "UNITY_ERROR": (-32004, "unity"),
    "PERMISSION_DENIED": (-32005, "permission"),
}
"""JSON-RPC code and type of error, by our code."""

_MAX_MESSAGE: Final = 2000


class AssetNotFoundError(EchidnaMcpError):
    """The project has nothing of that name."""

    code = "NOT_FOUND"


class UnityFileError(EchidnaMcpError):
    """A file of the project is not as Unity writes it, or there is no project."""

    code = "UNITY_ERROR"


def _render(failure: Failure) -> dict[str, Any]:
    code, kind = _KINDS.get(failure.code, _EXECUTION)
    details: dict[str, Any] = sendable(failure.details)
    if details.get("rule") == "required":
        details["missingParameters"] = [details["path"]]
    data = {"tool": clean(failure.tool), "errorType": kind, "details": details}
    return {"code": code, "message": clean(failure.message, _MAX_MESSAGE), "data": data}


EDITOR_ERRORS: Final = ErrorRenderer(FAMILY, _render)
