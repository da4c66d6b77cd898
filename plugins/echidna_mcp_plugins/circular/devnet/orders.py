"""`POST /devnet/…`: orders to a devnet, for tests and demonstrations."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from echidna_mcp_plugins.circular.devnet.amounts import parse_cirx
from echidna_mcp_plugins.circular.devnet.chain import Chain
from echidna_mcp_plugins.circular.devnet.faults import Fault, Faults, Kind
from echidna_mcp_plugins.circular.identifiers import digest_of

_Order: TypeAlias = Callable[[Request], Awaitable[dict[str, Any]]]

_MOST = 10_000
_MOST_SECONDS = 600.0


class _BadOrderError(Exception):
    """An order can't be understood; the message says why."""


async def _read(request: Request, *known: str) -> dict[str, Any]:
    body = await request.body()
    try:
        found = await request.json() if body else {}
    except ValueError:
        raise _BadOrderError("Send a JSON object.") from None
    if not isinstance(found, dict):
        raise _BadOrderError("Send a JSON object.")
    for name in found:
        if name not in known:
            raise _BadOrderError(
                f"{name[:20]!r} is not known here; there are: {', '.join(known)}."
            )
    return found


def _count(order: dict[str, Any], name: str) -> int:
    value = order.get(name, 1)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= _MOST:
        raise _BadOrderError(f"{name} must be a whole number from 1 to {_MOST}.")
    return value


def _fault(kind: Kind, order: dict[str, Any]) -> Fault:
    method = order.get("method")
    if not isinstance(method, str | None):
        raise _BadOrderError("method must be a name such as AddTransaction.")
    processed = order.get("processed", False)
    if not isinstance(processed, bool):
        raise _BadOrderError("processed must be true or false.")
    seconds = order.get("seconds", 1)
    number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not number or not 0 <= seconds <= _MOST_SECONDS:
        raise _BadOrderError(f"seconds must be a number from 0 to {_MOST_SECONDS:g}.")
    return Fault(kind, _count(order, "calls"), method, processed, float(seconds))


def _obeyed(order: _Order) -> Callable[[Request], Awaitable[JSONResponse]]:
    async def answer(request: Request) -> JSONResponse:
        try:
            told = await order(request)
        except _BadOrderError as error:
            return JSONResponse({"ok": False, "error": str(error)}, 400)
        return JSONResponse({"ok": True, **told})

    return answer


def order_routes(chain: Chain, faults: Faults) -> list[Route]:
    """Return the routes of the orders."""

    async def faucet(request: Request) -> dict[str, Any]:
        order = await _read(request, "address", "amount")
        given = order.get("address")
        address = digest_of(given) if isinstance(given, str) else None
        amount = parse_cirx(order.get("amount"))
        if address is None or amount is None:
            raise _BadOrderError(
                "Send address, 64 hexadecimal digits, and amount, a number of CIRX."
            )
        if not chain.give(address, amount):
            raise _BadOrderError("This wallet is not registered: register it first.")
        return {}

    async def mine(request: Request) -> dict[str, Any]:
        order = await _read(request, "blocks")
        for _ in range(_count(order, "blocks")):
            chain.mine()
        return {"blocks": chain.store.block_count()}

    async def outage(request: Request) -> dict[str, Any]:
        order = await _read(request, "calls", "method", "processed")
        faults.add(_fault("outage", order))
        return {}

    async def ratelimit(request: Request) -> dict[str, Any]:
        faults.add(_fault("ratelimit", await _read(request, "calls", "method")))
        return {}

    async def slow(request: Request) -> dict[str, Any]:
        faults.add(_fault("slow", await _read(request, "calls", "method", "seconds")))
        return {}

    async def reject(request: Request) -> dict[str, Any]:
        order = await _read(request, "transactions")
        chain.to_reject += _count(order, "transactions")
        return {}

    orders: dict[str, _Order] = {
        "faucet": faucet,
        "mine": mine,
        "outage": outage,
        "ratelimit": ratelimit,
        "slow": slow,
        "reject": reject,
    }
    return [
        Route(f"/devnet/{name}", _obeyed(each), methods=["POST"])
        for name, each in orders.items()
    ]
