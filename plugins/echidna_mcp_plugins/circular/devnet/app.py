"""The HTTP side of a devnet: discovery, calls, the explorer, orders."""

from __future__ import annotations

import re
from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from echidna_mcp_plugins.circular.devnet.answers import Refusal
from echidna_mcp_plugins.circular.devnet.calls import call
from echidna_mcp_plugins.circular.devnet.chain import Chain
from echidna_mcp_plugins.circular.devnet.explorer import transaction_page
from echidna_mcp_plugins.circular.devnet.faults import Faults
from echidna_mcp_plugins.circular.devnet.orders import order_routes
from echidna_mcp_plugins.circular.identifiers import digest_of
from echidna_mcp_plugins.circular.nag import LOCAL_DEVNET
from echidna_mcp_plugins.circular.results import Result

DISCOVERY: Final = "/network/getNAG"
_NAG: Final = "/NAG.php"
_EXPLORER: Final = "/Explorer"

_NETWORKS: Final = frozenset({"testnet", "devnet"})
_METHOD: Final = re.compile(r"Circular_([A-Za-z]+)_(\w*)")
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "X-Content-Type-Options": "nosniff",
}


def devnet_app(chain: Chain, faults: Faults, instance: str) -> Starlette:
    """Return the application of a devnet; discovery tells its `instance`."""

    async def discover(request: Request) -> Response:
        if request.query_params.get("network") not in _NETWORKS:
            message = "Unsupported Network: this is a devnet, no mainnet."
            return JSONResponse({"status": "error", "message": message})
        base = str(request.base_url).rstrip("/")
        return JSONResponse(
            {
                "status": "success",
                "url": f"{base}{_NAG}?cep=",
                "message": "OK",
                "backend": LOCAL_DEVNET,
                "instance": instance,
                "explorer": f"{base}{_EXPLORER}",
            }
        )

    async def nag(request: Request) -> Response:
        found = _METHOD.fullmatch(request.query_params.get("cep", ""))
        if found is None or found[2] not in {"", *_NETWORKS}:
            return JSONResponse(Refusal(Result.UNKNOWN_CALL).answer())
        try:
            body = await request.json()
        except ValueError:
            body = None
        if isinstance(body, dict):
            body = body.get("TBody", body)
        if not isinstance(body, dict):
            return JSONResponse(Refusal(Result.WRONG_FORMAT).answer())
        return await faults.answer(
            found[1], lambda: JSONResponse(call(chain, found[1], body))
        )

    async def explore(request: Request) -> Response:
        wanted = digest_of(request.query_params.get("tx", ""))
        if request.query_params.get("network", "testnet") not in _NETWORKS:
            wanted = None
        page, is_there = transaction_page(chain, wanted)
        return HTMLResponse(page, 200 if is_there else 404, _HEADERS)

    return Starlette(
        routes=[
            Route(DISCOVERY, discover),
            Route(_NAG, nag, methods=["POST"]),
            Route(_EXPLORER, explore),
            *order_routes(chain, faults),
        ]
    )
