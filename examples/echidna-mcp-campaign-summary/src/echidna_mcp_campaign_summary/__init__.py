"""Two plugins for echidna-mcp: the tool `campaign_summary`, and a file of findings."""
