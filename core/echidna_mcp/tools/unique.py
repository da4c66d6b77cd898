"""Different names for different things that plugins offer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from echidna_mcp.errors import PluginError

_Offered = TypeVar("_Offered")


def by_name(
    kind: str, offered: Iterable[_Offered], name_of: Callable[[_Offered], str]
) -> dict[str, _Offered]:
    """Return what is offered by name, in order of name.

    Args:
        kind: what it is, with article, as in "a tool named".

    Raises:
        PluginError: a name occurs twice.
    """
    found: dict[str, _Offered] = {}
    for each in sorted(offered, key=name_of):
        name = name_of(each)
        if name in found:
            raise PluginError(
                f"Two enabled plugins offer {kind} {name!r}; enable one of them."
            )
        found[name] = each
    return found
