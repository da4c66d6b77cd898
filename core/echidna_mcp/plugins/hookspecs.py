"""The whole extension surface, by lifecycle.

A plugin is a module or object found by an entry point of the group `echidna_mcp`. It
implements any of these hooks with `echidna_mcp.plugins.hookimpl`. Hooks are called at
start and at commits, never per call or opcode: a hook costs microseconds.

The `register_*` hooks return descriptors that carry a name. Two descriptors of one kind
with the same name are an error that names both plugins; order of installation never
decides anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
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

GROUP = "echidna_mcp"
HOOK_API = 1

hookspec = pluggy.HookspecMarker(GROUP)
hookimpl = pluggy.HookimplMarker(GROUP)


class Hooks:
    """Every hook that a plugin can implement."""

    # ------------------------------------------------------------------ start

    @hookspec
    def register_tools(self) -> Sequence[Tool]:
        """Return the tools that this plugin offers. Called once, at start."""
        return ()

    @hookspec
    def register_error_renderers(self) -> Sequence[ErrorRenderer]:
        """Return how failures of a family of tools look. Called once, at start."""
        return ()

    @hookspec
    def register_resources(self) -> Sequence[Resource]:
        """Return what clients can read beside the tools. Called once, at start."""
        return ()

    @hookspec
    def register_prompts(self) -> Sequence[Prompt]:
        """Return tasks that a person can give to an agent. Called once, at start."""
        return ()

    @hookspec
    def register_transports(self) -> Sequence[Transport]:
        """Return ways for a client to reach the tools. Called once, at start."""
        return ()

    @hookspec
    def register_backends(self) -> Sequence[BackendPlugin]:
        """Return EVM backends. Called once, at start."""
        return ()

    @hookspec
    def register_executors(self) -> Sequence[ExecutorPlugin]:
        """Return executors, which run the tasks of a round. Called once, at start."""
        return ()

    @hookspec
    def register_compilers(self) -> Sequence[CompilerPlugin]:
        """Return compilers, tried in order of their rank. Called once, at start."""
        return ()

    @hookspec
    def register_solvers(self) -> Sequence[SolverPlugin]:
        """Return solvers, which find inputs for branches. Called once, at start."""
        return ()

    @hookspec
    def register_devnets(self) -> Sequence[Devnet]:
        """Return chains that can run on this machine. Called once, at start."""
        return ()

    # -------------------------------------------------------------- documents

    @hookspec
    def register_dialects(self) -> Sequence[Dialect]:
        """Return forms of contract documents. Called where documents are read."""
        return ()

    # --------------------------------------------------------------- campaign

    @hookspec
    def events_committed(self, events: Sequence[Event]) -> None:
        """Observe events right after their commit, in order.

        Called in the campaign process after every commit. An exception is reported once
        and the observer is not called again; it can't change a result.
        """
