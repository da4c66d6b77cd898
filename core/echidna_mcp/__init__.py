"""echidna-mcp: a deterministic, event-sourced smart-contract fuzzer behind MCP."""

from importlib.metadata import version

__version__ = version("echidna-mcp")

__all__ = ["__version__"]
