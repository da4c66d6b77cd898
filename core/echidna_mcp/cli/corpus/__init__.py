"""`echidna-mcp corpus`: what campaigns and other fuzzers have stored, as it stands."""
