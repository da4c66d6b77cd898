"""A LangGraph agent that raises the coverage of a fuzzing campaign over MCP."""

from echidna_mcp_coverage_agent.campaign import Campaign, connect
from echidna_mcp_coverage_agent.graph import Limits, coverage_agent, raise_coverage

__all__ = ["Campaign", "Limits", "connect", "coverage_agent", "raise_coverage"]
