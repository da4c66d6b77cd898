"""Transports: MCP over Streamable HTTP, over legacy HTTP+SSE and over stdio."""
