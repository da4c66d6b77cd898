"""Faults that a devnet is told to show, so that clients can be tried."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from starlette.responses import JSONResponse, Response

Kind: TypeAlias = Literal["outage", "ratelimit", "slow"]


@dataclass(slots=True)
class Fault:
    """A fault of the next calls.

    Attributes:
        kind: `outage` answers with HTTP 503, `ratelimit` with 429, `slow` late.
        calls: how many calls it still meets.
        method: which calls it meets; None for all.
        processed: whether an outage comes after the call has had its effect.
        seconds: how late a slow answer is.
    """

    kind: Kind
    calls: int
    method: str | None = None
    processed: bool = False
    seconds: float = 0.0


class Faults:
    """The faults that are still to come; the oldest one that fits meets a call."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []

    def add(self, fault: Fault) -> None:
        """Plan a fault."""
        self._faults.append(fault)

    @property
    def planned(self) -> int:
        """How many faults are still to come."""
        return len(self._faults)

    async def answer(self, method: str, act: Callable[[], Response]) -> Response:
        """Answer a call, with a fault if one is due.

        Args:
            method: which method is called.
            act: answers it.
        """
        fault = self._due(method)
        if fault is None:
            return act()
        if fault.kind == "slow":
            await asyncio.sleep(fault.seconds)
            return act()
        if fault.processed:
            act()
        status = 503 if fault.kind == "outage" else 429
        return JSONResponse({"error": f"{fault.kind}, as asked for"}, status)

    def _due(self, method: str) -> Fault | None:
        for fault in self._faults:
            if fault.method in {None, method}:
                fault.calls -= 1
                if fault.calls == 0:
                    self._faults.remove(fault)
                return fault
        return None
