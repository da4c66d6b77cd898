"""The plugins that come with echidna-mcp: backends, executors, tools, transports."""
