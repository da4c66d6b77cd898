"""Races that are put into the product, to see whether the simulation finds them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from native_backends import native

from echidna_mcp.events.event import NewEvent
from echidna_mcp.evm.backend import BackendConfig
from echidna_mcp.kernel.compiler import source
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.engine import Engine, Plan
from echidna_mcp.rounds.tasks import RoundResult
from echidna_mcp_plugins.native.backend import NativeBackend
from echidna_mcp_plugins.native.hot import code as hot
from echidna_mcp_plugins.native.hot.traces import MOST_TOKENS

_NAMES = ("planted_left", "planted_right")


class _Importing(NativeBackend):
    """Imports what it needs in the midst of its first call."""

    def __init__(self, config: BackendConfig, *, module: str) -> None:
        super().__init__(config)
        self._module = module

    def call(self, *args: Any, **kwargs: Any) -> Any:
        result = super().call(*args, **kwargs)
        if args[0].data:
            importlib.import_module(self._module).use()
        return result


@contextmanager
def lazy_import(place: Path) -> Iterator[BackendPlugin]:
    """Offer a backend of which two threads import two modules of a circle."""
    place.mkdir()
    for name, other in (_NAMES, _NAMES[::-1]):
        (place / f"{name}.py").write_text(
            f"first = 1\nimport {other}\nuse = lambda: {other}.last\nlast = 1\n"
        )
    sys.path.insert(0, str(place))
    importlib.invalidate_caches()
    made: list[int] = []

    def create(config: BackendConfig) -> NativeBackend:
        made.append(1)
        return _Importing(config, module=_NAMES[len(made) % 2])

    try:
        yield replace(native(), create=create, reference=None)
    finally:
        sys.path.remove(str(place))
        for name in _NAMES:
            sys.modules.pop(name, None)


def _build_at_once(
    code: hot.HotCode, program: bytes, fork: Any, starts: frozenset[int]
) -> None:
    """Compile in the thread that runs the task."""
    request = code._request(program, fork, starts, MOST_TOKENS)
    code._add(hot.key_of(program, fork), hot.build_hot(request))


PARSING = (
    (hot.HotCode, "build", _build_at_once),
    (source, "_PARSING", nullcontext()),
)
"""Threads that run tasks parse, and no lock keeps two from doing so at once."""


def _merge_by_arrival(
    engine: Engine,
    plan: Plan,
    results: Sequence[RoundResult],
    disputes: Sequence[Any] = (),
) -> list[NewEvent]:
    """Take what was found in the order in which it came."""
    for result in results:
        engine._merge_worker(plan.round, result)
    found = [replace(result, findings=(), samples=()) for result in results]
    return _MERGE(engine, plan, found, disputes)


_MERGE = Engine.merge
ARRIVAL = (Engine, "merge", _merge_by_arrival)
