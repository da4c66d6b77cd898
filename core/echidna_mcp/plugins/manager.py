"""Find, select and load plugins, and call their hooks in an order of our own.

pluggy loads entry points in the order of installation and stops at the first that
can't be imported. Here the order is that of the names, and a broken plugin that is not
part of the default set is reported and skipped.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import cache
from importlib.metadata import Distribution, EntryPoint, entry_points
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Self

import pluggy

from echidna_mcp.errors import PluginError, UsageError
from echidna_mcp.plugins.hookspecs import GROUP, HOOK_API, Hooks
from echidna_mcp.plugins.record import PluginRecord
from echidna_mcp.plugins.registry import Offer, Registry, offers_of
from echidna_mcp.plugins.selection import DEFAULT_PLUGINS, select

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from echidna_mcp.campaign.executor import ExecutorPlugin
    from echidna_mcp.catalogue.devnet import Devnet
    from echidna_mcp.catalogue.prompt import Prompt
    from echidna_mcp.catalogue.resource import Resource
    from echidna_mcp.catalogue.transport import Transport
    from echidna_mcp.contracts.dialect import Dialect
    from echidna_mcp.events.event import Event
    from echidna_mcp.program.compiler import CompilerPlugin
    from echidna_mcp.rounds.backend import BackendPlugin
    from echidna_mcp.solving.solver import SolverPlugin
    from echidna_mcp.tools.rendering import ErrorRenderer
    from echidna_mcp.tools.tool import Tool

_log: Final = logging.getLogger(__name__)


class PluginManager:
    """The loaded plugins. Made by `load`.

    Attributes:
        tools, error_renderers, resources, prompts, transports, backends, executors,
            compilers, solvers, devnets, dialects: what the plugins registered, by name,
            in order of the names.
        records: every installed plugin, in order of its name.
    """

    def __init__(
        self,
        registry: Registry,
        records: Sequence[PluginRecord],
        observers: Mapping[str, pluggy.PluginManager],
    ) -> None:
        self.tools: dict[str, Tool] = registry.by_name("register_tools")
        self.error_renderers: dict[str, ErrorRenderer] = registry.by_name(
            "register_error_renderers"
        )
        self.resources: dict[str, Resource] = registry.by_name("register_resources")
        self.prompts: dict[str, Prompt] = registry.by_name("register_prompts")
        self.transports: dict[str, Transport] = registry.by_name("register_transports")
        self.backends: dict[str, BackendPlugin] = registry.by_name("register_backends")
        self.executors: dict[str, ExecutorPlugin] = registry.by_name(
            "register_executors"
        )
        self.compilers: dict[str, CompilerPlugin] = registry.by_name(
            "register_compilers"
        )
        self.solvers: dict[str, SolverPlugin] = registry.by_name("register_solvers")
        self.devnets: dict[str, Devnet] = registry.by_name("register_devnets")
        self.dialects: dict[str, Dialect] = registry.by_name("register_dialects")
        self.records = tuple(records)
        self._observers = dict(observers)

    @classmethod
    def load(
        cls, selection: str = "default", entries: Iterable[EntryPoint] | None = None
    ) -> Self:
        """Import the selected plugins and let them register.

        Args:
            selection: as `echidna_mcp.plugins.selection.select` reads it.
            entries: entry points to choose from; None for all that are installed.

        Raises:
            PluginError: the selection names no plugin, a plugin of the default set
                can't be loaded, a hook is misspelt, or two plugins offer the same name.
            UsageError: a plugin says that it is configured wrongly.
        """
        if entries is None:
            entries = entry_points(group=GROUP)
        found = sorted(entries, key=lambda e: (e.name, _record(e).distribution))
        chosen = select(selection, {entry.name for entry in found})
        _check_names(found, chosen)
        registry, records = Registry(), list[PluginRecord]()
        observers: dict[str, pluggy.PluginManager] = {}
        for entry in found:
            record = _record(entry)
            if entry.name in chosen:
                try:
                    host, offers = _start(entry)
                except UsageError:
                    raise  # It says how it has to be configured; nobody reads a log.
                except (Exception, SystemExit) as error:  # noqa: BLE001 - isolation
                    record = _failed(record, error)
                else:
                    for offer in offers:
                        registry.add(entry.name, offer)
                    hooks = _hooks(host)
                    record = replace(record, status="loaded", hooks=hooks)
                    if "events_committed" in hooks:
                        observers[entry.name] = host
            records.append(record)
        return cls(registry, records, observers)

    @property
    def loaded(self) -> list[dict[str, str]]:
        """Name, distribution and version of each loaded plugin, for a replay."""
        return [r.identity() for r in self.records if r.status == "loaded"]

    def events_committed(self, events: Sequence[Event]) -> None:
        """Show committed events to every observer.

        One that raises is reported and not called again: it can't change a result.
        """
        for name, host in list(self._observers.items()):
            try:
                host.hook.events_committed(events=events)
            except Exception:  # noqa: BLE001 - an observer can't stop a campaign
                del self._observers[name]
                _log.warning(
                    "The plugin %s failed to observe events and is not called again.",
                    name,
                    exc_info=True,
                )


def _record(entry: EntryPoint) -> PluginRecord:
    distribution, version = _origin(entry.dist) if entry.dist else ("unknown",) * 2
    return PluginRecord(name=entry.name, distribution=distribution, version=version)


@cache
def _origin(distribution: Distribution) -> tuple[str, str]:
    """Return name and version; each look at them reads all metadata again."""
    return distribution.name, distribution.version


def _check_names(found: Sequence[EntryPoint], chosen: frozenset[str]) -> None:
    for one, two in pairwise(found):
        if one.name == two.name and one.name in chosen:
            names = [_record(one).distribution, _record(two).distribution]
            raise PluginError(
                f"The packages {names[0]} and {names[1]} both install a plugin named"
                f" {one.name}; uninstall one of them.",
                distributions=names,
            )
    missing = sorted(chosen - {entry.name for entry in found})
    if missing:
        raise PluginError(
            f"The plugin {missing[0]} is part of a set but not installed;"
            " install echidna-mcp again."
        )


def _start(entry: EntryPoint) -> tuple[pluggy.PluginManager, list[Offer]]:
    """Import a plugin and ask what it offers.

    It gets a pluggy manager of its own, so that an exception or an unknown hook can
    only be this plugin's.
    """
    plugin = entry.load()
    _check_api(entry.name, plugin)
    host = pluggy.PluginManager(GROUP)
    host.add_hookspecs(Hooks)
    try:
        host.register(plugin, name=entry.name)
        host.check_pending()
    except pluggy.PluginValidationError as error:
        raise _WrongHookError(
            f"The plugin {entry.name} implements a hook that does not exist: {error}."
        ) from error
    return host, offers_of(host)


class _WrongHookError(PluginError):
    """A hook is misspelt: not skipped, because nobody would notice what is missing."""


def _check_api(name: str, plugin: Any) -> None:
    version = getattr(plugin, "echidna_mcp_api", HOOK_API)
    if not isinstance(version, int) or version > HOOK_API:
        raise PluginError(
            f"it needs version {version} of the hooks, but this echidna-mcp has"
            f" {HOOK_API}; upgrade echidna-mcp"
        )
    if version < HOOK_API:
        _log.warning(
            "The plugin %s was written for version %d of the hooks; this is %d.",
            name,
            version,
            HOOK_API,
        )


def _hooks(host: pluggy.PluginManager) -> tuple[str, ...]:
    ((_, plugin),) = host.list_name_plugin()
    return tuple(sorted(caller.name for caller in host.get_hookcallers(plugin) or ()))


def _failed(record: PluginRecord, error: BaseException) -> PluginRecord:
    if isinstance(error, _WrongHookError):
        raise error
    reason = str(error) if isinstance(error, PluginError) else _describe(error)
    if record.name in DEFAULT_PLUGINS:
        raise PluginError(
            f"The plugin {record.name} can't be loaded ({reason}); install echidna-mcp"
            f" again or leave it out with --plugins default,-{record.name}."
        ) from error
    _log.warning("The plugin %s is skipped: %s.", record.name, reason)
    return replace(record, status="failed", error=reason)


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
