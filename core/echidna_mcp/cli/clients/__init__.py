"""How MCP clients are told of a server: the command `config`."""
