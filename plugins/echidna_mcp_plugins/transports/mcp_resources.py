"""Resources, prompts and completions on the wire."""

from __future__ import annotations

import base64
import logging
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import mcp.types as wire
from mcp.shared.exceptions import MCPError

from echidna_mcp.errors import (
    CampaignTerminatedError,
    EchidnaMcpError,
    ResourceNotFoundError,
    ToolTimeoutError,
)

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from echidna_mcp.catalogue.catalogue import Catalogue
    from echidna_mcp.catalogue.resource import Resource
    from echidna_mcp.catalogue.resources import Content

_FIRST_WITHOUT_HANDSHAKE = "2026-07-28"
_NOT_FOUND_BEFORE = -32002
"""What the revisions with a handshake answer for a resource that does not exist."""

_NOT_OF_THE_REQUEST = frozenset(
    [EchidnaMcpError.code, ToolTimeoutError.code, CampaignTerminatedError.code]
)
"""Codes of errors for which there is nothing to repair in the request."""

_DEFECT = "The request failed unexpectedly; the server's log explains it."

_log = logging.getLogger(__name__)

_Context = Any
_Params = TypeVar("_Params")
_Result = TypeVar("_Result")
_Handler = Callable[[Any, _Context, _Params], Awaitable[_Result]]


def _told(handler: _Handler[_Params, _Result]) -> _Handler[_Params, _Result]:
    """Turn our errors into protocol errors: here nothing else reaches a client."""

    @wraps(handler)
    async def told(self: Any, context: _Context, params: _Params) -> _Result:
        try:
            return await handler(self, context, params)
        except EchidnaMcpError as error:
            data = {"code": error.code, **error.details}
            raise MCPError(_code(error, context), error.message, data) from error
        except Exception:  # noqa: BLE001 (nothing may leak)
            # The SDK would tell the text of it to clients of older revisions.
            _log.exception("A request could not be answered")
            raise MCPError(wire.INTERNAL_ERROR, _DEFECT) from None

    return told


def _code(error: EchidnaMcpError, context: ServerRequestContext[Any]) -> int:
    if error.code in _NOT_OF_THE_REQUEST:
        return wire.INTERNAL_ERROR
    before = context.protocol_version < _FIRST_WITHOUT_HANDSHAKE
    if isinstance(error, ResourceNotFoundError) and before:
        return _NOT_FOUND_BEFORE
    return wire.INVALID_PARAMS


class ResourceHandlers:
    """Handlers of `resources/list`, `resources/templates/list` and `resources/read`."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._resources = catalogue.resources

    @_told
    async def list(
        self, _context: _Context, _params: wire.PaginatedRequestParams | None
    ) -> wire.ListResourcesResult:
        """Return everything that can be named; so few need no pages."""
        return wire.ListResourcesResult(
            resources=[
                wire.Resource(
                    uri=uri,
                    name=uri.rpartition("//")[2] if uri != each.uri else each.name,
                    title=each.title,
                    description=each.description,
                    mime_type=each.mime_type,
                    _meta=dict(each.meta) or None,
                )
                for uri, each in self._resources.listed()
            ]
        )

    @_told
    async def list_templates(
        self, _context: _Context, _params: wire.PaginatedRequestParams | None
    ) -> wire.ListResourceTemplatesResult:
        """Return the families."""
        return wire.ListResourceTemplatesResult(
            resource_templates=[
                wire.ResourceTemplate(
                    uri_template=each.uri,
                    name=each.name,
                    title=each.title,
                    description=each.description,
                    mime_type=each.mime_type,
                )
                for each in self._resources.families()
            ]
        )

    @_told
    async def read(
        self, _context: _Context, params: wire.ReadResourceRequestParams
    ) -> wire.ReadResourceResult:
        """Read one resource."""
        content = await self._resources.read(str(params.uri))
        return wire.ReadResourceResult(contents=[_contents(content)])


def _contents(
    content: Content,
) -> wire.TextResourceContents | wire.BlobResourceContents:
    resource: Resource = content.resource
    meta = dict(resource.meta) or None
    if isinstance(content.data, bytes):
        blob = base64.b64encode(content.data).decode()
        return wire.BlobResourceContents(
            uri=content.uri, mime_type=resource.mime_type, blob=blob, _meta=meta
        )
    return wire.TextResourceContents(
        uri=content.uri, mime_type=resource.mime_type, text=content.data, _meta=meta
    )


class PromptHandlers:
    """Handlers of `prompts/list` and `prompts/get`."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._prompts = catalogue.prompts

    @_told
    async def list(
        self, _context: _Context, _params: wire.PaginatedRequestParams | None
    ) -> wire.ListPromptsResult:
        """Return all prompts; so few need no pages."""
        return wire.ListPromptsResult(
            prompts=[
                wire.Prompt(
                    name=each.name,
                    title=each.title,
                    description=each.description,
                    arguments=[
                        wire.PromptArgument(
                            name=argument.name,
                            description=argument.description,
                            required=argument.required,
                        )
                        for argument in each.arguments
                    ],
                )
                for each in self._prompts.all
            ]
        )

    @_told
    async def get(
        self, _context: _Context, params: wire.GetPromptRequestParams
    ) -> wire.GetPromptResult:
        """Render one prompt as one message of the user."""
        text = await self._prompts.render(params.name, params.arguments or {})
        content = wire.TextContent(type="text", text=text)
        return wire.GetPromptResult(
            messages=[wire.PromptMessage(role="user", content=content)]
        )


class CompletionHandler:
    """Handler of `completion/complete`."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    @_told
    async def complete(
        self, _context: _Context, params: wire.CompleteRequestParams
    ) -> wire.CompleteResult:
        """Complete an argument of a prompt or a variable of a resource."""
        name, typed = params.argument.name, params.argument.value
        if isinstance(params.ref, wire.PromptReference):
            found = self._catalogue.prompts.complete(params.ref.name, name, typed)
        else:
            found = self._catalogue.resources.complete(params.ref.uri, name, typed)
        return wire.CompleteResult(
            completion=wire.Completion(
                values=list(found.values),
                total=found.total,
                has_more=found.total > len(found.values),
            )
        )
