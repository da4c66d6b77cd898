"""The plugin framework: hook specifications and the manager that loads plugins."""

from echidna_mcp.plugins.hookspecs import HOOK_API, hookimpl

__all__ = ["HOOK_API", "hookimpl"]
