"""The registry: everything that plugins registered, by kind and name."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from echidna_mcp.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pluggy

KINDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "register_tools": "tool",
        "register_error_renderers": "error renderer",
        "register_resources": "resource",
        "register_prompts": "prompt",
        "register_transports": "transport",
        "register_backends": "EVM backend",
        "register_executors": "executor",
        "register_compilers": "compiler",
        "register_solvers": "solver",
        "register_devnets": "devnet",
        "register_dialects": "dialect",
    }
)
"""The hooks that register descriptors, and the word for what they register."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A descriptor that a plugin registered by one of the hooks of `KINDS`."""

    hook: str
    name: str
    descriptor: Any


class Registry:
    """Descriptors by kind and name. Names are unique within a kind."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, tuple[str, Offer]]] = {h: {} for h in KINDS}

    def add(self, plugin: str, offer: Offer) -> None:
        """Take what a plugin offers.

        Raises:
            PluginError: the name is taken; the message names both plugins.
        """
        found = self._found[offer.hook]
        if offer.name in found:
            other, _ = found[offer.name]
            raise PluginError(
                f"The plugins {other} and {plugin} both offer the {KINDS[offer.hook]}"
                f" {offer.name!r}; leave one of them out of --plugins.",
                plugins=[other, plugin],
            )
        found[offer.name] = plugin, offer

    def by_name(self, hook: str) -> dict[str, Any]:
        """Return the descriptors of a kind, in order of their names."""
        found = self._found[hook]
        return {name: found[name][1].descriptor for name in sorted(found)}


def offers_of(host: pluggy.PluginManager) -> list[Offer]:
    """Return everything that the plugin in `host` registers.

    Raises:
        Exception: whatever the plugin raises.
        TypeError: a descriptor has no name.
    """
    return [
        Offer(hook, _name_of(hook, descriptor), descriptor)
        for hook in KINDS
        for descriptors in getattr(host.hook, hook)()
        for descriptor in descriptors
    ]


def _name_of(hook: str, descriptor: Any) -> str:
    named = (
        getattr(descriptor, "spec", None) if hook == "register_tools" else descriptor
    )
    name = getattr(named, "name", None)
    if not isinstance(name, str) or not name:
        raise TypeError(f"{hook} returned {descriptor!r}, which is no {KINDS[hook]}")
    return name
